import { presentParts } from "../../search/expression-sql.ts";
import { hasPart } from "../search/expression-dialect.ts";

/**
 * Messages, the purge queue, and `probe`, which checks of the disk fill and clear.
 *
 * A message has rows in four tables, so that each query reads only what it needs: `message` (lists), `subject` (narrow, for
 * scans of subjects and search fields), `address` (senders and recipients), `content` (everything large). The first two are
 * clustered by (epoch, id): one range is one server's messages of one direction by time. Blobs are zstd frames (`compression.ts`) where their
 * `_size` column has the size before compression, and plain where it is null. Where `raw` is null, it follows the detail in the
 * same frame, and the body that searches compare follows both. Raw bytes that are too large for one column have rows of 256 KiB
 * in `raw_chunk`, so that a download reads them chunk by chunk: their numbers are the number of the content times 65536 plus
 * their position.
 *
 * Checksums (CRC-32) detect changes of rows on disk. That of `message` covers the summary, that of `content` the id of its
 * message, the addresses and the sizes; its frames have their own.
 */
export const messages: string = `
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

create table probe (filler blob) strict;

create table purge (
  epoch integer primary key,
  server integer,
  message_count integer not null
) strict;
`;

/**
 * Text index: segments of signatures and filters of subjects, bodies and search fields (`store/signatures`). A segment covers
 * the changes of one epoch from `first_sequence` to `last_sequence` and numbers the messages among them by direction and id:
 * those received first. The keys of its pages are its number · 2^37 + page; pages from 1 on have the ids, sixteen bytes
 * each. `state` is 0 while it is written, 1 while searches use it, 2 when it was
 * dropped.
 */
export const textIndex = `
create table text_segment (
  number integer primary key autoincrement,
  epoch integer not null,
  state integer not null,
  first_sequence integer not null,
  last_sequence integer not null,
  size integer not null,
  received_size integer not null,
  received_first blob,
  received_last blob,
  sent_first blob,
  sent_last blob,
  unindexed text not null
) strict;
create index text_segment_epoch on text_segment (epoch, state);
create index text_segment_state on text_segment (state) where state <> 1;

create table text_page (number integer primary key, bytes blob not null) strict;
`;
