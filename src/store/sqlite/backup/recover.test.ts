import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, afterEach, describe, expect, test } from "vitest";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { decodeMessageId, type ServerId } from "../../../core/ids.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { expectProblem, find, idsOf, textOf } from "../../conformance/setup.ts";
import type { NewMessage, Store } from "../../store.ts";
import { openSqliteStore } from "../open.ts";
import { sameThread } from "../threads/same-thread.test-aid.ts";
import { databaseFileName } from "../connection/store-directory.ts";
import { recoverFolder } from "./recover.ts";
import { checkFolder, damagedFolderName, FolderRepair } from "./repair.ts";

const pageBytes = 4096;
const options = { names: [], now: Date.UTC(2026, 10, 27) };

describe("a database with damaged pages", () => {
  let folder: string;
  let directory: string;
  let recovered: string;
  let servers: readonly [ServerId, ServerId];
  let messages: readonly NewMessage[];

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), "restante-recover-"));
    directory = path.join(folder, "data");
    recovered = path.join(folder, "recovered");
    const store = await openSqliteStore({ directory, durable: false, threads: sameThread });
    const [one, other] = [(await store.createServer(aServer())).id, (await store.createServer(aServer())).id];
    servers = [one, other];
    messages = Array.from({ length: 400 }, (_, at) =>
      draft(at % 3 === 0 ? other : one, {
        subject: `subject ${at}`,
        body: `body number ${at} `.repeat(20),
        raw: `Subject: subject ${at}\r\n\r\n${`${at} `.repeat(200)}`,
        to: [`to${at}@x.test`],
        note: "x".repeat(200),
        marks: { flags: ["seen"], tags: [`tag${at % 7}`] },
      }),
    );
    await store.addMessages(messages);
    await store.close();
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const file = (): string => path.join(directory, databaseFileName);

  /** Overwrites pages of the closed database. */
  function damage(pages: readonly number[]): void {
    const descriptor = openSync(file(), "r+");
    for (const number of pages)
      writeSync(descriptor, Buffer.alloc(pageBytes, 0xa5), 0, pageBytes, (number - 1) * pageBytes);
    closeSync(descriptor);
  }

  function rootOf(table: string): number {
    using database = new DatabaseSync(file());
    return Number(database.prepare("select rootpage from sqlite_schema where name = ?").get(table)?.["rootpage"]);
  }

  async function inRecovered(body: (store: Store) => Promise<void>): Promise<void> {
    const store = await openSqliteStore({ directory: recovered, durable: false, threads: sameThread });
    try {
      await body(store);
    } finally {
      await store.close();
    }
  }

  const listAll = async (store: Store): Promise<readonly string[]> =>
    (
      await Promise.all(servers.map((server) => store.listMessages(server, page({ itemsPerPage: 1000 })).then(idsOf)))
    ).flat();

  test("takes no mail once a list has failed, says so, and what to do", async () => {
    damage([rootOf("message")]);
    const tasks = createBackgroundTasks(new FakeClock(), () => undefined);
    const store = await openSqliteStore({ directory, durable: false, tasks });
    await expectProblem(store.listMessages(servers[0], page()), "data_damaged");
    await expectProblem(store.addMessages([draft(servers[0])]), "data_damaged");
    await expectProblem(store.check(), "data_damaged");
    const state = tasks.states().find(({ task }) => task === "database_pages");
    expect(state?.state).toBe("failing");
    expect(state?.lastFailure?.reason).toContain("restante recover");
    await store.close();
    const report = checkFolder(directory, () => undefined);
    expect(report.structure.join("\n")).toContain("restante recover");
  });

  test.each(["message", "subject", "address", "change", "mark", "server", "api_key", "content", "state"])(
    "is recovered when the root page of table %s is damaged",
    async (table) => {
      damage([rootOf(table)]);
      const recovery = recoverFolder(directory, recovered, options);
      repairAll();
      await inRecovered(async (store) => {
        const ids = await listAll(store);
        const missing = [...recovery.missing.values()].reduce((sum, count) => sum + count, 0);
        if (table === "content") expect([ids.length, missing]).toEqual([0, 0]);
        else expect([ids.toSorted(), missing]).toEqual([messages.map(({ id }) => id).toSorted(), 0]);
      });
    },
  );

  /** Rebuilds damaged messages as `restante check --repair` does, with the search keys of the test. */
  function repairAll(): void {
    const { messages: damaged, structure } = checkFolder(recovered, () => undefined);
    expect(structure.filter((line) => line.startsWith("pragma"))).toEqual([]);
    using repair = FolderRepair.open(recovered);
    for (const one of damaged) {
      const original = messages.find(({ id }) => id === one.id);
      if (original === undefined || one.intact.raw === null) repair.setAside(one);
      else repair.replace(one, original);
    }
    repair.tidy();
  }

  test("is recovered in part when any of its pages are damaged, and nothing in the result is damaged", async () => {
    const original = readFileSync(file());
    const pageCount = original.length / pageBytes;
    let state = 7;
    const random = (below: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state % below;
    };
    const damaged: number[] = [];
    const contentRoot = rootOf("content");
    while (damaged.length < 12) {
      const number = 2 + random(pageCount - 1);
      // Without it nothing is recovered: see above.
      if (number === contentRoot) continue;
      damage([number]);
      // Without its schema, no table of a database is found.
      if (isSchemaReadable()) damaged.push(number);
      else writeFileSync(file(), original);
      damage(damaged);
    }
    const recovery = recoverFolder(directory, recovered, options);
    expect(recovery.tables.some(({ gapCount }) => gapCount > 0)).toBe(true);
    repairAll();
    expect(checkFolder(recovered, () => undefined)).toMatchObject({ structure: [], messages: [] });
    await inRecovered(async (store) => {
      const ids = await listAll(store);
      // How many are lost depends on the pages that the seed damages, and the layout of the file on when maintenance ran.
      expect(ids.length).toBeGreaterThan(100);
      const changed: string[] = [];
      for (const { id, raw, keys } of messages.filter((one) => ids.includes(one.id))) {
        if (textOf(await store.getRaw(id)) !== textOf(raw)) changed.push(id);
        const [found] = await find(store, decodeMessageId(id).server, { sentTo: keys.to[0] ?? "" });
        if (found !== id) changed.push(id);
      }
      expect(changed).toEqual([]);
    });
    const saved = readdirSync(recovered).includes(damagedFolderName)
      ? readdirSync(path.join(recovered, damagedFolderName))
      : [];
    expect(saved.length).toBeGreaterThanOrEqual(recovery.mailCount);
  });

  function isSchemaReadable(): boolean {
    try {
      using database = new DatabaseSync(file());
      return database.prepare("select count(sql) from sqlite_schema").get() !== undefined;
    } catch {
      // Damaged, which is the result.
      return false;
    }
  }

  test("is refused with the next step when its schema is damaged", () => {
    damage([1]);
    expect(() => recoverFolder(directory, recovered, options)).toThrow("restore a backup");
  });
});
