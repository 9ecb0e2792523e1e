/**
 * Work on messages. Claims of a row that no outcome has followed are `open_claims`; rows of `quarantined_at` are not claimed, and
 * have no `due_at`. Scans and reparses of deleted messages are removed when they are due.
 *
 * `scheduled_email` has mails that arrive later, with the ids as which they arrive in `messages`, once that has begun; and
 * messages that were accepted and are held until they become visible, with `accepted_at` and `held_bytes`. `is_deleted` marks
 * those whose server was emptied or deleted: their bytes are removed in small steps. `reread` has emails that could not be
 * parsed when they arrived, `scanner` the link scanners of servers:
 * `settings` is null for one that was removed, `version` is that of the service at the last change.
 */
export const queues = `
create table scheduled_email (
  id text primary key,
  server text not null,
  send_at real not null,
  due_at real,
  claimed_due_at real,
  attempts integer not null,
  lease text,
  open_claims integer not null default 0,
  quarantined_at real,
  messages text,
  accepted_at real,
  held_bytes integer,
  is_deleted integer not null default 0,
  json text not null,
  raw_size integer not null
) strict;
create index scheduled_email_due on scheduled_email (due_at);
create index scheduled_email_dead on scheduled_email (due_at) where open_claims >= 2;
create index scheduled_email_server on scheduled_email (server);
create index scheduled_email_held on scheduled_email (server, held_bytes) where held_bytes is not null;
create index scheduled_email_held_order on scheduled_email (server, send_at, id) where held_bytes is not null;
create table scheduled_chunk (
  email text not null,
  position integer not null,
  bytes blob not null,
  primary key (email, position)
) strict;

create table reread (
  message text primary key,
  due_at real,
  claimed_due_at real,
  attempts integer not null,
  lease text,
  open_claims integer not null default 0,
  quarantined_at real
) strict, without rowid;
create index reread_due on reread (due_at);
create index reread_dead on reread (due_at) where open_claims >= 2;

create table scanner (server text primary key, version integer not null, settings text) strict, without rowid;
create table scan (
  message text primary key,
  server text not null,
  due_at real,
  claimed_due_at real,
  attempts integer not null,
  lease text,
  open_claims integer not null default 0,
  quarantined_at real
) strict, without rowid;
create index scan_server on scan (server, due_at);
create index scan_due on scan (due_at);
create index scan_dead on scan (due_at) where open_claims >= 2;
`;
