/** Objects of providers' APIs; `server` is empty for those of the account, `value` is JSON. */
export const providerObjects = `
create table provider_object (
  server text not null,
  provider text not null,
  kind text not null,
  id text not null,
  value text not null,
  version integer not null,
  created_at real not null,
  expires_at real,
  primary key (server, provider, kind, id)
) strict;
create index provider_object_age on provider_object (server, provider, kind, created_at, id);
create index provider_object_expiry on provider_object (expires_at) where expires_at is not null;
`;
