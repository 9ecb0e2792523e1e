/**
 * Text index of large servers; all of it can be rebuilt from `message`. `indexed_text` copies bodies for an index of
 * trigrams, which is created if its extensions are available. `text_index` has a row for each indexed server: messages up
 * to the sequence number `up_to` are indexed (0: none). While `walk_to` is not null, all of its messages are indexed in
 * order of their slots, starting after `walk_slot`; afterwards those up to `walk_to` are indexed.
 */
export const indexedText = `
create table indexed_text (
  server_id bigint not null,
  epoch bigint not null,
  slot uuid not null,
  body text collate "C" not null,
  primary key (server_id, epoch, slot)
);
alter table indexed_text
  alter column body set storage external,
  alter column body set statistics 0;

create table text_index (
  server_id bigint primary key,
  epoch bigint not null,
  up_to bigint not null,
  walk_to bigint,
  walk_slot uuid not null
) with (fillfactor = 50);
`;
