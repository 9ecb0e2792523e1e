/** Objects of providers' APIs; `server_id` is -1 for those of the account, `value` is JSON. */
export const providerObjects = `
create table provider_object (
  server_id bigint not null,
  provider text collate "C" not null,
  kind text collate "C" not null,
  id text collate "C" not null,
  value text not null,
  version integer not null,
  created_at double precision not null,
  expires_at double precision,
  primary key (server_id, provider, kind, id)
);
create index provider_object_age on provider_object (server_id, provider, kind, created_at, id);
create index provider_object_expiry on provider_object (expires_at) where expires_at is not null;
`;
