/** Who is signed in with a browser, by the hash of what the browser holds. A thousand rows or so: their key finds them by scan. */
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
