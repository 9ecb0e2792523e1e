/**
 * What nodes have between them: who does which background work until when. And the names of large content that lies
 * outside the database: `outside` in the place of a part's chunks, `outside_gone` for what is to be removed there from
 * `due_at` on, be it that its message went or that its message never came.
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
