/**
 * Targets and deliveries of callbacks. `due_at` of a delivery is the next attempt or the end of its lease, null unless it is
 * pending, `claimed_due_at` its value before the last claim; `attempts` are JSON, one per line. Cursors belong to server numbers,
 * as changes do. `is_message_stored` is 1 while a delivery delivers a message that is not deleted. Deliveries of a target in
 * `callback_purge` are deleted in the background. `callback_report` has attempts that have delivered a message, until events
 * about them are made: ids in the order of time. `callback_failure` has targets whose requests fail: the first and the last
 * failure since the last success.
 */
export const callbacks = `
create table callback_target (
  number integer primary key,
  id text not null unique,
  server text not null,
  kind text not null,
  shape text not null,
  settings text not null,
  sealed_secrets blob,
  state text not null,
  state_reason text,
  since_sequence integer not null,
  version integer not null,
  created_at real not null
) strict;
create index callback_target_server on callback_target (server, kind);
create table callback_cursor (server text primary key, sequence integer not null) strict, without rowid;
create table callback_purge (target text primary key) strict;
create table callback_report (id text primary key, message text not null) strict, without rowid;
create table callback_failure (target text primary key, since real not null, last real not null) strict, without rowid;

create table callback_delivery (
  number integer primary key,
  id text not null unique,
  server text not null,
  target text,
  queue text not null,
  message text,
  delivers_message integer not null,
  is_message_stored integer not null,
  type text not null,
  attempts_max integer,
  first_due_at real not null,
  created_at real not null,
  status text not null,
  due_at real,
  claimed_due_at real,
  lease text,
  open_claims integer not null default 0,
  quarantined_at real,
  attempt_count integer not null,
  schedule_step integer not null,
  attempts text not null,
  content blob
) strict;
create index callback_delivery_due on callback_delivery (queue, due_at, number) where due_at is not null;
-- Over all queues, so that queues without due deliveries need no visit.
create index callback_delivery_due_at on callback_delivery (due_at, queue) where due_at is not null;
create index callback_delivery_leased on callback_delivery (queue, lease) where lease is not null;
create index callback_delivery_dead on callback_delivery (due_at) where open_claims >= 2;
create index callback_delivery_server on callback_delivery (server, number);
create index callback_delivery_undelivered on callback_delivery (server, status, number) where status <> 'Delivered';
create index callback_delivery_target on callback_delivery (target, number) where target is not null;
create index callback_delivery_message on callback_delivery (message, number) where message is not null;
create index callback_delivery_stored on callback_delivery (server) where is_message_stored = 1;
create index callback_delivery_direct on callback_delivery (server) where target is null;
create index callback_delivery_age on callback_delivery (created_at) where is_message_stored = 0;
`;
