/**
 * The outbox, and permissions to send. An outbox entry has the epoch of its message, with which it is purged. `due_at` is null for
 * finished and quarantined entries. The service seals the secrets of phone numbers, and alone has the key.
 * `verification_mail` has the time of the last verification email of an address; it outlives the address, so that removing it
 * keeps the limit.
 */
export const outbound = `
create table outbox (
  number integer primary key,
  entry text not null unique,
  epoch integer,
  message text,
  route text not null,
  mail_from text not null,
  rcpt_to text not null,
  content blob,
  status text not null,
  attempts integer not null,
  last_error text,
  updated_at real not null,
  due_at real,
  claimed_due_at real,
  lease text,
  open_claims integer not null default 0,
  quarantined_at real
) strict;
create index outbox_due on outbox (due_at) where due_at is not null;
create index outbox_message on outbox (epoch, message);
create index outbox_dead on outbox (due_at) where open_claims >= 2;

create table repeatable (
  scope text not null,
  key text not null,
  fingerprint text not null,
  message text not null,
  at real not null,
  primary key (scope, key)
) strict, without rowid;
create index repeatable_at on repeatable (at);

create table verified_address (
  id text primary key,
  address text not null,
  address_folded text not null unique,
  status text not null,
  token_hash text,
  created_at real not null
) strict, without rowid;

create table verification_mail (
  address_folded text primary key,
  asked_at real not null
) strict, without rowid;

create table phone_number (
  id text primary key,
  number text not null unique,
  server text not null,
  provider text not null,
  sealed_secrets blob,
  webhook text,
  created_at real not null
) strict, without rowid;
create index phone_number_server on phone_number (server);
`;
