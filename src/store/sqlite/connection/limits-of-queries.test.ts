import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { constants, DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";

const store = join(import.meta.dirname, "..", "..");

describe("limits of queries", () => {
  it("are expressions in all statements of the store", () => {
    const files = globSync("{callbacks,queues,records,sqlite}/**/*.ts", { cwd: store, exclude: ["**/*.test.ts"] });
    const limits = files.flatMap((file) => {
      const found =
        readFileSync(join(store, file), "utf8").match(/\blimit (?:(?:[?:@]\w*|\$\d+)(?: \+ 0)?|cast\(\$)/gi) ?? [];
      return found.map((limit) => ({ file, limit }));
    });
    expect(limits.length).toBeGreaterThan(20);
    expect(limits.filter(({ limit }) => !limit.endsWith(" + 0") && !limit.endsWith("cast($"))).toEqual([]);
  });

  // When the first one fails, SQLite no longer needs the second form: see docs/decisions/0092.
  it.each([
    { limit: "?", times: 3 },
    { limit: "? + 0", times: 0 },
  ])("`limit $limit` has SQLite compile a statement $times times in 3 executions", ({ limit, times }) => {
    using database = new DatabaseSync(":memory:");
    database.exec("create table item (id integer primary key)");
    let compilations = 0;
    database.setAuthorizer((action) => {
      if (action === constants.SQLITE_SELECT) compilations += 1;
      return constants.SQLITE_OK;
    });
    const statement = database.prepare(`select id from item order by id limit ${limit}`);
    compilations = 0;
    for (let count = 1; count <= 3; count += 1) statement.all(count);
    expect(compilations).toBe(times);
  });
});
