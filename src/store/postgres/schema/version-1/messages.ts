import { hasPart, presentParts } from "../../search/present-parts.ts";

/**
 * Servers with their messages, the journal of changes and the purge queue. Every key begins with the server (`server_id`, the id
 * read as base 36), by which the tables can be distributed; no sequence of the database numbers anything.
 *
 * A message is one row of `message`, found by (server_id, epoch, slot): one range is one server's messages of one direction by
 * time. Its large columns are stored out of line, so that lists do not read them. `address` maps keys of addresses to slots.
 * Blobs are zstd frames where their `_size` column has the size before compression, and plain where it is null. Where `raw` is
 * null, it follows the detail in the same frame. Where a `_chunk_count` is not 0, the part is in that many rows of `chunk`
 * instead, or outside of the database: `outside` has the names of such content, `outside_gone` those of objects to be removed
 * from `due_at` on, because their message was deleted or never stored. `usage` counts by server and day, so that servers do not
 * wait for each other.
 */
export const messages: string = `
create table server (
  server_id bigint primary key,
  name text not null,
  name_folded text collate "C" not null,
  password text not null,
  users text not null default '[]',
  retention_age_seconds_max double precision,
  retention_message_count_max double precision,
  -- Null where the default applies.
  quota_messages bigint,
  quota_bytes bigint,
  reader_deletion text not null,
  created_at double precision not null,
  expires_at double precision,
  epoch bigint not null,
  uid_validity bigint not null,
  sequence bigint not null default 0,
  received_count bigint not null default 0,
  sent_count bigint not null default 0,
  -- Raw bytes, details and annotations before compression.
  byte_count bigint not null default 0,
  retired bigint not null default 0
) with (fillfactor = 50);
create index server_age on server (created_at, server_id);
create index server_expiry on server (expires_at) where expires_at is not null;
create index server_rules on server (server_id)
  where retention_age_seconds_max is not null or retention_message_count_max is not null;

create table message (
  server_id bigint not null,
  epoch bigint not null,
  slot uuid not null,
  id uuid not null,
  sequence bigint not null,
  -- Bytes that count against the quota of the server, without annotations.
  bytes bigint not null,
  -- Size of the raw bytes.
  size integer not null,
  detail_size integer,
  raw_size integer,
  detail_chunk_count integer not null,
  raw_chunk_count integer not null,
  summary text collate "C" not null,
  subject text collate "C" not null,
  -- Names, addresses, ids, file names and codes (core/search/search-fields.ts).
  fields text collate "C" not null,
  body text collate "C" not null,
  addresses bytea not null,
  detail bytea not null,
  raw bytea,
  primary key (server_id, epoch, slot)
);
alter table message
  alter column body set storage external,
  alter column detail set storage external,
  alter column raw set storage external;
do $$ begin
  -- Halves the write-ahead log and the disk space of a message. Without lz4, which usual builds of PostgreSQL 14 and later have,
  -- bodies stay uncompressed: the compression that every PostgreSQL has would cost four times everything else.
  execute 'alter table message alter column body set compression lz4, alter column body set storage extended';
exception when feature_not_supported or syntax_error then
  null;
end $$;
${presentParts.map((part) => `create index message_with_${part} on message (server_id, epoch, slot) where ${hasPart(part, "")};`).join("\n")}

create table chunk (
  server_id bigint not null,
  epoch bigint not null,
  slot uuid not null,
  part smallint not null,
  number integer not null,
  bytes bytea not null,
  primary key (server_id, epoch, slot, part, number)
);
alter table chunk alter column bytes set storage external;

create table outside (
  server_id bigint not null,
  epoch bigint not null,
  slot uuid not null,
  part smallint not null,
  name uuid not null,
  primary key (server_id, epoch, slot, part)
);
create table outside_gone (
  server_id bigint not null,
  name uuid not null,
  due_at timestamptz not null,
  primary key (server_id, name)
);
create index outside_gone_due on outside_gone (due_at);

create table address (
  server_id bigint not null,
  epoch bigint not null,
  key uuid not null,
  slot uuid not null,
  primary key (server_id, epoch, key, slot)
);

create table change (
  server_id bigint not null,
  sequence bigint not null,
  kind smallint not null,
  id uuid,
  primary key (server_id, sequence)
);

create table usage (
  server_id bigint not null,
  day integer not null,
  email bigint not null,
  sms bigint not null,
  primary key (server_id, day)
) with (fillfactor = 50);

create table dns_zone (
  server_id bigint primary key,
  zone text not null
);

create table purge (
  server_id bigint not null,
  epoch bigint not null,
  message_count bigint not null,
  primary key (server_id, epoch)
);
-- Allocates the first page of the purge queue and keeps it, so that emptying or deleting a server also works while the disk is
-- full. The row is deleted in the same transaction; without the parameter, vacuum would return the empty page to the disk.
do $$ begin
  execute 'alter table purge set (vacuum_truncate = false)';
exception when feature_not_supported or syntax_error or invalid_parameter_value then
  null;
end $$;
insert into purge (server_id, epoch, message_count) values (0, 0, 0);
delete from purge where server_id = 0 and epoch = 0;
`;
