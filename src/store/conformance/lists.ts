import { criteriaExpression } from "../../core/search/build-expression.ts";
import { expect, test } from "vitest";
import { decodeMessageId } from "../../core/ids.ts";
import { epochMs, page } from "./drafts.ts";
import { addDrafts, find, idsOf, makeServer, newestFirst, textOf, useStore, type OpenStore } from "./setup.ts";

/** Lists: newest first, page by page, bounded by instant and by sequence. */
export function describeLists(open: OpenStore): void {
  const store = useStore(open);

  test("sorts by instant of receipt, not by order of arrival", async () => {
    const server = await makeServer(store());
    const at = [5, 1, 9, 3, 7].map((offset) => ({ at: epochMs + offset }));
    const ids = await addDrafts(store(), server, at);
    expect(idsOf(await store().listMessages(server, page()))).toEqual([ids[2], ids[4], ids[0], ids[3], ids[1]]);
  });

  test("sorts by id within one millisecond", async () => {
    const server = await makeServer(store());
    const ids = await addDrafts(
      store(),
      server,
      [3, 0, 2 ** 31 / 1024, 4_194_303, 1].map((slot) => ({ at: epochMs, random: slot * 1024 })),
    );
    expect(idsOf(await store().listMessages(server, page()))).toEqual([ids[3], ids[2], ids[0], ids[4], ids[1]]);
  });

  test("returns summaries as they were stored, separated by commas", async () => {
    const server = await makeServer(store());
    const [first, second] = await addDrafts(store(), server, [{ note: "é,✉]" }, { note: '"quoted"' }]);
    const { json } = await store().listMessages(server, page());
    expect(textOf(json)).toBe(`{"id":"${second}","note":"\\"quoted\\""},{"id":"${first}","note":"é,✉]"}`);
  });

  test("separates received and sent messages", async () => {
    const server = await makeServer(store());
    const [received, sent] = await addDrafts(store(), server, [{}, { direction: "Sent" }]);
    expect(idsOf(await store().listMessages(server, page()))).toEqual([received]);
    expect(idsOf(await store().listMessages(server, page({ direction: "Sent" })))).toEqual([sent]);
  });

  test("separates servers, whatever their ids", async () => {
    const servers = await Promise.all(Array.from({ length: 5 }, () => makeServer(store())));
    const ids = await Promise.all(servers.map((server) => addDrafts(store(), server, [{ at: epochMs }])));
    for (const [index, server] of servers.entries()) {
      expect(idsOf(await store().listMessages(server, page()))).toEqual(ids[index]);
    }
  });

  test("returns pages without gap or overlap, and whether more follow", async () => {
    const server = await makeServer(store());
    const ids = newestFirst(
      await addDrafts(
        store(),
        server,
        Array.from({ length: 10 }, () => ({})),
      ),
    );
    const seen = [];
    for (const [number, hasMore] of [
      [0, true],
      [1, true],
      [2, true],
      [3, false],
    ] as const) {
      const answer = await store().listMessages(server, page({ page: number, itemsPerPage: 3 }));
      expect(answer).toMatchObject({ hasMore, total: 10, cursor: 10 });
      seen.push(...idsOf(answer));
    }
    expect(seen).toEqual(ids);
    expect(await store().listMessages(server, page({ itemsPerPage: 10 }))).toMatchObject({ count: 10, hasMore: false });
    expect(await store().listMessages(server, page({ page: 1, itemsPerPage: 5 }))).toMatchObject({ hasMore: false });
  });

  test.each([1, 2, 1000, 2 ** 31, Number.MAX_SAFE_INTEGER])(
    "returns an empty page %d beyond the end",
    async (number) => {
      const server = await makeServer(store());
      await addDrafts(store(), server, [{}, {}]);
      for (const itemsPerPage of [2, 1000]) {
        const answer = await store().listMessages(server, page({ page: number, itemsPerPage }));
        expect(answer).toMatchObject({ count: 0, hasMore: false, cursor: 2 });
        expect(answer.json).toHaveLength(0);
        const after = await store().listMessages(server, page({ page: number, itemsPerPage, receivedAfter: 0 }));
        expect(after).toMatchObject({ count: 0, hasMore: false });
        const found = await store().searchMessages(
          server,
          criteriaExpression({ subject: "", match: "ALL" }),
          page({ page: number, itemsPerPage }),
        );
        expect(found).toMatchObject({ count: 0, hasMore: false });
      }
    },
  );

  test("returns a thousand messages on one page", async () => {
    const server = await makeServer(store());
    const ids = newestFirst(
      await addDrafts(
        store(),
        server,
        Array.from({ length: 1001 }, () => ({})),
      ),
    );
    const answer = await store().listMessages(server, page({ itemsPerPage: 1000 }));
    expect(idsOf(answer)).toEqual(ids.slice(0, 1000));
    expect(answer).toMatchObject({ hasMore: true, total: 1001 });
    expect(idsOf(await store().listMessages(server, page({ page: 1, itemsPerPage: 1000 })))).toEqual(ids.slice(1000));
    // Deep pages too, however a store reads them.
    expect(idsOf(await store().listMessages(server, page({ page: 1000, itemsPerPage: 1 })))).toEqual(ids.slice(1000));
    expect(idsOf(await store().listMessages(server, page({ page: 100, itemsPerPage: 10 })))).toEqual(ids.slice(1000));
  });

  test.each([
    [-1, 3],
    [-0.5, 3],
    [0, 2],
    [0.25, 2],
    [0.999, 2],
    [1, 1],
    [1.5, 1],
    [2, 0],
    [2.5, 0],
    [1e6, 0],
  ])("received strictly after %d ms: %d of three messages at 0, 1 and 2 ms", async (offset, count) => {
    const server = await makeServer(store());
    const ids = newestFirst(
      await addDrafts(
        store(),
        server,
        [0, 1, 2].map((ms) => ({ at: epochMs + ms })),
      ),
    );
    const answer = await store().listMessages(server, page({ receivedAfter: epochMs + offset }));
    expect(idsOf(answer)).toEqual(ids.slice(0, count));
    expect(answer).toMatchObject({ hasMore: false, total: count });
    expect((await store().listMessages(server, page({ receivedAfter: epochMs + offset, page: 1 }))).count).toBe(0);
  });

  test.each([-1e15, -1, 0, 2 ** 47 - 2, 2 ** 47 - 1, 2 ** 47, 1e18])(
    "receivedAfter %d is a bound like any other",
    async (bound) => {
      const server = await makeServer(store());
      const ids = newestFirst(await addDrafts(store(), server, [{ at: 0 }, { at: epochMs }, { at: 2 ** 47 - 1 }]));
      const expected = ids.filter((id) => decodeMessageId(id).receivedAt > bound);
      expect(idsOf(await store().listMessages(server, page({ receivedAfter: bound })))).toEqual(expected);
    },
  );

  test("combines receivedAfter and pages", async () => {
    const server = await makeServer(store());
    const drafts = Array.from({ length: 10 }, (_, n) => ({ at: epochMs + n }));
    const ids = newestFirst(await addDrafts(store(), server, drafts));
    const bounded = (number: number) =>
      store().listMessages(server, page({ receivedAfter: epochMs + 4, page: number, itemsPerPage: 2 }));
    expect(idsOf(await bounded(0))).toEqual(ids.slice(0, 2));
    expect(await bounded(1)).toMatchObject({ count: 2, hasMore: true, total: null });
    expect(idsOf(await bounded(2))).toEqual(ids.slice(4, 5));
    expect(await bounded(2)).toMatchObject({ hasMore: false, total: 5 });
  });

  test("applies afterSequence to the order of commits, not of instants", async () => {
    const server = await makeServer(store());
    const ids: string[] = [];
    for (const offset of [5, 9, 1, 7]) {
      ids.push(...(await addDrafts(store(), server, [{ at: epochMs + offset }])));
    }
    const after = async (afterSequence: number) => idsOf(await store().listMessages(server, page({ afterSequence })));
    expect(await after(0)).toEqual([ids[1], ids[3], ids[0], ids[2]]);
    expect(await after(1)).toEqual([ids[1], ids[3], ids[2]]);
    expect(await after(2)).toEqual([ids[3], ids[2]]);
    expect(await after(3)).toEqual([ids[3]]);
    expect(await after(4)).toEqual([]);
    expect(await after(400)).toEqual([]);
    const paged = await store().listMessages(server, page({ afterSequence: 1, itemsPerPage: 2 }));
    expect(paged).toMatchObject({ count: 2, hasMore: true, cursor: 4 });
    const last = await store().listMessages(server, page({ afterSequence: 1, itemsPerPage: 2, page: 1 }));
    expect(idsOf(last)).toEqual([ids[2]]);
    expect(last.hasMore).toBe(false);
  });

  test("skips deletions for afterSequence", async () => {
    const server = await makeServer(store());
    const [first, second, third] = await addDrafts(store(), server, [{}, {}, {}]);
    await store().deleteMessage(second);
    expect(idsOf(await store().listMessages(server, page({ afterSequence: 1 })))).toEqual([third]);
    expect(idsOf(await store().listMessages(server, page({ afterSequence: 3 })))).toEqual([]);
    expect(idsOf(await store().listMessages(server, page()))).toEqual([third, first]);
  });

  test("combines receivedAfter and afterSequence", async () => {
    const server = await makeServer(store());
    const ids: string[] = [];
    for (const offset of [5, 9, 1, 7]) {
      ids.push(...(await addDrafts(store(), server, [{ at: epochMs + offset }])));
    }
    const bounds = page({ afterSequence: 1, receivedAfter: epochMs + 1 });
    expect(idsOf(await store().listMessages(server, bounds))).toEqual([ids[1], ids[3]]);
  });

  test("returns a fresh list after every kind of change", async () => {
    const server = await makeServer(store());
    const list = async () => idsOf(await store().listMessages(server, page()));
    expect(await list()).toEqual([]);
    const [first] = await addDrafts(store(), server, [{}]);
    expect(await list()).toEqual([first]);
    const [second] = await addDrafts(store(), server, [{}]);
    expect(await list()).toEqual([second, first]);
    await store().deleteMessage(first);
    expect(await list()).toEqual([second]);
    await store().expireMessages(server, { receivedBefore: null, keepNewest: 0 });
    expect(await list()).toEqual([]);
    const [third] = await addDrafts(store(), server, [{}]);
    expect(await list()).toEqual([third]);
    await store().emptyServer(server);
    expect(await list()).toEqual([]);
    await store().deleteServer(server);
    expect(await list()).toEqual([]);
  });

  test("returns only messages older than before, also when that message was deleted, in lists and every kind of search", async () => {
    const server = await makeServer(store());
    const drafts = Array.from({ length: 9 }, () => ({ to: ["b@x.test"], subject: "bound", body: "bound" }));
    const ids = await addDrafts(store(), server, drafts);
    const bound = ids[5];
    if (bound === undefined) throw new Error("no message");
    const older = newestFirst(ids.slice(0, 5));
    const within = { before: bound, itemsPerPage: 3 };
    for (let round = 0; round < 2; round += 1) {
      const first = await store().listMessages(server, page(within));
      expect([idsOf(first), first.hasMore]).toEqual([older.slice(0, 3), true]);
      const second = await store().listMessages(server, page({ ...within, page: 1 }));
      expect([idsOf(second), second.hasMore]).toEqual([older.slice(3), false]);
      for (const asked of [{ sentTo: "b@x.test" }, { subject: "bound" }, { body: "bound" }]) {
        expect(await find(store(), server, { ...asked, within })).toEqual(older.slice(0, 3));
        expect(await find(store(), server, { ...asked, within: { ...within, page: 1 } })).toEqual(older.slice(3));
      }
      await store().deleteMessage(bound);
    }
    const [oldest] = ids;
    if (oldest === undefined) throw new Error("no message");
    expect(idsOf(await store().listMessages(server, page({ before: oldest })))).toEqual([]);
    expect(await find(store(), server, { subject: "bound", within: { before: oldest } })).toEqual([]);
    expect(await find(store(), server, { subject: "bound" })).toHaveLength(8);
    expect(await store().measureMessages(server, [oldest, bound])).toEqual([expect.any(Number), 0]);
    expect((await store().measureMessages(server, [oldest]))[0]).toBeGreaterThan(20);
  });
}
