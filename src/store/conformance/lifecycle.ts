import { criteriaExpression } from "../../core/search/build-expression.ts";
import { expect, test } from "vitest";
import { attachmentIdAt } from "../../core/ids.ts";
import type { Store } from "../store.ts";
import { aKey, aServer, draft, epochMs, page } from "./drafts.ts";
import { addDrafts, expectProblem, find, idsOf, makeServer, textOf, withStore, type OpenStore } from "./setup.ts";

/** Opening, closing and statistics. */
export function describeLifecycle(open: OpenStore): void {
  const opened = withStore(open);

  test("is empty and passes its check when new", async () => {
    await opened(async ({ store }) => {
      await store.check();
      expect(await store.listServers()).toEqual([]);
      expect(await store.listKeys()).toEqual([]);
      const statistics = await store.statistics();
      expect(statistics).toMatchObject({ serverCount: 0, messageCount: 0, purgeBacklogCount: 0, indexBacklogCount: 0 });
      expect(statistics.sizeBytes).toBeGreaterThanOrEqual(0);
    });
  });

  test("counts messages and servers, without emptied and deleted ones", async () => {
    await opened(async ({ store }) => {
      const [one, two] = [await makeServer(store), await makeServer(store)];
      await addDrafts(store, one, [{}, {}, {}]);
      await addDrafts(store, two, [{}, {}]);
      expect(await store.statistics()).toMatchObject({ serverCount: 2, messageCount: 5 });
      await store.emptyServer(one);
      expect(await store.statistics()).toMatchObject({ serverCount: 2, messageCount: 2 });
      await store.deleteServer(two);
      expect(await store.statistics()).toMatchObject({ serverCount: 1, messageCount: 0 });
    });
  });

  test("purges emptied servers in the background", async () => {
    await opened(async ({ store }) => {
      const server = await makeServer(store);
      for (let round = 0; round < 5; round += 1) {
        await store.addMessages(Array.from({ length: 100 }, () => draft(server, { to: ["a@b.test", "c@d.test"] })));
      }
      await store.emptyServer(server);
      await expect.poll(async () => (await store.statistics()).purgeBacklogCount, { timeout: 10_000 }).toBe(0);
      expect(await store.listChanges(server, 500, 10)).toHaveLength(1);
    });
  });

  test("contains the same data after reopening", async () => {
    await opened(async ({ store, reopen }) => {
      const made = aServer({ name: "Kept", password: "pw ✉", expiresAt: epochMs + 5 });
      await store.createServer(made);
      await store.updateServer(made.id, { users: ["u"], retention: { messageCountMax: 3 } });
      const key = aKey({ server: made.id });
      await store.addKey(key);
      const emptied = await makeServer(store);
      await addDrafts(store, emptied, [{}, {}]);
      await store.emptyServer(emptied);
      const message = draft(made.id, {
        from: ["f@x.test"],
        to: ["t@x.test"],
        subject: "Sub",
        body: "Body",
        raw: "RAW",
      });
      await store.addMessages([message]);
      await addDrafts(store, made.id, [{}]);
      await store.expireMessages(made.id, { receivedBefore: 1, keepNewest: null });
      const seen = await observe(store);

      const again = await reopen();
      expect(await observe(again)).toEqual(seen);
      await again.check();
      expect(await again.getServerPassword(made.id)).toBe("pw ✉");
      expect(await again.findKey(key.hash)).toEqual(key);
      expect(textOf(await again.getRaw(message.id))).toBe("RAW");
      expect(textOf(await again.getDetail(message.id))).toBe(textOf(message.detailJson));
      expect(await again.findMessageOfAttachment(attachmentIdAt(message.id, 3))).toBe(message.id);
      for (const asked of [{ sentFrom: "f@x.test" }, { sentTo: "t@x.test" }, { subject: "sub" }, { body: "body" }]) {
        expect(await find(again, made.id, asked)).toEqual([message.id]);
      }
      expect(await again.addMessages([message])).toEqual([{ outcome: "stored", sequence: 1 }]);
      expect(await again.addMessages([draft(made.id)])).toEqual([{ outcome: "stored", sequence: 3 }]);
    });
  });

  test("waits for accepted calls when it closes, and closes once", async () => {
    await opened(async ({ store, reopen }) => {
      const server = await makeServer(store);
      const pending = Array.from({ length: 100 }, () => store.addMessages([draft(server)]));
      const closing = [store.close(), store.close()];
      const stored = await Promise.all(pending);
      await Promise.all(closing);
      expect(stored.flat().every(({ outcome }) => outcome === "stored")).toBe(true);
      const again = await reopen();
      expect((await again.getServer(server))?.messages).toBe(100);
    });
  });

  test("rejects every call with unavailable after closing", async () => {
    await opened(async ({ store }) => {
      const server = await makeServer(store);
      const [id] = await addDrafts(store, server, [{}]);
      await store.listMessages(server, page());
      const scope = { provider: "acme", server, kind: "template" };
      const objects = { offset: 0, limit: 1, now: 0 };
      expect(await store.providerObjects.listObjects(scope, objects)).toEqual([]);
      await store.close();
      const calls: readonly (() => Promise<unknown>)[] = [
        () => store.createServer(aServer()),
        () => store.listServers(),
        () => store.findOldestServer(),
        () => store.listServersForMaintenance(0),
        () => store.getServer(server),
        async () => store.hasServer(server),
        () => store.getServerPassword(server),
        () => store.updateServer(server, {}),
        () => store.deleteServer(server),
        () => store.addKey(aKey()),
        () => store.listKeys(),
        () => store.findKey("0"),
        () => store.removeKey("0"),
        () => store.addMessages([draft(server)]),
        () => store.listMessages(server, page()),
        () => store.searchMessages(server, criteriaExpression({ sentTo: "x", match: "ALL" }), page()),
        () => store.searchMessages(server, criteriaExpression({ body: "x", match: "ALL" }), page()),
        () => store.getDetail(id),
        () => store.getRaw(id),
        () => store.findMessageOfAttachment(attachmentIdAt(id, 0)),
        () => store.deleteMessage(id),
        () => store.emptyServer(server),
        () => store.expireMessages(server, { receivedBefore: 0, keepNewest: null }),
        () => store.listChanges(server, 0, 1),
        () => store.providerObjects.listObjects(scope, objects),
        () => store.check(),
        () => store.statistics(),
      ];
      for (const call of calls) await expectProblem(call(), "unavailable");
    });
  });
}

/** Reads all data of a store that needs no ids. */
async function observe(store: Store): Promise<unknown> {
  const servers = await store.listServers();
  const contents = await Promise.all(
    servers.map(async ({ id }) => ({
      received: idsOf(await store.listMessages(id, page())),
      sent: idsOf(await store.listMessages(id, page({ direction: "Sent" }))),
      changes: await store.listChanges(id, 0, 1000),
    })),
  );
  return { servers, keys: await store.listKeys(), contents };
}
