/**
 * Browser sessions by the hash of their secret. About a thousand rows: those of a key are found by a scan. Without a
 * foreign key to `api_key`, so that older nodes can remove keys, and Citus can copy the table.
 */
export const signIns = `
create table sign_in (
  name text collate "C" primary key,
  kind text not null,
  key_hash text collate "C" not null,
  opened_at double precision not null,
  used_at double precision not null
);
`;
