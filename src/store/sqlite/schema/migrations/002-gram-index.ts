/**
 * Text index. A segment covers the changes of one epoch from `first_sequence` to `last_sequence` and numbers the
 * messages among them by direction and id: those received first. The keys of its pages start with its number:
 * `gram_page` at number · 2^37 + page, `gram_set` at number · 2^20 + page, `gram_member` (ids, sixteen bytes each) at
 * number · 2^16 + block. `state` is 0 while it is written, 1 while searches use it, 2 when it was dropped.
 */
export const gramIndex = `
create unique index message_sequence on message (epoch, sequence);

create table gram_segment (
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
create index gram_segment_epoch on gram_segment (epoch, state);
create index gram_segment_state on gram_segment (state) where state <> 1;

create table gram_page (number integer primary key, bytes blob not null) strict;
create table gram_set (number integer primary key, bytes blob not null) strict;
create table gram_member (number integer primary key, bytes blob not null) strict;
`;
