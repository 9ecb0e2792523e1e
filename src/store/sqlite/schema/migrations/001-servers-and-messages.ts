/**
 * Servers, keys, messages, the journal and the purge queue.
 *
 * A message has rows in four tables, so that each query reads only what it needs: `message` (lists), `subject` (narrow, for
 * subject scans), `address` (senders and recipients), `content` (everything large). The first two are clustered by (epoch,
 * id): one range is one server's messages of one direction by time. Blobs are zstd frames where their `_size` column has the
 * size before compression, and plain where it is null. Where `raw` is null, it follows the detail in the same frame, and the
 * body that searches compare follows both.
 */
export const serversAndMessages = `
create table server (
  number integer primary key autoincrement,
  id text not null unique,
  name text not null,
  name_folded text not null,
  password text not null,
  users text not null default '[]',
  retention_age_seconds_max real,
  retention_message_count_max real,
  created_at real not null,
  expires_at real,
  epoch integer not null unique,
  sequence integer not null default 0,
  received_count integer not null default 0,
  sent_count integer not null default 0,
  retired integer not null default 0
) strict;
create index server_age on server (created_at, id);
create index server_expiry on server (expires_at) where expires_at is not null;
create index server_rules on server (id)
  where retention_age_seconds_max is not null or retention_message_count_max is not null;

create table api_key (
  id text primary key,
  name text not null,
  hash text not null unique,
  server text,
  created_at real not null
) strict, without rowid;
create index api_key_server on api_key (server) where server is not null;

create table state (
  only integer primary key check (only = 1),
  epoch integer not null,
  probe integer not null
) strict;
insert into state (only, epoch, probe) values (1, 0, 0);
create table probe (filler blob) strict;

create table message (
  epoch integer not null,
  id blob not null,
  sequence integer not null,
  content integer not null,
  summary blob not null,
  primary key (epoch, id)
) strict, without rowid;

create table content (
  number integer primary key,
  addresses text not null,
  detail_size integer,
  raw_size integer,
  body_size integer,
  detail blob not null,
  body blob,
  raw blob
) strict;

create table subject (
  epoch integer not null,
  id blob not null,
  content integer not null,
  text text not null,
  primary key (epoch, id)
) strict, without rowid;

create table address (
  epoch integer not null,
  role integer not null,
  address text not null,
  id blob not null,
  primary key (epoch, role, address, id)
) strict, without rowid;

create table change (
  server integer not null,
  sequence integer not null,
  kind integer not null,
  id blob,
  primary key (server, sequence)
) strict, without rowid;

create table purge (
  epoch integer primary key,
  server integer,
  message_count integer not null
) strict;
`;
