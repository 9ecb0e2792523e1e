/**
 * Flags and tags of messages, of which a row exists once a message was marked. `flags` are bits, `tags` a JSON array of
 * texts, `sequence` the number of the last change of the row.
 */
export const marks = `
create table mark (
  server_id bigint not null,
  epoch bigint not null,
  slot uuid not null,
  flags integer not null,
  tags text collate "C" not null,
  sequence bigint not null,
  primary key (server_id, epoch, slot)
);
create index mark_change on mark (server_id, epoch, sequence);
`;
