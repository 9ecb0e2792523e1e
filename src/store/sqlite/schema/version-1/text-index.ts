/**
 * Text index: segments of signatures and filters of subjects, bodies and search fields (`store/signatures`). A segment covers
 * the changes of one epoch from `first_sequence` to `last_sequence` and numbers the messages among them by direction and id:
 * those received first. The keys of its pages start with its number: `text_page` at number · 2^37 + page, `text_member` (ids,
 * sixteen bytes each) at number · 2^16 + block. `state` is 0 while it is written, 1 while searches use it, 2 when it was
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
create table text_member (number integer primary key, bytes blob not null) strict;
`;
