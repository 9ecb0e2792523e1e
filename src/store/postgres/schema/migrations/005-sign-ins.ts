/**
 * Who is signed in with a browser, by the hash of what the browser holds. A thousand rows or so: their key finds them by
 * scan. No foreign key to `api_key`: nodes that know nothing of this table can remove keys, and Citus can copy it.
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
