/**
 * Fault rules, their last hits and the triples of greylisting. `server` is '' for rules of the service. `stages` are between
 * commas; `client_address` is the one address of a rule for stages before RCPT. A row of `fault_list` has the keys of the rules
 * of a server that has rules, or had some; its version is that of the service at the last change of the list. `number` of a hit
 * counts from 1.
 */
export const faults = `
create table fault_list (
  server text primary key,
  version integer not null,
  keys text not null
) strict, without rowid;

create table fault_rule (
  server text not null,
  position integer not null,
  stages text not null,
  client_address text,
  rule text not null,
  state text not null,
  primary key (server, position)
) strict, without rowid;
create index fault_rule_address on fault_rule (client_address) where client_address is not null;

create table fault_hit (
  server text not null,
  position integer not null,
  number integer not null,
  hit text not null,
  primary key (server, position, number)
) strict, without rowid;

create table fault_triple (
  server text not null,
  position integer not null,
  key text not null,
  first_tried_at real not null,
  primary key (server, position, key)
) strict, without rowid;
create index fault_triple_age on fault_triple (server, position, first_tried_at);
`;
