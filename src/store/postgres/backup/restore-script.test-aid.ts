/** Restore of backup scripts without `psql`. */
import { openDatabase } from "../connection/database.ts";

const unescaped: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", "\\": "\\" };

/**
 * Restores a backup script like `psql` (PostgreSQL documentation, COPY, "Text Format"), or, like `pg_restore`, what it copies
 * alone.
 */
export async function restoreScript(script: string, url: string, copiesOnly = false): Promise<void> {
  const database = openDatabase(url);
  try {
    const copies = script.matchAll(/^copy (\w+) \(([^)]*)\) from stdin;\n([^]*?)^\\\.$/gm);
    for (const [, table = "", columns = "", lines = ""] of copies) {
      for (const line of lines.split("\n").slice(0, -1)) {
        const values = line.split("\t").map((column) => {
          if (column === String.raw`\N`) return null;
          return column.replaceAll(/\\(.)/g, (_, character: string) => unescaped[character] ?? character);
        });
        const places = values.map((_, index) => `$${index + 1}`).join(", ");
        await database.query(`insert into ${table} (${columns}) values (${places})`, values);
      }
    }
    if (copiesOnly) return;
    for (const [statement] of script.matchAll(/^update (?:state|server) set .*;$/gm)) await database.query(statement);
  } finally {
    await database.close();
  }
}
