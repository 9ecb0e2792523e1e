/**
 * What is stored about messages beside their content. Annotations are JSON documents: `bytes` is a zstd frame, `size` its size
 * before compression. A row of `mark` exists once a message was marked: `flags` are bits, `tags` a JSON array of texts,
 * `sequence` the number of the last change of the row, `hidden_from` a JSON array of readers.
 */
export const marks = `
create table annotation (
  server_id bigint not null,
  epoch bigint not null,
  slot uuid not null,
  kind text collate "C" not null,
  size integer not null,
  bytes bytea not null,
  primary key (server_id, epoch, slot, kind)
);
alter table annotation alter column bytes set storage external;

create table mark (
  server_id bigint not null,
  epoch bigint not null,
  slot uuid not null,
  flags integer not null,
  tags text collate "C" not null,
  sequence bigint not null,
  hidden_from text collate "C",
  primary key (server_id, epoch, slot)
);
create index mark_change on mark (server_id, epoch, sequence);
create index mark_hidden on mark (server_id, epoch, sequence) where hidden_from is not null;
`;
