import { hasPart, presentParts } from "../../search/present-parts.ts";

/**
 * Servers with their messages, the journal of changes and the purge queue.
 *
 * A message has rows in four tables, so that each query reads only what it needs: `message` (lists), `subject` (narrow, for
 * scans of subjects and search fields), `address` (senders and recipients), `content` (everything large). The first two are
 * clustered by (epoch, id): one range is one server's messages of one direction by time. Blobs are zstd frames where their
 * `_size` column has the size before compression, and plain where it is null. Where `raw` is null, it follows the detail in the
 * same frame, and the body that searches compare follows both. Raw bytes that are too large for one column have rows of 256 KiB
 * in `raw_chunk`, so that a download reads them chunk by chunk: their numbers are the number of the content times 65536 plus
 * their position.
 *
 * Checksums (CRC-32) detect changes of rows on disk. That of `message` covers the summary, that of `content` the id of its
 * message, the addresses and the sizes; its frames have their own.
 */
export const messages: string = `
create table server (
  number integer primary key autoincrement,
  id text not null unique,
  name text not null,
  name_folded text not null,
  password text not null,
  users text not null default '[]',
  retention_age_seconds_max real,
  retention_message_count_max real,
  -- Null where the default applies.
  quota_messages integer,
  quota_bytes integer,
  reader_deletion text not null,
  created_at real not null,
  expires_at real,
  epoch integer not null unique,
  uid_validity integer not null,
  sequence integer not null default 0,
  received_count integer not null default 0,
  sent_count integer not null default 0,
  -- Raw bytes, details and annotations before compression.
  byte_count integer not null default 0,
  retired integer not null default 0
) strict;
create index server_age on server (created_at, id);
create index server_expiry on server (expires_at) where expires_at is not null;
create index server_rules on server (id)
  where retention_age_seconds_max is not null or retention_message_count_max is not null;

create table message (
  epoch integer not null,
  id blob not null,
  sequence integer not null,
  content integer not null,
  checksum integer not null,
  summary blob not null,
  primary key (epoch, id)
) strict, without rowid;
create unique index message_sequence on message (epoch, sequence);

create table subject (
  epoch integer not null,
  id blob not null,
  content integer not null,
  text text not null,
  -- Size of the raw bytes.
  size integer not null,
  -- Names, addresses, ids, file names and codes (core/search/search-fields.ts).
  fields text not null,
  primary key (epoch, id)
) strict, without rowid;
${presentParts.map((part) => `create index subject_with_${part} on subject (epoch, id) where ${hasPart(part)};`).join("\n")}

create table content (
  number integer primary key,
  addresses text not null,
  detail_size integer,
  raw_size integer,
  body_size integer,
  raw_chunk_count integer not null default 0,
  checksum integer,
  detail blob not null,
  body blob,
  raw blob
) strict;
create table raw_chunk (
  number integer primary key,
  bytes blob not null
) strict;
create trigger raw_chunk_of_removed_content after delete on content when old.raw_chunk_count > 0 begin
  delete from raw_chunk where number between old.number * 65536 and old.number * 65536 + 65535;
end;

create table address (
  epoch integer not null,
  role integer not null,
  address text not null,
  id blob not null,
  primary key (epoch, role, address, id)
) strict, without rowid;

create table change (
  server integer not null,
  sequence integer not null,
  kind integer not null,
  id blob,
  primary key (server, sequence)
) strict, without rowid;

create table purge (
  epoch integer primary key,
  server integer,
  message_count integer not null
) strict;
`;
