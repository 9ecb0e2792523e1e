/** Mails that arrive later; `messages` are the ids as which they arrive, once that has begun. */
export const scheduledEmails = `
create table scheduled_email (
  id text primary key,
  server text not null,
  send_at real not null,
  due_at real not null,
  attempts integer not null,
  lease text,
  messages text,
  json text not null,
  raw_size integer not null
) strict;
create index scheduled_email_due on scheduled_email (due_at);
create index scheduled_email_server on scheduled_email (server);
create table scheduled_chunk (
  email text not null,
  position integer not null,
  bytes blob not null,
  primary key (email, position)
) strict;
`;
