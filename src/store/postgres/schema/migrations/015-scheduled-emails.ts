/** Mails that arrive later; `messages` are the ids as which they arrive, once that has begun. */
export const scheduledEmails = `
create table scheduled_email (
  id uuid primary key,
  server_id bigint not null,
  send_at double precision not null,
  due_at double precision not null,
  attempts integer not null,
  lease text,
  messages text,
  json text not null,
  raw_size bigint not null
);
create index scheduled_email_due on scheduled_email (due_at);
create index scheduled_email_server on scheduled_email (server_id);
create table scheduled_chunk (
  email uuid not null,
  position integer not null,
  bytes bytea not null,
  primary key (email, position)
);
`;
