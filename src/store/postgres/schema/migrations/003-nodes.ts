/**
 * Coordination of nodes: leases of background work. Also the names of large content outside the database: `outside`
 * replaces the chunks of a part, `outside_gone` lists objects to be removed from `due_at` on, because their message was
 * deleted or never stored.
 */
export const nodes = `
create table lease (
  task text collate "C" primary key,
  holder text not null,
  ends_at timestamptz not null
);

create table outside (
  server_id bigint not null,
  epoch bigint not null,
  slot uuid not null,
  part smallint not null,
  name uuid not null,
  primary key (server_id, epoch, slot, part)
);

create table outside_gone (
  server_id bigint not null,
  name uuid not null,
  due_at timestamptz not null,
  primary key (server_id, name)
);
create index outside_gone_due on outside_gone (due_at);
`;
