import { criteriaExpression } from "../../core/search/build-expression.ts";
import { expect, test } from "vitest";
import { newServerId } from "../../core/ids.ts";
import type { Server } from "../../core/server.ts";
import { aKey, aServer, draft, epochMs, page } from "./drafts.ts";
import { addDrafts, expectProblem, idsOf, makeServer, useStore, type OpenStore } from "./setup.ts";

/** Servers: created, read, changed, deleted. */
export function describeServers(open: OpenStore): void {
  const store = useStore(open);

  test("creates a server that is empty, without users and retention", async () => {
    const made = aServer({ name: "Přijaté ✉", expiresAt: epochMs + 1000 });
    const expected: Server = {
      id: made.id,
      name: "Přijaté ✉",
      users: [],
      team: null,
      messages: 0,
      bytes: 0,
      quota: { messages: null, bytes: null },
      retention: { ageSecondsMax: null, messageCountMax: null },
      readerDeletion: "delete",
      retired: 0,
      createdAt: epochMs,
      uidValidity: expect.any(Number) as number,
      expiresAt: epochMs + 1000,
      trafficAt: epochMs,
      isProtected: false,
    };
    expect(await store().createServer(made)).toEqual(expected);
    expect(await store().getServer(made.id)).toEqual(expected);
  });

  test("keeps the effect of deletions by readers that a server is created with until it is changed", async () => {
    const made = aServer({ readerDeletion: "refuse" });
    expect((await store().createServer(made)).readerDeletion).toBe("refuse");
    expect((await store().updateServer(made.id, { name: "n" }))?.readerDeletion).toBe("refuse");
    expect((await store().updateServer(made.id, { readerDeletion: "delete" }))?.readerDeletion).toBe("delete");
    expect((await store().getServer(made.id))?.readerDeletion).toBe("delete");
  });

  test("gives each server a greater UIDVALIDITY, also one with the id of a deleted server", async () => {
    const made = aServer();
    const first = await store().createServer(made);
    expect(first.uidValidity).toBeGreaterThanOrEqual(Math.floor(epochMs / 1000));
    await store().deleteServer(made.id);
    const second = await store().createServer(made);
    expect(second.uidValidity).toBeGreaterThan(first.uidValidity);
    const uidValidityMin = second.uidValidity + 100;
    expect((await store().createServer(aServer({ uidValidityMin }))).uidValidity).toBe(uidValidityMin);
    expect(await store().getServer(made.id)).toEqual(second);
  });

  test("rejects a taken id and keeps the first server", async () => {
    const made = aServer({ name: "first" });
    await store().createServer(made);
    await expectProblem(store().createServer({ ...made, name: "second", password: "other" }), "conflict");
    expect(await store().getServer(made.id)).toMatchObject({ name: "first" });
    expect(await store().getServerPassword(made.id)).toBe("secret");
  });

  test("creates one of two concurrent servers with the same id", async () => {
    const made = aServer();
    const settled = await Promise.allSettled([store().createServer(made), store().createServer(made)]);
    expect(settled.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  test.each(["", "pässword ✉", "x".repeat(10_000), "a\0b"])(
    "returns the password %j as it was stored",
    async (password) => {
      const made = aServer({ password });
      await store().createServer(made);
      expect(await store().getServerPassword(made.id)).toBe(password);
    },
  );

  test("setServerPassword replaces the password and nothing else", async () => {
    const made = aServer({ password: "first" });
    const server = await store().createServer(made);
    expect(await store().setServerPassword(made.id, "sealed:AQID-_")).toBe(true);
    expect(await store().getServerPassword(made.id)).toBe("sealed:AQID-_");
    expect(await store().getServer(made.id)).toEqual(server);
  });

  test("setServerPassword keeps the password when it differs from the expected current one", async () => {
    const made = aServer({ password: "a\0b" });
    await store().createServer(made);
    expect(await store().setServerPassword(made.id, "sealed:late", "other")).toBe(false);
    expect(await store().getServerPassword(made.id)).toBe("a\0b");
    expect(await store().setServerPassword(made.id, "sealed:now", "a\0b")).toBe(true);
    expect(await store().getServerPassword(made.id)).toBe("sealed:now");
  });

  test("returns nothing for an unknown server and does not change it", async () => {
    const id = newServerId();
    expect(await store().getServer(id)).toBeUndefined();
    expect(await store().hasServer(id)).toBe(false);
    expect(await store().getServerPassword(id)).toBeUndefined();
    expect(await store().updateServer(id, { name: "x" })).toBeUndefined();
    expect(await store().setServerPassword(id, "x")).toBe(false);
    expect(await store().deleteServer(id)).toBe(false);
    expect(await store().emptyServer(id)).toBeUndefined();
    expect(await store().listMessages(id, page())).toMatchObject({ count: 0, hasMore: false, total: 0, cursor: 0 });
    expect(await store().searchMessages(id, criteriaExpression({ subject: "x", match: "ALL" }), page())).toMatchObject({
      count: 0,
    });
    expect(await store().searchMessages(id, criteriaExpression({ sentTo: "x", match: "ALL" }), page())).toMatchObject({
      count: 0,
    });
  });

  test("keeps absent members of a change", async () => {
    const id = await makeServer(store());
    await store().updateServer(id, { users: ["u1", "u2"], retention: { ageSecondsMax: 60 } });
    const changed = await store().updateServer(id, { name: "Renamed", retention: { messageCountMax: 10 } });
    expect(changed).toMatchObject({
      name: "Renamed",
      users: ["u1", "u2"],
      retention: { ageSecondsMax: 60, messageCountMax: 10 },
    });
    expect(await store().getServer(id)).toEqual(changed);
    expect(await store().updateServer(id, {})).toEqual(changed);
  });

  test("disables a retention rule with null", async () => {
    const id = await makeServer(store());
    await store().updateServer(id, { retention: { ageSecondsMax: 60, messageCountMax: 5 } });
    const changed = await store().updateServer(id, { retention: { ageSecondsMax: null } });
    expect(changed?.retention).toEqual({ ageSecondsMax: null, messageCountMax: 5 });
  });

  test("counts messages of both directions, without deleted ones", async () => {
    const id = await makeServer(store());
    const [first] = await addDrafts(store(), id, [{}, {}, { direction: "Sent" }]);
    expect((await store().getServer(id))?.messages).toBe(3);
    await store().deleteMessage(first);
    expect((await store().getServer(id))?.messages).toBe(2);
    await store().emptyServer(id);
    expect((await store().getServer(id))?.messages).toBe(0);
  });

  test("deletes the messages and keys of a server with it", async () => {
    const made = aServer();
    await store().createServer(made);
    const key = aKey({ server: made.id });
    await store().addKey(key);
    const [message] = await addDrafts(store(), made.id, [{ to: ["a@b.test"], subject: "gone" }]);
    expect(await store().hasServer(made.id)).toBe(true);
    expect(await store().deleteServer(made.id)).toBe(true);
    expect(await store().hasServer(made.id)).toBe(false);
    expect(await store().deleteServer(made.id)).toBe(false);
    expect(await store().getServer(made.id)).toBeUndefined();
    expect(await store().findKey(key.hash)).toBeUndefined();
    expect(await store().getDetail(message)).toBeUndefined();
    expect(await store().getRaw(message)).toBeUndefined();
    expect(await store().deleteMessage(message)).toBeUndefined();
    expect(idsOf(await store().listMessages(made.id, page()))).toEqual([]);
    expect(await store().addMessages([draft(made.id)])).toEqual([{ outcome: "no_server" }]);
  });

  test("starts empty when a server is created again with an old id", async () => {
    const made = aServer();
    await store().createServer(made);
    await addDrafts(store(), made.id, [{ subject: "old" }, { subject: "old" }]);
    expect(
      idsOf(await store().searchMessages(made.id, criteriaExpression({ subject: "new", match: "ALL" }), page())),
    ).toEqual([]);
    await store().deleteServer(made.id);
    await store().createServer(made);
    expect(await store().listMessages(made.id, page())).toMatchObject({ count: 0, total: 0, cursor: 0 });
    const [id] = await addDrafts(store(), made.id, [{ subject: "new" }]);
    expect(await store().listChanges(made.id, 0, 10)).toEqual([{ sequence: 1, kind: "received", id }]);
    expect(
      idsOf(await store().searchMessages(made.id, criteriaExpression({ subject: "new", match: "ALL" }), page())),
    ).toEqual([id]);
  });
}
