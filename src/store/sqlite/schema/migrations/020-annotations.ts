/** JSON documents about messages. `bytes` is a zstd frame, `size` its size before compression; 0 where it is plain. */
export const annotations = `
create table annotation (
  epoch integer not null,
  id blob not null,
  kind text not null,
  size integer not null,
  bytes blob not null,
  primary key (epoch, id, kind)
) strict, without rowid;
`;
