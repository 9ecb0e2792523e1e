/**
 * What nodes have between them: who does which background work until when, and which content outside the database is to go.
 * `message.outside` names the content of a message that lies there; its chunk counts are -1.
 */
export const nodes = `
create table lease (
  task text collate "C" primary key,
  holder text not null,
  ends_at timestamptz not null
);

alter table message add column outside uuid;

create table outside_gone (
  server_id bigint not null,
  outside uuid not null,
  due_at timestamptz not null,
  primary key (server_id, outside)
);
create index outside_gone_due on outside_gone (due_at);
`;
