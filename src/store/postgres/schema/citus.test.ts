/** Store and node contracts on tables that Citus distributes between nodes. */
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../core/clock.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { describeStore } from "../../conformance/describe-store.ts";
import { folded, reopenable } from "../../conformance/setup.ts";
import { isCitus } from "./citus.test-aid.ts";
import { openDatabase } from "../connection/database.ts";
import { distributeDatabase, openPostgresStore } from "../open.ts";
import { describeNodes } from "../nodes/nodes-contract.test-aid.ts";
import { Changes } from "../messages/changes.ts";
import { createPostgresStore } from "../postgres-store.ts";
import { RecordingDatabase } from "../recording.test-aid.ts";
import { emptyDatabaseUrl, releaseDatabase } from "../reused-database.test-aid.ts";
import { accountTables, serverTables } from "./citus.ts";

describe.skipIf(!isCitus)("Citus (skipped except in npm run compat:citus)", () => {
  describeStore("Citus", async () => {
    const url = await emptyDatabaseUrl();
    return reopenable(
      () => openPostgresStore({ url }),
      () => releaseDatabase(url),
    );
  });

  describe("nodes", () => {
    let url = "";
    describeNodes(async () => {
      url = await emptyDatabaseUrl();
      return url;
    });
    afterAll(() => releaseDatabase(url));
  });

  test("distributes tables by server or makes them reference tables, and changes nothing when repeated", async () => {
    const url = await emptyDatabaseUrl();
    await distributeDatabase({ url });
    const database = openDatabase(url);
    try {
      const rows = await database.query<{ name: string; kind: string }>(
        "select table_name::text as name, citus_table_type as kind from citus_tables",
      );
      const named = (kind: string): readonly string[] =>
        rows.filter((row) => row.kind === kind).map(({ name }) => name);
      expect(named("distributed").toSorted()).toEqual(serverTables.toSorted());
      expect(named("reference")).toEqual(expect.arrayContaining([...accountTables]));
      const tables = await database.query<{ name: string }>(
        "select relname::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
      );
      expect(rows.map(({ name }) => name).toSorted()).toEqual(tables.map(({ name }) => name).toSorted());
    } finally {
      await database.close();
      await releaseDatabase(url);
    }
  });

  test("runs every query about one server as one task on one node", async () => {
    const url = await emptyDatabaseUrl();
    const database = new RecordingDatabase(openDatabase(url));
    const store = createPostgresStore({ database, clock: systemClock, isDistributed: true, largeContent: null });
    try {
      const { id } = await store.createServer(aServer());
      const [one, other] = [draft(id, { to: ["a@x.test"], body: "b 1" }), draft(id, { to: ["b@x.test"] })];
      await store.addMessages([one, other]);
      for (const criteria of [
        { sentTo: "a@x.test" },
        { subject: "s" },
        { body: "b" },
        { sentTo: "a@x.test", body: "b" },
      ])
        await store.searchMessages(id, folded(criteria), page());
      await store.listMessages(id, page());
      await store.listMessages(id, page({ afterSequence: 1 }));
      await store.listChanges(id, 0, 10);
      await new Changes(database).listWithMessages(id, 0, 10);
      await Promise.all([
        store.getDetail(one.id),
        store.getRaw(one.id),
        store.getServer(id),
        store.deleteMessage(other.id),
      ]);
      await store.emptyServer(id);
      const own = new RegExp(String.raw`\b(?:from|into|update|join)\s+(?:${serverTables.join("|")})\b`, "i");
      // Inserts specify their server, and Citus cannot explain statements that change two tables.
      const queries = database.statements.filter(
        ({ sql }) => /^\s*(?:select|update|delete)/i.test(sql) && own.test(sql) && !sql.includes("/* all servers */"),
      );
      expect(new Set(queries.map(({ sql }) => sql)).size).toBeGreaterThan(10);
      for (const { sql, parameters } of queries) {
        const [row] = await database.query<{ "QUERY PLAN": unknown }>(`explain (format json) ${sql}`, parameters);
        const counts = Array.from(JSON.stringify(row).matchAll(/"Task Count":(\d+)/g), ([, count]) => Number(count));
        expect({ sql, counts }).toEqual({ sql, counts: [1] });
      }
    } finally {
      await store.close();
      await releaseDatabase(url);
    }
  });
});
