import type { Database } from "../connection/database.ts";

/** Tables that Citus distributes by server; all rows of one server are then on one machine. */
export const serverTables: readonly string[] = [
  "server",
  "message",
  "chunk",
  "address",
  "annotation",
  "mark",
  "change",
  "purge",
  "usage",
  "outside",
  "outside_gone",
  "text_progress",
  "text_segment",
  "text_page",
];

/** Small account tables, which Citus copies to every machine. */
export const accountTables: readonly string[] = [
  "api_key",
  "account_user",
  "team",
  "team_limit",
  "membership",
  "device",
  "dns_zone",
  "outbox",
  "verified_address",
  "verification_mail",
  "repeatable",
  "phone_number",
  "sign_in",
  "audit",
  "reread",
  "provider_object",
  "scheduled_email",
  "scheduled_chunk",
  "callback_target",
  "callback_cursor",
  "callback_purge",
  "callback_delivery",
  "callback_report",
  "callback_failure",
  "fault_list",
  "fault_rule",
  "fault_hit",
  "fault_triple",
  "scanner",
  "scan",
];

/** Reference tables, of which every machine has a copy. */
const referenceTables: readonly string[] = ["restante_schema", "state", "lease", ...accountTables];

/** Whether the tables are distributed over several machines. */
export async function isDistributed(database: Database): Promise<boolean> {
  if (!(await hasCitus(database))) return false;
  return (await listDistributed(database)).has("message");
}

/**
 * Distributes the tables of a migrated database by server; distributed tables are not changed. Rejects with a plain `Error` for
 * the operator where Citus is absent.
 */
export async function distribute(database: Database): Promise<void> {
  if (!(await hasCitus(database))) {
    throw new Error(
      "The Citus extension is not installed: install it on every machine, add it to shared_preload_libraries, " +
        "run `create extension citus` in this database, and run the command again; without Citus all tables stay on one machine",
    );
  }
  const done = await listDistributed(database);
  for (const table of referenceTables.filter((one) => !done.has(one))) {
    await database.query("select create_reference_table($1)", [table]);
  }
  for (const [index, table] of serverTables.entries()) {
    if (done.has(table)) continue;
    const sibling = index === 0 ? "none" : serverTables[0];
    await database.query("select create_distributed_table($1, 'server_id', colocate_with => $2)", [table, sibling]);
  }
}

async function hasCitus(database: Database): Promise<boolean> {
  return (await database.query("select 1 from pg_extension where extname = 'citus'")).length > 0;
}

async function listDistributed(database: Database): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ name: string }>("select logicalrelid::text as name from pg_dist_partition");
  return new Set(rows.map(({ name }) => name));
}
