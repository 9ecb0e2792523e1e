import type { Criteria } from "../../core/criteria.ts";
import { criteriaExpression } from "../../core/search/build-expression.ts";
import { describe, expect, test } from "vitest";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { markHidingReaderCountMax, markTagCountMax } from "../../core/limits.ts";
import type { MarkChange, Marks, StoredMarks } from "../../core/marks.ts";
import { identityCountMax } from "../mark-store.ts";
import type { NewMessage, Store } from "../store.ts";
import { draft, epochMs, page, type Draft } from "./drafts.ts";
import { makeServer, useStore, type OpenStore } from "./setup.ts";

/** Marks: changed together, found by their tags, deleted with their message; and the order in which messages were stored. */
export function describeMarks(open: OpenStore): void {
  const store = useStore(open);
  const add = async (server: ServerId, fields: Draft & { readonly marks?: StoredMarks } = {}): Promise<NewMessage> => {
    const { marks, ...rest } = fields;
    const message = { ...draft(server, rest), ...(marks && { marks }) };
    expect(await store().addMessages([message])).toMatchObject([{ outcome: "stored" }]);
    return message;
  };
  const change = async (id: MessageId, marks: MarkChange) => store().marks.changeMarks(serverOf(id), [id], marks);
  const read = async (id: MessageId): Promise<Marks | undefined> =>
    (await store().marks.readMarks(serverOf(id), [id]))[0]?.marks;
  const tagged = async (server: ServerId, tag: string): Promise<readonly string[]> => {
    const found = await store().searchMessages(server, criteriaExpression({ match: "ALL", tag }), page());
    return (JSON.parse(`[${Buffer.from(found.json).toString()}]`) as { readonly id: string }[]).map(({ id }) => id);
  };
  const tagsOf = async (server: ServerId) =>
    (await store().marks.listTags(server)).map(({ tag, messageCount }) => `${tag} ${messageCount}`);

  test("reads no marks of messages that were never marked", async () => {
    const { id } = await add(await makeServer(store()));
    expect(await read(id)).toBeUndefined();
    expect(await store().marks.readMarks(serverOf(id), [])).toEqual([]);
  });

  test("adds and removes flags and tags, each as one change", async () => {
    const { id } = await add(await makeServer(store()));
    expect(await change(id, { addFlags: ["flagged", "seen"], addTags: ["b", "a"] })).toEqual({
      sequence: 2,
      changed: [id],
    });
    expect(await read(id)).toEqual({ flags: ["seen", "flagged"], tags: ["a", "b"] });
    expect(await change(id, { removeFlags: ["seen"], removeTags: ["A"], addTags: ["B", "ü 1"] })).toMatchObject({
      sequence: 3,
    });
    expect(await read(id)).toEqual({ flags: ["flagged"], tags: ["b", "ü 1"] });
    expect(await change(id, { removeTags: "all", addTags: ["c"] })).toMatchObject({ sequence: 4 });
    expect(await read(id)).toEqual({ flags: ["flagged"], tags: ["c"] });
    expect(await change(id, { removeFlags: ["flagged"], removeTags: "all" })).toMatchObject({ sequence: 5 });
    expect(await read(id)).toEqual({ flags: [], tags: [] });
  });

  test("makes no change where nothing differs, and ignores ids of no message", async () => {
    const server = await makeServer(store());
    const { id } = await add(server);
    const missing = draft(server).id;
    const foreign = (await add(await makeServer(store()))).id;
    await change(id, { addFlags: ["seen"] });
    const same: MarkChange = { addFlags: ["seen"], removeTags: ["x"] };
    expect(await store().marks.changeMarks(server, [id, missing, foreign], same)).toEqual({
      sequence: undefined,
      changed: [],
    });
    expect(await read(foreign)).toBeUndefined();
    expect(await store().marks.changeMarks(serverOf(missing), [missing], { addTags: ["x"] })).toMatchObject({
      changed: [],
    });
  });

  test("appends one change to the journal: with the id of one message, without one for several", async () => {
    const server = await makeServer(store());
    const [first, second] = [await add(server), await add(server)];
    await change(second.id, { addFlags: ["seen"] });
    await store().marks.changeMarks(server, [first.id, second.id, second.id], { addTags: ["x"] });
    expect(await store().listChanges(server, 2, 10)).toEqual([
      { sequence: 3, kind: "marked", id: second.id },
      { sequence: 4, kind: "marked", id: null },
    ]);
  });

  test("leaves out messages that have changed since a number", async () => {
    const server = await makeServer(store());
    const [first, second, third] = [await add(server), await add(server), await add(server)];
    await change(first.id, { addFlags: ["seen"] });
    const ids = [first.id, second.id, third.id];
    const since = async (unchangedSince: number) =>
      store().marks.changeMarks(server, ids, { addFlags: ["flagged"], unchangedSince });
    expect(await since(2)).toEqual({ sequence: 5, changed: [second.id], modified: [first.id, third.id] });
    expect(await read(first.id)).toEqual({ flags: ["seen"], tags: [] });
    expect(await since(3)).toEqual({ sequence: 6, changed: [third.id], modified: [first.id, second.id] });
    expect(await since(6)).toEqual({ sequence: 7, changed: [first.id], modified: [] });
  });

  test("lists marks by their last change", async () => {
    const server = await makeServer(store());
    const [first, second, third] = [await add(server), await add(server), await add(server)];
    await change(first.id, { addFlags: ["seen"] });
    await change(third.id, { addFlags: ["seen"] });
    await change(first.id, { addTags: ["x"] });
    const seen: Marks = { flags: ["seen"], tags: [] };
    const marks = [
      { id: third.id, marks: seen, sequence: 5 },
      { id: first.id, marks: { ...seen, tags: ["x"] }, sequence: 6 },
    ];
    expect(await store().marks.listMarks(server, 0, 10)).toEqual(marks);
    expect(await store().marks.listMarks(server, 5, 10)).toEqual(marks.slice(1));
    expect(await store().marks.listMarks(server, 0, 1)).toEqual(marks.slice(0, 1));
    expect(await read(second.id)).toBeUndefined();
  });

  test("lists a change of several messages whole, so that pages can start after its number", async () => {
    const server = await makeServer(store());
    const [first, second, third] = [await add(server), await add(server), await add(server)];
    await change(first.id, { addFlags: ["flagged"] });
    await store().marks.changeMarks(server, [second.id, third.id], { addFlags: ["seen"] });
    const page = async (after: number, limit: number): Promise<readonly number[]> =>
      (await store().marks.listMarks(server, after, limit)).map(({ sequence }) => sequence);
    expect(await page(0, 1)).toEqual([4]);
    expect(await page(0, 2)).toEqual([4, 5, 5]);
    expect(await page(4, 1)).toEqual([5, 5]);
    expect(await page(5, 1)).toEqual([]);
  });

  test("rejects more tags than a message may have, and changes nothing", async () => {
    const server = await makeServer(store());
    const [first, second] = [await add(server), await add(server)];
    const tags = Array.from({ length: markTagCountMax }, (_, index) => `tag ${100 + index}`);
    await change(first.id, { addTags: tags });
    expect((await read(first.id))?.tags).toEqual(tags);
    const one = store().marks.changeMarks(server, [second.id, first.id], { addTags: ["one"] });
    await expect(one).rejects.toMatchObject({ code: "limit_reached" });
    expect(await read(second.id)).toBeUndefined();
    expect(await tagged(server, "one")).toEqual([]);
  });

  describe("search for tags", () => {
    test("finds messages once they have a tag, also after a search without results", async () => {
      const server = await makeServer(store());
      const { id } = await add(server);
      expect(await tagged(server, "x")).toEqual([]);
      await change(id, { addTags: ["x"] });
      expect(await tagged(server, "x")).toEqual([id]);
      await change(id, { removeTags: ["x"] });
      expect(await tagged(server, "x")).toEqual([]);
    });

    test("keeps finding a message by the tags that its provider gave it", async () => {
      const server = await makeServer(store());
      const { id } = await add(server, { tag: ["x"] });
      await change(id, { addTags: ["x", "y"] });
      await change(id, { removeTags: "all" });
      expect(await tagged(server, "x")).toEqual([id]);
      expect(await tagged(server, "y")).toEqual([]);
    });

    test("finds messages by a tag that they got later, together with other criteria", async () => {
      const server = await makeServer(store());
      const to = ["ada@example.com"];
      const [first, second] = [await add(server, { to }), await add(server, { to })];
      await change(first.id, { addTags: ["x"] });
      const find = async (criteria: Partial<Criteria>): Promise<readonly string[]> => {
        const found = await store().searchMessages(
          server,
          criteriaExpression({ match: "ALL", tag: "x", ...criteria }),
          page(),
        );
        return (JSON.parse(`[${Buffer.from(found.json).toString()}]`) as { readonly id: string }[]).map(({ id }) => id);
      };
      expect(await find({ sentTo: "ada@example.com" })).toEqual([first.id]);
      expect(await find({ sentTo: "nobody@example.com" })).toEqual([]);
      expect(new Set(await find({ match: "ANY", sentTo: "ada@example.com" }))).toEqual(new Set([first.id, second.id]));
      expect(await find({ match: "ANY", sentTo: "nobody@example.com" })).toEqual([first.id]);
    });

    test("counts the messages of each tag", async () => {
      const server = await makeServer(store());
      const [first, second] = [await add(server, { tag: ["given"] }), await add(server)];
      await store().marks.changeMarks(server, [first.id, second.id], { addTags: ["b", "Z"] });
      await change(second.id, { addTags: ["a"] });
      expect(await tagsOf(server)).toEqual(["Z 2", "a 1", "b 2"]);
    });
  });

  test("stores marks with new messages", async () => {
    const server = await makeServer(store());
    const { id } = await add(server, { marks: { flags: ["seen"], tags: ["x"] } });
    await add(server);
    expect(await store().marks.listMarks(server, 0, 10)).toEqual([
      { id, marks: { flags: ["seen"], tags: ["x"] }, sequence: 1 },
    ]);
    expect(await tagged(server, "x")).toEqual([id]);
  });

  test("keeps marks when a message is stored again or replaced", async () => {
    const server = await makeServer(store());
    const message = await add(server, { marks: { flags: [], tags: ["x"] } });
    await change(message.id, { addFlags: ["answered"], hideFrom: "a" });
    await store().addMessages([message]);
    expect(await store().reparses.replaceMessage({ ...message, detailJson: Buffer.from("{}") })).toBeDefined();
    expect(await read(message.id)).toEqual({ flags: ["answered"], tags: ["x"] });
    expect(await tagged(server, "x")).toEqual([message.id]);
    expect(await store().marks.listHidden(server, "a", 0)).toMatchObject([{ id: message.id }]);
  });

  test("hides a message from one reader, as a change that lists of marks show", async () => {
    const server = await makeServer(store());
    const [first, second] = [await add(server), await add(server, { direction: "Sent" })];
    const hidden = async (reader: string, after = 0) =>
      (await store().marks.listHidden(server, reader, after)).map(({ id, sequence }) => [id, sequence]);
    expect(await change(first.id, { addFlags: ["seen"] })).toMatchObject({ sequence: 3 });
    expect(await hidden("a")).toEqual([]);
    expect(await change(first.id, { hideFrom: "a" })).toEqual({ sequence: 4, changed: [first.id] });
    expect(await change(first.id, { hideFrom: "a" })).toMatchObject({ sequence: undefined });
    expect(await change(second.id, { hideFrom: "a" })).toMatchObject({ sequence: 5 });
    expect(await change(first.id, { hideFrom: 'b"%_' })).toMatchObject({ sequence: 6 });
    expect(await hidden("a")).toEqual([
      [second.id, 5],
      [first.id, 6],
    ]);
    expect(await hidden("a", 5)).toEqual([[first.id, 6]]);
    expect(await hidden('b"%_')).toEqual([[first.id, 6]]);
    expect(await hidden("%")).toEqual([]);
    const marks: Marks = { flags: ["seen"], tags: [] };
    expect(await store().marks.listMarks(server, 5, 10)).toEqual([
      { id: first.id, marks, hiddenFrom: ["a", 'b"%_'], sequence: 6 },
    ]);
    const wholes = await store().readMessages(server, null, 1e6);
    expect(wholes.find(({ id }) => id === first.id)?.marks).toEqual({ ...marks, hiddenFrom: ["a", 'b"%_'] });
    await change(first.id, { removeFlags: ["seen"], removeTags: "all" });
    expect(await hidden("a", 6)).toEqual([[first.id, 7]]);
  });

  test("rejects more hiding readers than a message may have", async () => {
    const { id } = await add(await makeServer(store()));
    for (let reader = 0; reader < markHidingReaderCountMax; reader += 1)
      await change(id, { hideFrom: `key ${reader}` });
    await expect(change(id, { hideFrom: "one" })).rejects.toMatchObject({ code: "limit_reached" });
    expect(await store().marks.listHidden(serverOf(id), "one", 0)).toEqual([]);
  });

  test.each<readonly [string, (store: Store, message: NewMessage) => Promise<unknown>]>([
    ["the message is deleted", async (opened, { id }) => opened.deleteMessage(id)],
    ["the server is emptied", async (opened, { id }) => opened.emptyServer(serverOf(id))],
    [
      "the message expires",
      async (opened, { id }) =>
        opened.expireMessages(serverOf(id), { receivedBefore: epochMs + 1e9, keepNewest: null }),
    ],
  ])("deletes marks when %s", async (_, remove) => {
    const server = await makeServer(store());
    const { marks: _marks, ...message } = await add(server, {
      marks: { flags: ["seen"], tags: ["x"], hiddenFrom: ["a"] },
    });
    expect(await store().marks.listHidden(server, "a", 0)).toHaveLength(1);
    await remove(store(), message);
    expect(await tagsOf(server)).toEqual([]);
    expect(await store().marks.listHidden(server, "a", 0)).toEqual([]);
    await store().addMessages([message]);
    expect(await read(message.id)).toBeUndefined();
    expect(await tagged(server, "x")).toEqual([]);
    expect(await store().marks.countUnseen(server, "Received")).toBe(1);
  });

  test("counts unseen messages by direction", async () => {
    const server = await makeServer(store());
    const [first] = [await add(server), await add(server), await add(server, { direction: "Sent" })];
    await change(first.id, { addFlags: ["seen", "flagged"] });
    expect(await store().marks.countUnseen(server, "Received")).toBe(1);
    expect(await store().marks.countUnseen(server, "Sent")).toBe(1);
    expect(await store().marks.countUnseen("absent00" as ServerId, "Sent")).toBe(0);
  });

  test("lists identities by id, with the sequence numbers of their commits", async () => {
    const server = await makeServer(store());
    const [newer, older] = [await add(server, { at: epochMs + 9e6 }), await add(server, { at: epochMs + 8e6 })];
    await add(server, { direction: "Sent" });
    await change(newer.id, { addFlags: ["seen"] });
    const identities = [
      { id: older.id, sequence: 2 },
      { id: newer.id, sequence: 1 },
    ];
    const list = store().marks.listIdentities.bind(store().marks);
    expect(await list(server, "Received", null)).toEqual({ identities, cursor: 4, hasMore: false });
    expect(await list(server, "Received", older.id)).toMatchObject({ identities: identities.slice(1) });
    expect(await list(server, "Received", newer.id)).toMatchObject({ identities: [] });
    expect(identityCountMax).toBeGreaterThan(identities.length);
  });

  test("returns marks with whole messages", async () => {
    const server = await makeServer(store());
    await add(server);
    await add(server, { marks: { flags: ["draft"], tags: ["x"] } });
    const wholes = await store().readMessages(server, null, 1e6);
    expect(wholes.map(({ marks }) => marks)).toEqual([undefined, { flags: ["draft"], tags: ["x"] }]);
  });
}

function serverOf(id: MessageId): ServerId {
  return decodeMessageId(id).server;
}
