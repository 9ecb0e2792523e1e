/**
 * API keys, browser sessions, and what else belongs to the account. `networks` of a key is a JSON array. Browser sessions are
 * found by the hash of their secret; of about a thousand rows, those of a key are found by a scan. `server` of a provider's
 * object is empty for those of the account, `value` is JSON; so is `entry` of the audit log, which is bounded by category.
 *
 * `state` has one row: the last epoch and UIDVALIDITY of servers, the target of write checks, the approved phrases as a JSON
 * array, the number of outbound messages in the current hour, the number of commits with mails, which the file
 * `restante.commits` repeats outside of the database, and the versions of fault rules and scanners.
 */
export const account = `
create table state (
  only integer primary key check (only = 1),
  epoch integer not null,
  uid_validity integer not null default 0,
  probe integer not null,
  phrases text,
  leaving_started_at real not null default 0,
  leaving_count integer not null default 0,
  commit_count integer not null default 0,
  fault_version integer not null default 0,
  scanner_version integer not null default 0
) strict;
insert into state (only, epoch, probe) values (1, 0, 0);
create table probe (filler blob) strict;

create table api_key (
  id text primary key,
  name text not null,
  hash text not null unique,
  server text,
  scope text not null default 'full',
  expires_at real,
  requests_per_minute integer,
  networks text not null default '[]',
  created_at real not null,
  last_used_at real,
  former_hash text,
  former_until real
) strict, without rowid;
create index api_key_server on api_key (server) where server is not null;
create unique index api_key_former on api_key (former_hash) where former_hash is not null;

create table sign_in (
  name text primary key,
  kind text not null,
  key_hash text not null,
  opened_at real not null,
  used_at real not null
) strict, without rowid;

create table device (
  id text primary key,
  name text not null,
  sealed_secret blob not null,
  created_at real not null
) strict, without rowid;

create table usage (
  day integer primary key,
  email integer not null,
  sms integer not null
) strict;

create table dns_zone (
  server text primary key,
  zone text not null
) strict, without rowid;

create table audit (id text primary key, category text not null, entry text not null) strict, without rowid;
create index audit_category on audit (category, id);

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
