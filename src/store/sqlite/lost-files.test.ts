import { criteriaExpression } from "../../core/search/build-expression.ts";
import { copyFileSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createBackgroundTasks, type BackgroundTaskRegistry } from "../../core/background-tasks.ts";
import { freshKey } from "../../core/api-key.ts";
import type { ServerId } from "../../core/ids.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { aServer, draft, page } from "../conformance/drafts.ts";
import { expectProblem, idsOf } from "../conformance/setup.ts";
import type { NewMessage, Store } from "../store.ts";
import { checkFolder } from "./backup/repair.ts";
import { directoryWithDatabase } from "./new-database.test-aid.ts";
import { openSqliteStore } from "./open.ts";

const key = { ...freshKey, id: "key", name: "key", hash: "hash", server: null, createdAt: 1 };

describe("a store whose files lose their names", () => {
  let directory: string;
  let elsewhere: string;
  let store: Store;
  let server: ServerId;
  let acknowledged: NewMessage[];
  let tasks: BackgroundTaskRegistry;

  beforeEach(async () => {
    directory = path.join(directoryWithDatabase("restante-lost-"), "data");
    elsewhere = `${directory}-elsewhere`;
    mkdirSync(directory);
    tasks = createBackgroundTasks(new FakeClock(), () => undefined);
    store = await openSqliteStore({ directory, durable: true, tasks });
    server = (await store.createServer(aServer())).id;
    acknowledged = [draft(server), draft(server)];
    await store.addMessages(acknowledged);
    await store.addKey(key);
    // Caches the page.
    await store.listMessages(server, page());
  });

  afterEach(async () => {
    await store.close();
    removeFolder(path.dirname(directory));
  });

  const inDirectory = (name: string): string => path.join(directory, name);
  const replaceByCopy = (name: string): void => {
    copyFileSync(inDirectory(name), inDirectory("copy"));
    renameSync(inDirectory("copy"), inDirectory(name));
  };
  const losses: readonly (readonly [string, () => void, string])[] = [
    ...["restante.db", "restante.db-wal", "restante.db-shm", "restante.lock"].flatMap((name) => [
      [`${name} is removed`, () => rmSync(inDirectory(name)), `${name} was removed or renamed`] as const,
      [`${name} is replaced by a copy`, () => replaceByCopy(name), `${name} was replaced by another file`] as const,
    ]),
    ["the folder is removed", () => removeFolder(directory), "restante.db was removed or renamed"],
    ["the folder is renamed", () => renameSync(directory, elsewhere), "restante.db was removed or renamed"],
    [
      "the folder is replaced by a copy",
      () => {
        renameSync(directory, elsewhere);
        cpSync(elsewhere, directory, { recursive: true });
      },
      "restante.db was replaced by another file",
    ],
  ];

  test.each(losses)("acknowledges no message, and rejects all calls, when %s", async (_, lose, reason) => {
    lose();
    await expectProblem(store.addMessages([draft(server)]), "unavailable");
    const calls = [
      () => store.check(),
      () => store.listMessages(server, page()),
      () => store.searchMessages(server, criteriaExpression({ body: "x", match: "ALL" }), page()),
      () => store.getServer(server),
      async () => store.hasServer(server),
      () => store.listServers(),
      () => store.statistics(),
      () => store.createServer(aServer()),
    ];
    for (const call of calls) await expectProblem(call(), "unavailable");
    const state = tasks.states().find(({ task }) => task === "data_folder");
    expect(state?.state).toBe("failing");
    expect(state?.lastFailure?.reason).toContain(reason);
    // Otherwise, the key of an operator could not read the state.
    expect(await store.findKey(key.hash)).toMatchObject({ id: key.id });
  });

  test("rejects reads once a probe has found the loss", async () => {
    renameSync(directory, elsewhere);
    await expectProblem(store.check(), "unavailable");
    await expectProblem(store.listMessages(server, page()), "unavailable");
  });

  test.each(["restante.db-wal", "restante.db-shm"])("keeps what it acknowledged when %s is removed", async (name) => {
    rmSync(inDirectory(name));
    await expectProblem(store.addMessages([draft(server)]), "unavailable");
    await store.close();
    store = await openSqliteStore({ directory, durable: true });
    const ids = acknowledged.map(({ id }) => id);
    expect(idsOf(await store.listMessages(server, page())).toSorted()).toEqual(ids.toSorted());
  });

  test("continues when the folder has its name again, with what it acknowledged", async () => {
    renameSync(directory, elsewhere);
    const rejected = draft(server);
    await expectProblem(store.addMessages([rejected]), "unavailable");
    renameSync(elsewhere, directory);
    await store.check();
    const later = draft(server);
    await store.addMessages([later]);
    const ids = [...acknowledged, later].map(({ id }) => id);
    expect(idsOf(await store.listMessages(server, page())).toSorted()).toEqual(ids.toSorted());
    expect(tasks.states().find(({ task }) => task === "data_folder")?.state).toBe("ok");
  });

  test("leaves a second instance on a new folder alone, also when it closes", async () => {
    removeFolder(directory);
    await using second = await openSecond(directory);
    await second.store.createServer(aServer({ id: server }));
    const message = draft(server);
    await second.store.addMessages([message]);
    await expectProblem(store.addMessages([draft(server)]), "unavailable");
    await store.close();
    expect(["", "-wal", "-shm"].map((ending) => existsSync(inDirectory(`restante.db${ending}`)))).toEqual([
      true,
      true,
      true,
    ]);
    const later = draft(server);
    await second.store.addMessages([later]);
    expect(idsOf(await second.store.listMessages(server, page()))).toEqual([later.id, message.id]);
  });

  test("stops for a second instance that started because the lock was removed", async () => {
    rmSync(inDirectory("restante.lock"));
    await using second = await openSecond(directory);
    await expectProblem(store.addMessages([draft(server)]), "unavailable");
    const message = draft(server);
    await second.store.addMessages([message]);
    await store.close();
    expect(idsOf(await second.store.listMessages(server, page()))).toHaveLength(3);
  });

  test("does not start a writer on another database", async () => {
    removeFolder(directory);
    mkdirSync(directory);
    expect(() => checkFolder(directory, () => undefined)).toThrow(`There is no database at ${directory}`);
    await expectProblem(store.addMessages([draft(server)]), "unavailable");
    expect(existsSync(inDirectory("restante.db"))).toBe(false);
  });
});

async function openSecond(directory: string): Promise<AsyncDisposable & { readonly store: Store }> {
  const store = await openSqliteStore({ directory, durable: true });
  return { store, [Symbol.asyncDispose]: async () => store.close() };
}

/** Removes a folder in which the writer may be creating its reserve. */
function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, maxRetries: 20 });
}
