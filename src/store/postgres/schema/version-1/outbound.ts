/**
 * The outbox, and permissions to send. `outbox` refers to its message by epoch and id, so that emptying a server, which
 * changes the epoch, also invalidates its entries. `due_at` is null for finished and quarantined entries. The service seals the
 * secrets of phone numbers, and alone has the key. `verification_mail` has the last verification message of each address; it is
 * kept when the address is removed, so that the limit still applies.
 */
export const outbound = `
create table outbox (
  entry text collate "C" primary key,
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
  claimed_due_at double precision,
  lease text,
  open_claims integer not null default 0,
  quarantined_at double precision
);
create index outbox_due on outbox (due_at, entry) where due_at is not null;
create index outbox_message on outbox (epoch, message) where epoch is not null;
create index outbox_dead on outbox (due_at) where open_claims >= 2;

create table repeatable (
  scope text collate "C" not null,
  key text collate "C" not null,
  fingerprint text not null,
  message text not null,
  at double precision not null,
  primary key (scope, key)
);
create index repeatable_at on repeatable (at);

create table verified_address (
  id text collate "C" primary key,
  address text not null,
  address_folded text collate "C" not null unique,
  status text not null,
  token_hash text,
  created_at double precision not null
);

create table verification_mail (
  address_folded text collate "C" primary key,
  asked_at double precision not null
);

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
