/**
 * What makes parts of bodies quick to find in large servers; all of it can be made again from `message`. `indexed_text`
 * copies bodies for an index of trigrams, which is made where the extensions for it can be had. `text_index` has a row for
 * each server that is indexed: messages up to the number `up_to` are, 0 is none. Where `walk_to` is not null, all its
 * messages are being gone through by slot, behind `walk_slot`, after which those up to that number are indexed.
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
