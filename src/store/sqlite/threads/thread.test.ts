import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBackgroundTasks } from "../../../core/background-tasks.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { aDirectory } from "../../conformance/directory.ts";
import { aServer, draft, page } from "../../conformance/drafts.ts";
import { expectProblem, idsOf } from "../../conformance/setup.ts";
import { openParts } from "../open.ts";
import { createSqliteStore } from "../sqlite-store.ts";

test("when the writer dies its pending calls are unavailable, and the next call finds a new one", async () => {
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

test("when the reader dies searches under way are unavailable, and the next one is answered", async () => {
  const parts = openParts({ directory: await aDirectory(), durable: false });
  const store = createSqliteStore(parts);
  const { id } = await store.createServer(aServer());
  const message = draft(id, { body: "needle" });
  await store.addMessages([message]);
  const search = () => store.searchMessages(id, { body: "needle", match: "ALL" }, page());
  const pending = expectProblem(search(), "unavailable");
  // The search has its turn, and its thread is starting.
  await setImmediate();
  await parts.reader.terminate();
  await pending;
  expect(idsOf(await search())).toEqual([message.id]);
  await store.close();
});

test("reports a thread that exits although nothing waits for it, until its successor answers", async () => {
  const tasks = createBackgroundTasks(new FakeClock(), () => undefined);
  const parts = openParts({ directory: await aDirectory(), durable: false, tasks });
  const store = createSqliteStore(parts);
  const states = () => tasks.states().map(({ task, state, degrades }) => [task, state, degrades]);
  await store.check();
  expect(states()).toContainEqual(["writer_thread", "ok", null]);
  await parts.writer.terminate();
  expect(states()).toContainEqual(["writer_thread", "failing", "mail is refused"]);
  await store.check();
  expect(states()).toContainEqual(["writer_thread", "ok", null]);
  await store.close();
});

test("a store whose threads are dead can be closed", async () => {
  const parts = openParts({ directory: await aDirectory(), durable: false });
  const store = createSqliteStore(parts);
  await store.check();
  await Promise.all([parts.writer.terminate(), parts.reader.terminate()]);
  await store.close();
  await expectProblem(store.check(), "unavailable");
});

test("an unknown call is a fault of ours, and hurts no other", async () => {
  const parts = openParts({ directory: await aDirectory(), durable: false });
  const store = createSqliteStore(parts);
  const wrong = parts.writer.call("absent" as "probe", []);
  const right = store.createServer(aServer());
  await expect(wrong).rejects.toThrow(/not a function/);
  await expect(right).resolves.toMatchObject({ messages: 0 });
  await store.close();
});
