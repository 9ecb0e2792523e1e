/** JSON documents about messages. `bytes` is a zstd frame, `size` its size before compression. */
export const annotations = `
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
`;
