/**
 * Fault rules, their last hits and the triples of greylisting. `server_id` is -1 for rules of the service. A row of `fault_list`
 * has the keys of the rules of a server that has rules, or had some; its version is that of the service at the last change of
 * the list, and its lock serialises decisions. `number` of a hit counts from 1.
 */
export const faults = `
create table fault_list (server_id bigint primary key, version bigint not null, keys text not null);
create index fault_list_version on fault_list (version);

create table fault_rule (
  server_id bigint not null,
  position integer not null,
  stages text not null,
  client_address text,
  rule text not null,
  state text not null,
  primary key (server_id, position)
);
create index fault_rule_address on fault_rule (client_address) where client_address is not null;

create table fault_hit (
  server_id bigint not null,
  position integer not null,
  number bigint not null,
  hit text not null,
  primary key (server_id, position, number)
);

create table fault_triple (
  server_id bigint not null,
  position integer not null,
  key text not null,
  first_tried_at double precision not null,
  primary key (server_id, position, key)
);
create index fault_triple_age on fault_triple (server_id, position, first_tried_at);
`;
