import { criteriaExpression } from "../../../core/search/build-expression.ts";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { expectProblem, idsOf } from "../../conformance/setup.ts";
import { openParts } from "../open.ts";
import { createSqliteStore } from "../sqlite-store.ts";

test("rejects pending calls with unavailable when the writer exits, and starts a new writer", async () => {
  const parts = openParts({ directory: await aDirectory(), durable: true });
  const store = createSqliteStore(parts);
  const { id } = await store.createServer(aServer());
  const before = draft(id);
  await store.addMessages([before]);
  const pending = Array.from({ length: 20 }, () => store.addMessages([draft(id)]));
  const settled = Promise.allSettled(pending);
  await parts.writer.terminate();
  const outcomes = await settled;
  for (const outcome of outcomes) {
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "unavailable" });
  }
  await store.check();
  const confirmedCount = outcomes.filter(({ status }) => status === "fulfilled").length;
  expect((await store.getServer(id))?.messages).toBeGreaterThanOrEqual(1 + confirmedCount);
  expect(await store.addMessages([before])).toMatchObject([{ outcome: "stored", sequence: 1 }]);
  await store.close();
});

test("rejects active searches with unavailable when the reader exits, and starts a new reader", async () => {
  const parts = openParts({ directory: await aDirectory(), durable: false });
  const store = createSqliteStore(parts);
  const { id } = await store.createServer(aServer());
  const message = draft(id, { body: "needle" });
  await store.addMessages([message]);
  const search = () => store.searchMessages(id, criteriaExpression({ body: "needle", match: "ALL" }), page());
  const pending = expectProblem(search(), "unavailable");
  // The search was dispatched, and its thread is starting.
  await setImmediate();
  await parts.reader.terminate();
  await pending;
  expect(idsOf(await search())).toEqual([message.id]);
  await store.close();
});

test("reports a thread that exits without pending calls, until the next one responds", async () => {
  const tasks = createBackgroundTasks(new FakeClock(), () => undefined);
  const parts = openParts({ directory: await aDirectory(), durable: false, tasks });
  const store = createSqliteStore(parts);
  const states = () => tasks.states().map(({ task, state, degrades }) => [task, state, degrades]);
  await store.check();
  expect(states()).toContainEqual(["writer_thread", "ok", null]);
  await parts.writer.terminate();
  expect(states()).toContainEqual(["writer_thread", "failing", "mail is rejected"]);
  await store.check();
  expect(states()).toContainEqual(["writer_thread", "ok", null]);
  await store.close();
});

test("closes a store whose threads have exited", async () => {
  const parts = openParts({ directory: await aDirectory(), durable: false });
  const store = createSqliteStore(parts);
  await store.check();
  await Promise.all([parts.writer.terminate(), parts.reader.terminate()]);
  await store.close();
  await expectProblem(store.check(), "unavailable");
});

test("rejects an unknown call as an internal error without affecting others", async () => {
  const parts = openParts({ directory: await aDirectory(), durable: false });
  const store = createSqliteStore(parts);
  const wrong = parts.writer.call("absent" as "probe", []);
  const right = store.createServer(aServer());
  await expect(wrong).rejects.toThrow(/not a function/);
  await expect(right).resolves.toMatchObject({ messages: 0 });
  await store.close();
});
