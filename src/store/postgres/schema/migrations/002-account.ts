/**
 * Tables of the account: small, and without a server in their keys. `outbox` refers to its message by server, epoch and
 * id, so that emptying a server, which changes the epoch, also invalidates its entries. `due_at` is null for finished
 * entries. `state` has one row: the target of write checks, the approved phrases, and the number of outbound messages in
 * the current hour.
 */
export const account = `
create table state (
  singleton smallint primary key check (singleton = 1),
  probe bigint not null,
  phrases text,
  leaving_started_at double precision not null default 0,
  leaving_count integer not null default 0
);
insert into state (singleton, probe) values (1, 0);

create table api_key (
  id text collate "C" primary key,
  name text not null,
  hash text collate "C" not null unique,
  server_id bigint,
  created_at double precision not null
);
create index api_key_server on api_key (server_id) where server_id is not null;

create table device (
  id text collate "C" primary key,
  name text not null,
  sealed_secret bytea not null,
  created_at double precision not null
);

create table outbox (
  entry text collate "C" primary key,
  server_id bigint,
  epoch bigint,
  message uuid,
  route text not null,
  mail_from text not null,
  rcpt_to text not null,
  content bytea,
  status text not null,
  attempts integer not null,
  last_error text,
  updated_at double precision not null,
  due_at double precision,
  lease text
);
create index outbox_due on outbox (due_at, entry) where due_at is not null;
create index outbox_message on outbox (server_id, epoch, message) where server_id is not null;

create table verified_address (
  id text collate "C" primary key,
  address text not null,
  address_folded text collate "C" not null unique,
  status text not null,
  token_hash text,
  created_at double precision not null
);

create table repeatable (
  scope text collate "C" not null,
  key text collate "C" not null,
  fingerprint text not null,
  message text not null,
  at double precision not null,
  primary key (scope, key)
);
create index repeatable_at on repeatable (at);

create table phone_number (
  id text collate "C" primary key,
  number text collate "C" not null unique,
  server_id bigint not null,
  provider text not null,
  sealed_secrets bytea,
  webhook text,
  created_at double precision not null
);
create index phone_number_server on phone_number (server_id);
`;
