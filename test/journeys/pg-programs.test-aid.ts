/** Stands in for `pg_dump` and `pg_restore` where they are not installed, with the script by which the store copies itself. */
import { readFile } from "node:fs/promises";
import { restoreScript } from "../../src/store/postgres/backup/restore-script.test-aid.ts";
import { migrateDatabase, openPostgresStore } from "../../src/store/postgres/open.ts";

const [program = "", ...argv] = process.argv.slice(2);
const { PGUSER = "", PGHOST = "", PGPORT = "", PGDATABASE = "" } = process.env;
const urlOf = (database: string): string => `postgres://${PGUSER}@${PGHOST}:${PGPORT}/${database}`;
const flag = (name: string): string => argv.find((one) => one.startsWith(`--${name}=`))?.split("=")[1] ?? "";

if (argv.includes("--version")) process.exit(0);
if (program === "pg_dump") {
  const store = await openPostgresStore({ url: urlOf(PGDATABASE) });
  await store.backup(flag("file"));
  await store.close();
} else {
  const url = urlOf(flag("dbname"));
  await migrateDatabase({ url });
  await restoreScript(await readFile(argv.at(-1) ?? "", "utf8"), url, true);
}
