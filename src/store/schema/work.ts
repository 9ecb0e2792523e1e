import { leaseColumns, type Tables } from "./schema-dialect.ts";

/**
 * The outbox, and permissions to send. An entry of the outbox has the epoch of its message, so that emptying a server, which
 * changes the epoch, also invalidates its entries. `due_at` is null for finished and quarantined entries. The service seals the
 * secrets of phone numbers, and alone has the key. `verification_mail` has the time of the last verification email of an address;
 * it outlives the address, so that removing it keeps the limit.
 */
export const outbound: Tables = (dialect) => {
  const { key, bytes, instant, bigint, uuid, table, clustered, sqlite, postgres } = dialect;
  return `
create table outbox (
  ${sqlite("number integer primary key,")}
  entry ${key} ${sqlite("not null unique")}${postgres("primary key")},
  epoch ${bigint},
  message ${uuid},
  route text not null,
  mail_from text not null,
  rcpt_to text not null,
  content ${bytes},
  status text not null,
  attempts integer not null,
  last_error text,
  updated_at ${instant} not null,
  ${leaseColumns(dialect)}
) ${table};
create index outbox_due on outbox (due_at${postgres(", entry")}) where due_at is not null;
create index outbox_message on outbox (epoch, message) where epoch is not null;
create index outbox_dead on outbox (due_at) where open_claims >= 2;

create table repeatable (
  scope ${key} not null,
  key ${key} not null,
  fingerprint text not null,
  message text not null,
  at ${instant} not null,
  primary key (scope, key)
) ${clustered};
create index repeatable_at on repeatable (at);

create table verified_address (
  id ${key} primary key,
  address text not null,
  address_folded ${key} not null unique,
  status text not null,
  token_hash text,
  created_at ${instant} not null
) ${clustered};

create table verification_mail (address_folded ${key} primary key, asked_at ${instant} not null) ${clustered};

create table phone_number (
  id ${key} primary key,
  number ${key} not null unique,
  server ${key} not null,
  provider text not null,
  sealed_secrets ${bytes},
  webhook text,
  created_at ${instant} not null
) ${clustered};
create index phone_number_server on phone_number (server);
`;
};

/**
 * Targets and deliveries of callbacks. `due_at` of a delivery is the next attempt or the end of its lease, null unless it is
 * pending, `claimed_due_at` its value before the last claim; `attempts` are JSON, one per line; `number` orders deliveries by
 * storage. `is_message_stored` is 1 while a delivery delivers a message that is not deleted. Deliveries of a target in
 * `callback_purge` are deleted in the background. `callback_report` has attempts that have delivered a message, until events
 * about them are made: ids in the order of time. `callback_failure` has targets whose requests fail: the first and the last
 * failure since the last success.
 */
export const callbackTargets: Tables = ({ key, bytes, instant, bigint, uuid, ...dialect }) => `
create table callback_target (
  ${dialect.sqlite("number integer primary key,")}
  id ${key} ${dialect.sqlite("not null unique")}${dialect.postgres("primary key")},
  server ${key} not null,
  kind text not null,
  shape text not null,
  settings text not null,
  sealed_secrets ${bytes},
  state text not null,
  state_reason text,
  since_sequence ${bigint} not null,
  version integer not null,
  created_at ${instant} not null
) ${dialect.table};
create index callback_target_server on callback_target (server, kind);
create table callback_cursor (server ${key} primary key, sequence ${bigint} not null) ${dialect.clustered};
create table callback_purge (target ${key} primary key) ${dialect.table};
create table callback_report (id ${key} primary key, message ${uuid} not null) ${dialect.clustered};
create table callback_failure (target ${key} primary key, since ${instant} not null, last ${instant} not null)
  ${dialect.clustered};
`;

/** See {@link callbackTargets}. */
export const callbackDeliveries: Tables = (dialect) => {
  const { key, bytes, instant, bigint, uuid, table, sqlite, postgres } = dialect;
  return `
create table callback_delivery (
  number ${bigint} ${sqlite("primary key")}${postgres("not null")},
  id ${key} ${sqlite("not null unique")}${postgres("primary key")},
  server ${key} not null,
  target ${key},
  queue ${key} not null,
  message ${uuid},
  delivers_message integer not null,
  is_message_stored integer not null,
  type text not null,
  attempts_max integer,
  first_due_at ${instant} not null,
  created_at ${instant} not null,
  status text not null,
  ${leaseColumns(dialect)},
  attempt_count integer not null,
  schedule_step integer not null,
  attempts text not null,
  content ${bytes}
) ${table};
create index callback_delivery_due on callback_delivery (queue, due_at, number) where due_at is not null;
-- Over all queues, so that queues without due deliveries need no visit.
create index callback_delivery_due_at on callback_delivery (due_at, queue) where due_at is not null;
create index callback_delivery_leased on callback_delivery (queue, lease) where lease is not null;
create index callback_delivery_dead on callback_delivery (due_at) where open_claims >= 2;
create index callback_delivery_server on callback_delivery (server, number);
create index callback_delivery_undelivered on callback_delivery (server, status, number)
  where status <> 'Delivered';
create index callback_delivery_target on callback_delivery (target, number) where target is not null;
create index callback_delivery_message on callback_delivery (message, number) where message is not null;
create index callback_delivery_stored on callback_delivery (server) where is_message_stored = 1;
create index callback_delivery_direct on callback_delivery (server) where target is null;
create index callback_delivery_age on callback_delivery (created_at) where is_message_stored = 0;
`;
};

/**
 * Work on messages. Claims of a row that no outcome has followed are `open_claims`; rows of `quarantined_at` are not claimed, and
 * have no `due_at`. Scans and reparses of deleted messages are removed when they are due.
 *
 * `scheduled_email` has mails that arrive later, with the ids as which they arrive in `messages`, once that has begun; and
 * messages that were accepted and are held until they become visible, with `accepted_at` and `held_bytes`. `is_deleted` marks
 * those whose server was emptied or deleted: their bytes are removed in small steps. `reread` has emails that could not be
 * parsed when they arrived. `scanner` has the link scanners of servers: `settings` is null for one that was removed, `version` is
 * that of the service at the last change.
 */
export const queues: Tables = (dialect) => {
  const { key, bytes, instant, bigint, uuid, table, clustered } = dialect;
  return `
create table scheduled_email (
  id ${uuid} primary key,
  server ${key} not null,
  send_at ${instant} not null,
  ${leaseColumns(dialect)},
  attempts integer not null,
  messages text,
  accepted_at ${instant},
  held_bytes ${bigint},
  is_deleted integer not null default 0,
  json text not null,
  raw_size ${bigint} not null
) ${table};
create index scheduled_email_due on scheduled_email (due_at);
create index scheduled_email_dead on scheduled_email (due_at) where open_claims >= 2;
create index scheduled_email_server on scheduled_email (server);
create index scheduled_email_held on scheduled_email (server, held_bytes) where held_bytes is not null;
create index scheduled_email_held_order on scheduled_email (server, send_at, id) where held_bytes is not null;
create table scheduled_chunk (
  email ${uuid} not null,
  position integer not null,
  bytes ${bytes} not null,
  primary key (email, position)
) ${table};

create table reread (
  message ${uuid} primary key,
  attempts integer not null,
  ${leaseColumns(dialect)}
) ${clustered};
create index reread_due on reread (due_at);
create index reread_dead on reread (due_at) where open_claims >= 2;

create table scanner (server ${key} primary key, version ${bigint} not null, settings text) ${clustered};
create index scanner_version on scanner (version);
create table scan (
  message ${uuid} primary key,
  server ${key} not null,
  attempts integer not null,
  ${leaseColumns(dialect)}
) ${clustered};
create index scan_server on scan (server, due_at);
create index scan_due on scan (due_at);
create index scan_dead on scan (due_at) where open_claims >= 2;
`;
};
