import { describe, expect, test } from "vitest";
import { type Query, rowsOf, run, runAtOnce, type Statement } from "./query.ts";

/** Sets something back after its statement, whether that fails or not. */
function* guarded(): Query<string> {
  try {
    const [row] = yield* rowsOf<{ readonly text: string }>("read");
    return row?.text ?? "nothing";
  } finally {
    yield* rowsOf("set back");
  }
}

describe.each([
  [
    "at once",
    async (query: Query<string>, execute: (statement: Statement) => readonly unknown[]) =>
      await Promise.resolve().then(() => runAtOnce(query, execute)),
  ],
  [
    "one after the other",
    async (query: Query<string>, execute: (statement: Statement) => readonly unknown[]) =>
      await run(query, async (statement) => await Promise.resolve().then(() => execute(statement))),
  ],
])("a query that is executed %s", (_name, execute) => {
  test("gets the rows of its statements and returns its result", async () => {
    const executed: string[] = [];
    const result = await execute(guarded(), ({ sql }) => {
      executed.push(sql);
      return sql === "read" ? [{ text: "found" }] : [];
    });
    expect([result, executed]).toEqual(["found", ["read", "set back"]]);
  });

  test("cleans up after a statement that fails, and fails with its error", async () => {
    const executed: string[] = [];
    const failed = execute(guarded(), ({ sql }) => {
      executed.push(sql);
      if (sql === "read") throw new Error("no such table");
      return [];
    });
    await expect(failed).rejects.toThrow("no such table");
    expect(executed).toEqual(["read", "set back"]);
  });
});
