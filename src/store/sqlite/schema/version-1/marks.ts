/**
 * What is stored about messages beside their content. Annotations are JSON documents: `bytes` is a zstd frame, `size` its size
 * before compression; 0 where it is plain. A row of `mark` exists once a message was marked: `flags` are bits, `tags` a JSON
 * array of texts, `sequence` the number of the last change of the row, `hidden_from` a JSON array of readers.
 */
export const marks = `
create table annotation (
  epoch integer not null,
  id blob not null,
  kind text not null,
  size integer not null,
  bytes blob not null,
  primary key (epoch, id, kind)
) strict, without rowid;

create table mark (
  epoch integer not null,
  id blob not null,
  flags integer not null,
  tags text not null,
  sequence integer not null,
  hidden_from text,
  primary key (epoch, id)
) strict, without rowid;
create index mark_change on mark (epoch, sequence);
create index mark_hidden on mark (epoch, sequence) where hidden_from is not null;
`;
