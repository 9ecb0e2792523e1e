import type { Tables } from "./schema-dialect.ts";

/**
 * API keys, browser sessions, and what else belongs to the account: small tables. `networks` of a key is a JSON array. Browser
 * sessions are found by the hash of their secret; of about a thousand rows, those of a key are found by a scan. They have no
 * foreign key to `api_key`, so that Citus can copy the table. A provider's object of the account has the server '';
 * `value` is JSON; so is `entry` of the audit log, which is bounded by category.
 *
 * `state` has one row: the target of write checks, the greatest UIDVALIDITY of servers, the approved phrases as a JSON array, the
 * number of outbound messages in the current hour, and the versions of fault rules and scanners; in SQLite also the last epoch of
 * servers, and the number of commits with mails, which the file `restante.commits` repeats outside of the database.
 */
export const account: Tables = ({ key, bytes, instant, bigint, table, clustered, sqlite }) => `
create table state (
  singleton integer primary key check (singleton = 1),
  probe ${bigint} not null,
  ${sqlite("epoch integer not null default 0, commit_count integer not null default 0,")}
  uid_validity ${bigint} not null default 0,
  phrases text,
  leaving_started_at ${instant} not null default 0,
  leaving_count integer not null default 0,
  fault_version ${bigint} not null default 0,
  scanner_version ${bigint} not null default 0
) ${table};
insert into state (singleton, probe) values (1, 0);

create table api_key (
  id ${key} primary key,
  name text not null,
  hash ${key} not null unique,
  server ${key},
  scope text not null default 'full',
  expires_at ${instant},
  requests_per_minute integer,
  networks text not null default '[]',
  created_at ${instant} not null,
  last_used_at ${instant},
  former_hash ${key},
  former_until ${instant},
  owner_user ${key},
  owner_team ${key}
) ${clustered};
create index api_key_server on api_key (server) where server is not null;
create index api_key_former on api_key (former_hash) where former_hash is not null;
create index api_key_user on api_key (owner_user) where owner_user is not null;
create index api_key_team on api_key (owner_team) where owner_team is not null;

create table sign_in (
  name ${key} primary key,
  kind text not null,
  key_hash ${key},
  user_id ${key},
  opened_at ${instant} not null,
  used_at ${instant} not null,
  issuer ${key}, sid text, tokens text,
  refresh_at ${instant}
) ${clustered};

create table device (
  id ${key} primary key,
  name text not null,
  sealed_secret ${bytes} not null,
  created_at ${instant} not null
) ${clustered};

create table dns_zone (server ${key} primary key, zone text not null) ${clustered};

create table audit (
  id ${key} primary key,
  category ${key} not null,
  user_id ${key},
  entry text not null
) ${clustered};
create index audit_user on audit (user_id, id) where user_id is not null;
create index audit_category on audit (category, id);
`;

/** Users, teams, limits of teams, and memberships; names and addresses are unique in their folded form. */
export const people: Tables = ({ key, instant, bigint, clustered }) => `
create table account_user (
  id ${key} primary key,
  user_name text not null,
  user_name_folded ${key} not null unique,
  email text not null,
  email_folded ${key} not null unique,
  name text not null,
  issuer ${key},
  subject ${key},
  external_id text,
  is_owner integer not null,
  is_active integer not null,
  created_at ${instant} not null,
  last_seen_at ${instant}
) ${clustered};
create unique index account_user_identity on account_user (issuer, subject) where issuer is not null;

create table team (
  id ${key} primary key,
  name text not null,
  name_folded ${key} not null unique,
  external_id text,
  role text not null,
  created_at ${instant} not null
) ${clustered};

-- The counts are those of the day, and of the hour that began at outbound_started_at.
create table team_limit (
  team ${key} primary key,
  messages_max ${bigint},
  bytes_max ${bigint},
  age_seconds_max ${instant},
  emails_per_day_max ${bigint},
  sms_per_day_max ${bigint},
  outbound_per_hour_max ${bigint},
  day integer not null default 0,
  email_count ${bigint} not null default 0,
  sms_count ${bigint} not null default 0,
  outbound_started_at ${instant} not null default 0,
  outbound_count ${bigint} not null default 0
) ${clustered};

create table membership (
  user_id ${key} not null,
  team ${key} not null,
  role text not null,
  source text not null,
  primary key (user_id, team)
) ${clustered};
create index membership_team on membership (team);
`;

/** See {@link account}. */
export const providerObjects: Tables = ({ key, instant, table }) => `
create table provider_object (
  server ${key} not null,
  provider ${key} not null,
  kind ${key} not null,
  id ${key} not null,
  value text not null,
  version integer not null,
  created_at ${instant} not null,
  expires_at ${instant},
  primary key (server, provider, kind, id)
) ${table};
create index provider_object_age on provider_object (server, provider, kind, created_at, id);
create index provider_object_expiry on provider_object (expires_at) where expires_at is not null;
`;

/**
 * Fault rules, their last hits and the triples of greylisting. The server is '' for rules of the service. `stages` are
 * between commas; `client_address` is the one address of a rule for stages before RCPT. A row of `fault_list` has the keys of the
 * rules of a server that has rules, or had some; its version is that of the service at the last change of the list, and its lock
 * serialises decisions. `number` of a hit counts from 1.
 */
export const faults: Tables = ({ key, instant, bigint, clustered }) => `
create table fault_list (server ${key} primary key, version ${bigint} not null, keys text not null) ${clustered};
create index fault_list_version on fault_list (version);

create table fault_rule (
  server ${key} not null,
  position integer not null,
  stages text not null,
  client_address text,
  rule text not null,
  state text not null,
  primary key (server, position)
) ${clustered};
create index fault_rule_address on fault_rule (client_address) where client_address is not null;

create table fault_hit (
  server ${key} not null,
  position integer not null,
  number ${bigint} not null,
  hit text not null,
  primary key (server, position, number)
) ${clustered};

create table fault_triple (
  server ${key} not null,
  position integer not null,
  key ${key} not null,
  first_tried_at ${instant} not null,
  primary key (server, position, key)
) ${clustered};
create index fault_triple_age on fault_triple (server, position, first_tried_at);
`;
