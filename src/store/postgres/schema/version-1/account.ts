/**
 * API keys, browser sessions, and what else belongs to the account: small tables, without a server in their keys. `networks` of a
 * key is a JSON array. Browser sessions are found by the hash of their secret; of about a thousand rows, those of a key are found
 * by a scan. They have no foreign key to `api_key`, so that Citus can copy the table. `server_id` of a provider's object is -1 for
 * those of the account, `value` is JSON; so is `entry` of the audit log of all nodes, which is bounded by category.
 *
 * `state` has one row: the target of write checks, the greatest UIDVALIDITY of servers, the approved phrases, the number of
 * outbound messages in the current hour, and the versions of fault rules and scanners. `lease` has those of background work, by
 * which nodes coordinate it.
 */
export const account = `
create table state (
  singleton smallint primary key check (singleton = 1),
  probe bigint not null,
  uid_validity bigint not null default 0,
  phrases text,
  leaving_started_at double precision not null default 0,
  leaving_count integer not null default 0,
  fault_version bigint not null default 0,
  scanner_version bigint not null default 0
);
insert into state (singleton, probe) values (1, 0);

create table lease (
  task text collate "C" primary key,
  holder text not null,
  ends_at timestamptz not null
);

create table api_key (
  id text collate "C" primary key,
  name text not null,
  hash text collate "C" not null unique,
  server_id bigint,
  scope text not null default 'full',
  expires_at double precision,
  requests_per_minute integer,
  networks text not null default '[]',
  created_at double precision not null,
  last_used_at double precision,
  former_hash text collate "C",
  former_until double precision
);
create index api_key_server on api_key (server_id) where server_id is not null;
create index api_key_former on api_key (former_hash) where former_hash is not null;

create table sign_in (
  name text collate "C" primary key,
  kind text not null,
  key_hash text collate "C" not null,
  opened_at double precision not null,
  used_at double precision not null
);

create table device (
  id text collate "C" primary key,
  name text not null,
  sealed_secret bytea not null,
  created_at double precision not null
);

create table audit (id text collate "C" primary key, category text collate "C" not null, entry text not null);
create index audit_category on audit (category, id);

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
