import { isDistributed } from "../schema/citus.ts";
import type { Database, Session } from "../connection/database.ts";
import { sqlStateOf } from "../connection/errors.ts";

/** Letters that the index knows beside those of ASCII: the locale of a database decides what a letter is. */
export type Alphabet = "ascii" | "any";

/** Whether bodies can be indexed in a database, and if not, why, for the operator. */
export type TextIndexSetup =
  | { readonly isReady: true; readonly alphabet: Alphabet }
  | { readonly isReady: false; readonly why: string };

/** `btree_gin` lets the index of trigrams lead with the epoch, which is one server's. */
const extensions = ["pg_trgm", "btree_gin"];

/**
 * Makes the index of trigrams in a migrated database where there is none, and the extensions that it needs, which an
 * operator may have made before. Whoever may not, or has none to make, is answered so: searches then read texts.
 */
export async function setUpTextIndex(database: Database): Promise<TextIndexSetup> {
  if (await isDistributed(database)) return { isReady: false, why: "the tables are divided by Citus" };
  try {
    if (!(await hasIndex(database))) await database.transact(makeIndex);
    return { isReady: true, alphabet: await readAlphabet(database) };
  } catch (error) {
    // What the database refuses is lacking; anything else is for the caller.
    if (sqlStateOf(error) === undefined) throw error;
    return { isReady: false, why: error instanceof Error ? error.message : String(error) };
  }
}

async function hasIndex(session: Session): Promise<boolean> {
  // Not by to_regclass: it may remember from before it waited for another node that there is none.
  const sql = "select 1 from pg_class where relname = 'indexed_text_grams' and pg_table_is_visible(oid)";
  return (await session.query(sql)).length > 0;
}

async function makeIndex(session: Session): Promise<void> {
  // One node at a time, as with the steps of the schema.
  await session.query("select 1 from restante_schema for update");
  if (await hasIndex(session)) return;
  for (const extension of extensions) {
    // Who may not make extensions may use those that are there.
    if ((await schemaOf(session, extension)) === undefined) await session.query(`create extension ${extension}`);
  }
  const schema = (await schemaOf(session, "pg_trgm")) ?? "public";
  // Nothing else can answer for `epoch + 0`: the planner, who does not know what reading a text costs, has no choice.
  await session.query(
    `create index indexed_text_grams on indexed_text using gin ((epoch + 0), body ${schema}.gin_trgm_ops)`,
  );
}

/** The schema that an extension lies in, quoted; undefined where the database has it not. */
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
