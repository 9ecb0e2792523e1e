/** Runs the tests of the drill with the server, `pg_dump` and `pg_restore` of this machine, for `npm run compat:drill`. */
import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgres } from "../src/store/postgres/embedded-postgres.test-aid.ts";

const names = ["initdb", "postgres", "pg_dump", "pg_restore"];
const folders = [...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed(), "/usr/local/bin", "/usr/bin"];
const programs = folders.find((folder) => names.every((name) => existsSync(join(folder, name))));
if (programs === undefined) throw new Error(`no folder has ${names.join(", ")}: is PostgreSQL installed?`);

await using postgres = await EmbeddedPostgres.start({ durable: false, programs });
const environment = { RESTANTE_TEST_POSTGRES: postgres.url(), RESTANTE_TEST_PG_PROGRAMS: programs };
const { status } = spawnSync("npx", ["vitest", "run", "test/journeys/drill-postgres.test.ts"], {
  env: { ...process.env, ...environment },
  stdio: "inherit",
});
if (status !== 0) process.exitCode = 1;
else console.log(`the drill of PostgreSQL passed with the programs in ${programs}`);
