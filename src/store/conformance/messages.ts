import { expect, test } from "vitest";
import { attachmentIdAt, encodeMessageId, newServerId, type MessageId } from "../../core/ids.ts";
import { draft, epochMs, page } from "./drafts.ts";
import { addDrafts, find, idsOf, makeServer, textOf, useStore, type OpenStore } from "./setup.ts";

/** Messages: stored once, whole, and deleted with all their rows. */
export function describeMessages(open: OpenStore): void {
  const store = useStore(open);

  test("stores a mail of the maximum size", async () => {
    const server = await makeServer(store());
    const raw = Buffer.alloc(50 * 1024 * 1024, "0123456789abcdef\r\n");
    const message = draft(server, { raw, body: raw.toString("latin1") });
    await store().addMessages([message]);
    expect(Buffer.compare((await store().getRaw(message.id)) ?? Buffer.alloc(0), raw)).toBe(0);
  });

  test("stores messages of one call in order, each with its own number", async () => {
    const [one, two] = [await makeServer(store()), await makeServer(store())];
    const stored = await store().addMessages([draft(one), draft(two), draft(one)]);
    expect(stored).toEqual([
      { outcome: "stored", sequence: 1 },
      { outcome: "stored", sequence: 1 },
      { outcome: "stored", sequence: 2 },
    ]);
  });

  test("returns an empty result for no messages", async () => {
    expect(await store().addMessages([])).toEqual([]);
  });

  test("reports a repeated message as stored under its first number, and stores it once", async () => {
    const server = await makeServer(store());
    const message = draft(server, { to: ["x@y.test"] });
    expect(await store().addMessages([message])).toEqual([{ outcome: "stored", sequence: 1 }]);
    await addDrafts(store(), server, [{}]);
    expect(await store().addMessages([message])).toEqual([{ outcome: "stored", sequence: 1 }]);
    expect((await store().getServer(server))?.messages).toBe(2);
    expect(await find(store(), server, { sentTo: "x@y.test" })).toEqual([message.id]);
    expect(await store().listChanges(server, 0, 10)).toHaveLength(2);
  });

  test.each([
    ["other raw bytes", { raw: "other" }],
    ["another summary", { note: "other" }],
  ])("reports a collision for the same id with %s, and keeps the first message", async (_name, fields) => {
    const server = await makeServer(store());
    const first = draft(server, { at: epochMs, raw: "first", subject: "first" });
    await store().addMessages([first]);
    const second = draft(server, { at: epochMs, raw: "first", subject: "second", ...fields });
    expect(await store().addMessages([second])).toEqual([{ outcome: "collision" }]);
    expect(textOf(await store().getRaw(first.id))).toBe("first");
    expect(await find(store(), server, { subject: "second" })).toEqual([]);
    expect((await store().listMessages(server, page())).cursor).toBe(1);
  });

  test("reports a collision for ids within the range of another message, not just outside", async () => {
    const server = await makeServer(store());
    const middle = 7 * 1024;
    await store().addMessages([draft(server, { at: epochMs, random: middle + 500 })]);
    const outcome = async (random: number) => (await store().addMessages([draft(server, { at: epochMs, random })]))[0];
    expect(await outcome(middle)).toEqual({ outcome: "collision" });
    expect(await outcome(middle + 1023)).toEqual({ outcome: "collision" });
    expect(await outcome(middle - 1)).toMatchObject({ outcome: "stored" });
    expect(await outcome(middle + 1024)).toMatchObject({ outcome: "stored" });
  });

  test("treats the highest and the lowest id like all others", async () => {
    const server = await makeServer(store());
    for (const random of [0, 0xffffffff]) {
      const at = random === 0 ? 0 : 2 ** 47 - 1;
      expect(await store().addMessages([draft(server, { at, random })])).toMatchObject([{ outcome: "stored" }]);
      expect(await store().addMessages([draft(server, { at, random: Math.abs(random - 5) })])).toEqual([
        { outcome: "collision" },
      ]);
    }
  });

  test("stores nothing of a call with a collision", async () => {
    const [one, two] = [await makeServer(store()), await makeServer(store())];
    const first = draft(one, { at: epochMs });
    await store().addMessages([first]);
    const other = draft(two);
    const stored = await store().addMessages([other, draft(one, { at: epochMs, raw: "other" }), draft(newServerId())]);
    expect(stored).toEqual([{ outcome: "collision" }, { outcome: "collision" }, { outcome: "no_server" }]);
    expect(await store().getDetail(other.id)).toBeUndefined();
    expect((await store().listMessages(two, page())).cursor).toBe(0);
  });

  test("reports a collision of two messages of one call in the same range", async () => {
    const server = await makeServer(store());
    const stored = await store().addMessages([
      draft(server, { at: epochMs, random: 1, raw: "a" }),
      draft(server, { at: epochMs, random: 2, raw: "b" }),
    ]);
    expect(stored).toEqual([{ outcome: "collision" }, { outcome: "collision" }]);
    expect((await store().getServer(server))?.messages).toBe(0);
  });

  test("stores concurrent calls beside one that collides", async () => {
    const server = await makeServer(store());
    await store().addMessages([draft(server, { at: epochMs })]);
    const calls = Array.from({ length: 20 }, (_, n) =>
      store().addMessages([n % 2 === 0 ? draft(server, { at: epochMs, raw: `other ${n}` }) : draft(server)]),
    );
    const outcomes = (await Promise.all(calls)).map(([stored]) => stored?.outcome);
    expect(outcomes).toEqual(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? "collision" : "stored")));
    expect((await store().getServer(server))?.messages).toBe(11);
  });

  test("stores the other messages of a call when one server does not exist", async () => {
    const server = await makeServer(store());
    const stored = await store().addMessages([draft(newServerId()), draft(server)]);
    expect(stored).toEqual([{ outcome: "no_server" }, { outcome: "stored", sequence: 1 }]);
  });

  test("returns undefined for messages that do not exist", async () => {
    const server = await makeServer(store());
    const [stored] = await addDrafts(store(), server, [{ at: epochMs, random: 2048 }]);
    const absent: MessageId = encodeMessageId({ server, direction: "Received", receivedAt: epochMs, random: 2049 });
    expect(await store().getDetail(absent)).toBeUndefined();
    expect(await store().getRaw(absent)).toBeUndefined();
    expect(await store().deleteMessage(absent)).toBeUndefined();
    expect(stored === undefined ? undefined : textOf(await store().getDetail(stored))).toBe(`{"detailOf":"${stored}"}`);
  });

  test("removes a deleted message from every list, search and look-up, and can store it again", async () => {
    const server = await makeServer(store());
    const message = draft(server, { from: ["f@x.test"], to: ["t@x.test"], subject: "subject", body: "body" });
    const [kept] = await addDrafts(store(), server, [
      { from: ["f@x.test"], to: ["t@x.test"], subject: "subject", body: "body" },
    ]);
    await store().addMessages([message]);
    expect(await store().deleteMessage(message.id)).toBe(3);
    expect(await store().deleteMessage(message.id)).toBeUndefined();
    expect(await store().getDetail(message.id)).toBeUndefined();
    expect(await store().getRaw(message.id)).toBeUndefined();
    expect(await store().findMessageOfAttachment(attachmentIdAt(message.id, 0))).toBeUndefined();
    expect(idsOf(await store().listMessages(server, page()))).toEqual([kept]);
    for (const criteria of [{ sentFrom: "f@x.test" }, { sentTo: "t@x.test" }, { subject: "subj" }, { body: "bod" }]) {
      expect(await find(store(), server, criteria)).toEqual([kept]);
    }
    expect(await store().addMessages([message])).toEqual([{ outcome: "stored", sequence: 4 }]);
    expect(await find(store(), server, { sentTo: "t@x.test" })).toHaveLength(2);
  });

  test("finds the message of an attachment id at every position, and no other", async () => {
    const server = await makeServer(store());
    for (const random of [0, 1023, 1024, 5000, 0xffffffff]) {
      const [message] = await addDrafts(store(), server, [{ random }]);
      for (const position of [0, 1, 500, 1022]) {
        expect(await store().findMessageOfAttachment(attachmentIdAt(message, position))).toBe(message);
      }
    }
    const absent = encodeMessageId({ server, direction: "Received", receivedAt: epochMs - 5, random: 0 });
    expect(await store().findMessageOfAttachment(attachmentIdAt(absent, 0))).toBeUndefined();
    const elsewhere = encodeMessageId({ server: newServerId(), direction: "Sent", receivedAt: epochMs, random: 0 });
    expect(await store().findMessageOfAttachment(attachmentIdAt(elsewhere, 0))).toBeUndefined();
  });

  test("is empty after emptying and stores new mail", async () => {
    const server = await makeServer(store());
    const old = await addDrafts(store(), server, [
      { to: ["t@x.test"], subject: "s", body: "b" },
      { direction: "Sent" },
    ]);
    expect(await store().emptyServer(server)).toBe(3);
    expect(await store().listMessages(server, page())).toMatchObject({ count: 0, total: 0, cursor: 3 });
    expect(await store().listMessages(server, page({ direction: "Sent" }))).toMatchObject({ count: 0, total: 0 });
    for (const criteria of [{ sentTo: "t@x.test" }, { subject: "s" }, { body: "b" }]) {
      expect(await find(store(), server, criteria)).toEqual([]);
    }
    for (const id of old) {
      expect(await store().getDetail(id)).toBeUndefined();
      expect(await store().getRaw(id)).toBeUndefined();
      expect(await store().deleteMessage(id)).toBeUndefined();
    }
    const fresh = await addDrafts(store(), server, [{ to: ["t@x.test"], subject: "s", body: "b" }]);
    expect(await find(store(), server, { sentTo: "t@x.test" })).toEqual(fresh);
    expect(await find(store(), server, { body: "b" })).toEqual(fresh);
    expect(await store().emptyServer(server)).toBe(5);
  });
}
