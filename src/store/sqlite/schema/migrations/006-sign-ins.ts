/** Browser sessions by the hash of their secret. About a thousand rows: those of a key are found by a scan. */
export const signIns = `
create table sign_in (
  name text primary key,
  kind text not null,
  key_hash text not null,
  opened_at real not null,
  used_at real not null
) strict, without rowid;
create trigger sign_in_of_removed_key after delete on api_key begin
  delete from sign_in where key_hash = old.hash;
end;
`;
