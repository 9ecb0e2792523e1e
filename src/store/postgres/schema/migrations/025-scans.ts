/**
 * Link scanners of servers, and messages that they scan. `settings` is null for a scanner that was removed; its version is
 * that of the service at the last change. Scans of deleted messages are removed when they are due.
 */
export const scans = `
alter table state add column scanner_version bigint not null default 0;
create table scanner (server_id bigint primary key, version bigint not null, settings text);
create index scanner_version on scanner (version);
create table scan (
  message uuid primary key,
  server_id bigint not null,
  due_at double precision not null,
  attempts integer not null,
  lease text collate "C"
);
create index scan_server on scan (server_id, due_at);
create index scan_due on scan (due_at);
`;
