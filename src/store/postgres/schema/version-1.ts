import { presentParts } from "../../search/expression-sql.ts";
import { hasPart } from "../search/expression-dialect.ts";

/**
 * Messages, the purge queue, and `lease`: leases of background work, by which nodes coordinate it. Every key begins with the server (`server_id`, the id
 * read as base 36), by which the tables can be distributed; no sequence of the database numbers anything.
 *
 * A message is one row of `message`, found by (server_id, epoch, slot): one range is one server's messages of one direction by
 * time. Its large columns are stored out of line, so that lists do not read them. `address` maps keys of addresses to slots.
 * Blobs are zstd frames (`compression.ts`) where their `_size` column has the size before compression, and plain where it is null. Where `raw` is
 * null, it follows the detail in the same frame. Where a `_chunk_count` is not 0, the part is in that many rows of `chunk`
 * instead, or outside of the database: `outside` has the names of such content, `outside_gone` those of objects to be removed
 * from `due_at` on, because their message was deleted or never stored.
 */
export const messages: string = `
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
create index message_sequence on message (server_id, sequence);
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
${presentParts.map((part) => `create index message_with_${part} on message (server_id, epoch, slot) where ${hasPart(part)};`).join("\n")}

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

create table lease (
  task text collate "C" primary key,
  holder text not null,
  ends_at timestamptz not null
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

/**
 * Text index of large servers: segments of signatures and filters of subjects, bodies and search fields (`store/signatures`). All
 * of it can be rebuilt from `message`.
 *
 * A segment covers up to 2048 messages; `slots` are theirs, 16 bytes each, ascending, and `groups` is page 0 of the layout.
 * `text_page` has its other pages, and under the negative number of `merged_filter` those of a filter that several segments
 * share. `text_progress` has a row for each indexed server: messages up to the sequence number `up_to` are in segments. `version`
 * changes with every change of the server's segments.
 */
export const textIndex = `
create table text_progress (
  server_id bigint primary key,
  epoch bigint not null,
  up_to bigint not null,
  version bigint not null
) with (fillfactor = 50);

create table text_segment (
  server_id bigint not null,
  epoch bigint not null,
  number bigint not null,
  size integer not null,
  is_full boolean not null,
  merged_filter bigint,
  received_first uuid,
  received_last uuid,
  sent_first uuid,
  sent_last uuid,
  groups text not null,
  unindexed text not null,
  slots bytea not null,
  primary key (server_id, epoch, number)
);
alter table text_segment alter column slots set storage external;

create table text_page (
  server_id bigint not null,
  epoch bigint not null,
  segment bigint not null,
  number integer not null,
  bytes bytea not null,
  primary key (server_id, epoch, segment, number)
);
alter table text_page alter column bytes set storage external;
do $$ begin
  -- Pages of filters are 2 kB and stay in the row.
  execute 'alter table text_page set (toast_tuple_target = 4096)';
exception when feature_not_supported or syntax_error or invalid_parameter_value then
  null;
end $$;
`;
