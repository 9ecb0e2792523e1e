/** Link scanners of servers, and messages that they scan. Scans of deleted messages are removed when they are due. */
export const scans = `
create table scanner (server text primary key, settings text not null) strict, without rowid;
create table scan (
  message text primary key,
  server text not null,
  due_at real not null,
  attempts integer not null,
  lease text
) strict, without rowid;
create index scan_server on scan (server, due_at);
create index scan_due on scan (due_at);
`;
