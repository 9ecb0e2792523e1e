import { account, faults, people, providerObjects } from "./account.ts";
import type { Tables } from "./schema-dialect.ts";
import { callbackDeliveries, callbackTargets, outbound, queues } from "./work.ts";

/** Returns the tables of version 1 that both databases have: all but those of the content of messages and of the text index. */
export const sharedTables: Tables = (dialect) =>
  [servers, marks, account, people, providerObjects, faults, outbound, callbackTargets, callbackDeliveries, queues]
    .map((tables) => tables(dialect))
    .join("");

/**
 * Servers, the journal of their changes, what they stored and sent by day and team ('' for none; the server is that of records
 * of the account once only teams are kept), and what is stored about messages beside their content. Annotations are JSON documents: `bytes` is a zstd
 * frame, `size` its size before compression; 0 where it is plain. A row of `mark` exists once a message was marked: `flags` are
 * bits, `tags` a JSON array of texts, `sequence` the number of the last change of the row, `hidden_from` a JSON array of readers.
 */
const servers: Tables = ({ key, instant, bigint, sqlite, postgres, ...dialect }) => `
create table server (
  ${sqlite("number integer primary key autoincrement, id text not null unique")}
  ${postgres(`server_id bigint primary key, id ${key} not null`)},
  name text not null,
  name_folded ${key} not null,
  team ${key},
  password text not null,
  users text not null default '[]',
  retention_age_seconds_max ${instant},
  retention_message_count_max ${instant},
  -- Null where the default applies.
  quota_messages ${bigint},
  quota_bytes ${bigint},
  reader_deletion text not null,
  created_at ${instant} not null,
  expires_at ${instant},
  epoch ${bigint} not null ${sqlite("unique")},
  uid_validity ${bigint} not null,
  sequence ${bigint} not null default 0,
  received_count ${bigint} not null default 0,
  sent_count ${bigint} not null default 0,
  -- Raw bytes, details and annotations before compression.
  byte_count ${bigint} not null default 0,
  retired ${bigint} not null default 0,
  traffic_at ${instant} not null default 0,
  is_protected integer not null default 0
) ${dialect.table}${postgres("with (fillfactor = 50)")};
create index server_age on server (created_at, id);
create index server_team on server (team) where team is not null;
create index server_expiry on server (expires_at) where expires_at is not null;
create index server_rules on server (id)
  where retention_age_seconds_max is not null or retention_message_count_max is not null;

create table change (
  ${dialect.serverNumber} not null,
  sequence ${bigint} not null,
  kind integer not null,
  id ${sqlite("blob")}${postgres("uuid")},
  primary key (${dialect.serverColumn}, sequence)
) ${dialect.clustered};

create table usage (
  ${sqlite("server text")}${postgres("server_id bigint")} not null,
  day integer not null,
  team ${key} not null,
  email ${bigint} not null default 0,
  sms ${bigint} not null default 0,
  bytes ${bigint} not null default 0,
  outbound ${bigint} not null default 0,
  primary key (${sqlite("day, team, server")}${postgres("server_id, day, team")})
) ${dialect.clustered}${postgres("with (fillfactor = 50)")};
${postgres("create index usage_day on usage (day);")}
`;

/** See {@link servers}. */
const marks: Tables = ({ key, bytes, bigint, message, epochColumns, slotColumn, clustered, postgres }) => `
create table annotation (
  ${message},
  kind ${key} not null,
  size integer not null,
  bytes ${bytes} not null,
  primary key (${epochColumns}, ${slotColumn}, kind)
) ${clustered};
${postgres("alter table annotation alter column bytes set storage external;")}

create table mark (
  ${message},
  flags integer not null,
  tags ${key} not null,
  sequence ${bigint} not null,
  hidden_from ${key},
  primary key (${epochColumns}, ${slotColumn})
) ${clustered};
create index mark_change on mark (${epochColumns}, sequence);
create index mark_hidden on mark (${epochColumns}, sequence) where hidden_from is not null;
`;

/** Returns the error for the operator when a newer release has migrated the database so that this one cannot use it. */
export function newerSchemaError(found: {
  /** Schema version of the database. */
  readonly version: number;
  /** Oldest schema version that a release must support to use the database. */
  readonly needed: number;
  /** Schema version of this release. */
  readonly supported: number;
}): Error {
  return new Error(
    `The database has schema version ${found.version} and requires a release that supports version ${found.needed}, ` +
      `but this release supports versions up to ${found.supported}: start the newer release, or restore a backup made before the upgrade (databases of development versions before the first release cannot be used)`,
  );
}
