/** Stands in for `pg_dump` and `pg_restore` where they are not installed: copies the rows of all tables but those of the text index. */
import { readFile, writeFile } from "node:fs/promises";
import { openDatabase } from "../../src/store/postgres/connection/database.ts";
import { migrateDatabase } from "../../src/store/postgres/open.ts";
import { accountTables, serverTables } from "../../src/store/postgres/schema/citus.ts";

/** Rows of a table, whose columns are texts in the order of their positions. */
interface TableCopy {
  readonly table: string;
  readonly names: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

const [program = "", ...argv] = process.argv.slice(2);
const { PGUSER = "", PGHOST = "", PGPORT = "", PGDATABASE = "" } = process.env;
const urlOf = (database: string): string => `postgres://${PGUSER}@${PGHOST}:${PGPORT}/${database}`;
const flag = (name: string): string => argv.find((one) => one.startsWith(`--${name}=`))?.split("=")[1] ?? "";

async function dump(url: string, file: string): Promise<void> {
  const database = openDatabase(url);
  const copies = await database.read("", async (session) => {
    const tables: TableCopy[] = [];
    for (const table of [...serverTables, ...accountTables].filter((name) => !name.startsWith("text_"))) {
      const columns = await session.query<{ name: string }>(
        "select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 order by attnum",
        [table],
      );
      const names = columns.map(({ name }) => name);
      const texts = names.map((name) => `${name}::text`).join(", ");
      const rows = await session.query<{ row: TableCopy["rows"][number] }>(
        `/* all servers */ select array[${texts}] as row from ${table}`,
      );
      tables.push({ table, names, rows: rows.map(({ row }) => row) });
    }
    return tables;
  });
  await database.close();
  await writeFile(file, JSON.stringify(copies));
}

async function restore(file: string, url: string): Promise<void> {
  await migrateDatabase({ url });
  const database = openDatabase(url);
  for (const { table, names, rows } of JSON.parse(await readFile(file, "utf8")) as readonly TableCopy[]) {
    const places = names.map((_, index) => `$${index + 1}`).join(", ");
    for (const row of rows) {
      await database.query(`insert into ${table} (${names.join(", ")}) values (${places})`, row);
    }
  }
  await database.close();
}

if (argv.includes("--version")) process.exit(0);
if (program === "pg_dump") await dump(urlOf(PGDATABASE), flag("file"));
else await restore(argv.at(-1) ?? "", urlOf(flag("dbname")));
