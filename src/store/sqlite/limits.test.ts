import { expect, test } from "vitest";
import { aDirectory } from "../conformance/directory.ts";
import { aServer, draft, page } from "../conformance/drafts.ts";
import { expectProblem, idsOf, textOf } from "../conformance/setup.ts";
import type { NewMessage, Store } from "../store.ts";
import type { ServerId } from "../../core/ids.ts";
import { openSqliteStore } from "./open.ts";

const sizeBytesMax = 2 * 1024 * 1024;

/** Creates a message of 20 kB that does not compress. */
function aLargeMessage(server: ServerId): NewMessage {
  let state = 1 + Math.floor(performance.now() * 1000);
  const raw = Uint8Array.from({ length: 20_000 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state & 0xff;
  });
  return draft(server, { raw, subject: "large" });
}

async function openSmall(): Promise<{ readonly store: Store; readonly server: ServerId }> {
  const store = await openSqliteStore({ directory: await aDirectory(), durable: true, sizeBytesMax });
  return { store, server: (await store.createServer(aServer())).id };
}

async function fill(store: Store, server: ServerId): Promise<readonly NewMessage[]> {
  const stored: NewMessage[] = [];
  for (;;) {
    const message = aLargeMessage(server);
    const isStored = await store.addMessages([message]).then(
      () => true,
      () => false,
    );
    if (!isStored) return stored;
    stored.push(message);
  }
}

test("rejects with storage_full when the disk is full, keeps stored messages, and accepts mail again with space", async () => {
  const { store, server } = await openSmall();
  const stored = await fill(store, server);
  expect(stored.length).toBeGreaterThan(20);
  await expectProblem(store.addMessages([aLargeMessage(server)]), "storage_full");
  await expectProblem(store.check(), "storage_full");
  expect((await store.getServer(server))?.messages).toBe(stored.length);
  for (const { id, raw } of stored) expect(Buffer.compare((await store.getRaw(id)) ?? Buffer.alloc(0), raw)).toBe(0);

  for (const { id } of stored.slice(0, 10)) await store.deleteMessage(id);
  expect(await store.addMessages([aLargeMessage(server)])).toMatchObject([{ outcome: "stored" }]);
  await store.check();
  expect(await store.emptyServer(server)).toBeGreaterThan(0);
  await expect.poll(async () => (await store.statistics()).purgeBacklogCount).toBe(0);
  expect((await fill(store, server)).length).toBeGreaterThan(20);
  await store.close();
});

test("rejects only those of many concurrent calls that do not fit, each completely", async () => {
  const { store, server } = await openSmall();
  const messages = Array.from({ length: 300 }, (_, n) => (n % 3 === 0 ? aLargeMessage(server) : draft(server)));
  const outcomes = await Promise.allSettled(messages.map((message) => store.addMessages([message])));
  const stored = messages.filter((_message, index) => outcomes[index]?.status === "fulfilled");
  const rejected = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(stored.length).toBeGreaterThan(50);
  expect(rejected.length).toBeGreaterThan(0);
  for (const { reason } of rejected) expect(reason).toMatchObject({ code: "storage_full" });
  const listed = idsOf(await store.listMessages(server, page({ itemsPerPage: 1000 })));
  expect(listed.toSorted()).toEqual(stored.map(({ id }) => id).toSorted());
  expect((await store.listChanges(server, 0, 1000))?.length).toBe(stored.length);
  for (const { id, detailJson } of stored) expect(textOf(await store.getDetail(id))).toBe(textOf(detailJson));
  await store.close();
});

test("rejects a call that exceeds the free space completely", async () => {
  const { store, server } = await openSmall();
  const messages = Array.from({ length: 200 }, () => aLargeMessage(server));
  await expectProblem(store.addMessages(messages), "storage_full");
  expect((await store.getServer(server))?.messages).toBe(0);
  await store.addMessages([aLargeMessage(server)]);
  await store.close();
});

test("opens, reads and empties a store on a full disk", async () => {
  const directory = await aDirectory();
  const first = await openSqliteStore({ directory, durable: true, sizeBytesMax });
  const { id: server } = await first.createServer(aServer());
  const stored = await fill(first, server);
  await first.close();
  const second = await openSqliteStore({ directory, durable: true, sizeBytesMax });
  await expectProblem(second.check(), "storage_full");
  expect((await second.getServer(server))?.messages).toBe(stored.length);
  await second.emptyServer(server);
  await expect
    .poll(() =>
      second.check().then(
        () => "writable",
        () => "full",
      ),
    )
    .toBe("writable");
  await second.close();
});
