import { isDistributed } from "../schema/citus.ts";
import type { Database, Session } from "../connection/database.ts";
import { sqlStateOf } from "../connection/errors.ts";

/** Letters that the index contains: ASCII only, or any; the locale of the database decides what a letter is. */
export type Alphabet = "ascii" | "any";

/** Result of the setup: an index, or the reason for the operator why there is none. */
export type TextIndexSetup =
  | { readonly isReady: true; readonly alphabet: Alphabet }
  | { readonly isReady: false; readonly why: string };

/** `btree_gin` lets the trigram index begin with the epoch of a server. */
const extensions = ["pg_trgm", "btree_gin"];

/**
 * Creates the trigram index in a migrated database unless it exists, and the extensions that it needs unless an operator has
 * created them. Without the permission or the extensions it returns the reason: searches then scan texts.
 */
export async function setUpTextIndex(database: Database): Promise<TextIndexSetup> {
  if (await isDistributed(database)) return { isReady: false, why: "the tables are distributed by Citus" };
  try {
    if (!(await hasIndex(database))) await database.transact(makeIndex);
    return { isReady: true, alphabet: await readAlphabet(database) };
  } catch (error) {
    // Errors of the database are the reason; other errors are for the caller.
    if (sqlStateOf(error) === undefined) throw error;
    return { isReady: false, why: error instanceof Error ? error.message : String(error) };
  }
}

async function hasIndex(session: Session): Promise<boolean> {
  // Not to_regclass, which may use a cached result from before it waited for another node.
  const sql = "select 1 from pg_class where relname = 'indexed_text_grams' and pg_table_is_visible(oid)";
  return (await session.query(sql)).length > 0;
}

async function makeIndex(session: Session): Promise<void> {
  // The lock serialises nodes, as for migrations.
  await session.query("select 1 from restante_schema for update");
  if (await hasIndex(session)) return;
  for (const extension of extensions) {
    // A role that may not create extensions may use existing ones.
    if ((await schemaOf(session, extension)) === undefined) await session.query(`create extension ${extension}`);
  }
  const schema = (await schemaOf(session, "pg_trgm")) ?? "public";
  // Only this index contains `epoch + 0`, which forces the planner to use it: it underestimates the cost of reading texts.
  await session.query(
    `create index indexed_text_grams on indexed_text using gin ((epoch + 0), body ${schema}.gin_trgm_ops)`,
  );
}

/** Returns the quoted schema of an extension; undefined when it is not installed. */
async function schemaOf(session: Session, extension: string): Promise<string | undefined> {
  const [row] = await session.query<{ schema: string }>(
    "select extnamespace::regnamespace::text as schema from pg_extension where extname = $1",
    [extension],
  );
  return row?.schema;
}

async function readAlphabet(session: Session): Promise<Alphabet> {
  const schema = (await schemaOf(session, "pg_trgm")) ?? "public";
  const [row] = await session.query<{ count: number | null }>(
    `select cardinality(${schema}.show_trgm('яяя'))::int8 as count`,
  );
  return (row?.count ?? 0) > 0 ? "any" : "ascii";
}
