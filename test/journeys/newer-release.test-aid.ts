/**
 * Command line tool of a newer release for tests: that of the sources, whose schema for PostgreSQL has further migrations, which
 * `TEST_MIGRATIONS` has as JSON.
 */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const sources = join(import.meta.dirname, "..", "..", "src");
const schema = pathToFileURL(join(sources, "store", "postgres", "schema", "schema.ts")).href;
const further = process.env["TEST_MIGRATIONS"] ?? "[]";

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== schema) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString("utf8");
    const changed = source.replace(/^\];$/m, `  ...${further},\n];`);
    if (changed === source) throw new Error("the list of migrations was not found");
    return { ...loaded, source: changed };
  },
});

await import(pathToFileURL(join(sources, "cli", "main.ts")).href);
