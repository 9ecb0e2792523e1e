/**
 * Limits, use and rotation of API keys; `networks` is a JSON array. Older programs do not know scopes, so they must not run
 * at the same time.
 */
export const keyLimits = `
alter table api_key
  add column scope text not null default 'full',
  add column expires_at double precision,
  add column requests_per_minute integer,
  add column networks text not null default '[]',
  add column last_used_at double precision,
  add column former_hash text collate "C",
  add column former_until double precision;
create index api_key_former on api_key (former_hash) where former_hash is not null;
`;
