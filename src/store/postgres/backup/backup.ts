import { open, rm, type FileHandle } from "node:fs/promises";
import type { Database, Session } from "../connection/database.ts";
import { schemaVersion } from "../schema/schema.ts";
import { accountTables, derivedTables, serverTables } from "../schema/tables.ts";

/** Number of rows that one statement fetches. */
const rowCountPerFetch = 20;

/**
 * Writes a consistent copy of the store to `file`, which must not exist, while other calls continue: a script for `psql`
 * and a database that this version has migrated. Rejects with a plain `Error` for the operator when the file exists.
 */
export async function backupDatabase(database: Database, file: string): Promise<void> {
  const handle = await claim(file);
  try {
    await database.transact(async (session) => {
      await session.query("set transaction isolation level repeatable read, read only");
      await handle.writeFile(writeScript(session));
    });
    await handle.sync();
    await handle.close();
  } catch (error) {
    // Harmless: the file is removed, and the caller receives the first error.
    await handle.close().catch(() => undefined);
    await rm(file, { force: true });
    throw error;
  }
}

async function claim(file: string): Promise<FileHandle> {
  try {
    return await open(file, "wx", 0o600);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") {
      throw new Error(`The file ${file} already exists; choose another file name`, { cause: error });
    }
    throw error;
  }
}

async function* writeScript(session: Session): AsyncGenerator<string> {
  yield `-- restante, schema version ${schemaVersion}\nbegin;\n`;
  const tables = [...serverTables, ...accountTables].filter((table) => !derivedTables.has(table));
  for (const table of tables) yield* writeTable(session, table);
  const [state] = await session.query<{ phrases: string | null; uidValidity: number }>(
    `select quote_nullable(phrases) as phrases, uid_validity as "uidValidity" from state`,
  );
  yield `update state set phrases = ${state?.phrases ?? "null"};\n`;
  // Changes after the backup are lost, and their numbers are used again, which are UIDs.
  const least = `greatest(${(state?.uidValidity ?? 0) + 1}, extract(epoch from now())::bigint)`;
  yield `update state set uid_validity = ${least};\nupdate server set uid_validity = ${least};\ncommit;\n`;
}

/** Writes a table in the format of `copy … from stdin`: one row per line, columns separated by tabs. */
async function* writeTable(session: Session, table: string): AsyncGenerator<string> {
  const columns = await session.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
     order by attnum`,
    [table],
  );
  const names = columns.map(({ name }) => name);
  yield `copy ${table} (${names.join(", ")}) from stdin;\n`;
  const asText = names.map((name) => `${name}::text`).join(", ");
  await session.query(
    `/* all servers */ declare copied no scroll cursor for select array[${asText}] as row from ${table}`,
  );
  for (;;) {
    const rows = await session.query<{ row: readonly (string | null)[] }>(`fetch ${rowCountPerFetch} from copied`);
    if (rows.length === 0) break;
    yield rows.map(({ row }) => `${row.map(escapeColumn).join("\t")}\n`).join("");
  }
  await session.query("close copied");
  yield "\\.\n";
}

const escapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function escapeColumn(column: string | null): string {
  return column === null ? "\\N" : column.replaceAll(/[\\\t\n\r]/g, (character) => escapes[character] ?? "");
}
