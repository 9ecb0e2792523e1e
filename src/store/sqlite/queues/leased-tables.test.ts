import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { leasedTables } from "../../queues/leased-tables.ts";
import { migrate } from "../schema/schema.ts";

const tables = Object.values(leasedTables)
  .map(({ table }) => table)
  .toSorted();

test("the quarantine knows every table whose rows are leased", () => {
  const database = new DatabaseSync(":memory:");
  migrate(database);
  const leased = database
    .prepare(
      `select distinct m.name from sqlite_schema m join pragma_table_info(m.name) c
       where m.type = 'table' and c.name in ('lease', 'due_at') order by m.name`,
    )
    .all()
    .map(({ name }) => name);
  expect(leased).toEqual(tables);
});
