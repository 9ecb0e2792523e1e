/**
 * Flags and tags of messages, of which a row exists once a message was marked. `flags` are bits, `tags` a JSON array of
 * texts, `sequence` the number of the last change of the row.
 */
export const marks = `
create table mark (
  epoch integer not null,
  id blob not null,
  flags integer not null,
  tags text not null,
  sequence integer not null,
  primary key (epoch, id)
) strict, without rowid;
create index mark_change on mark (epoch, sequence);
`;
