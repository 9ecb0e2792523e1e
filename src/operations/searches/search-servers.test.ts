import type { Context } from "../context.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeMessageId, encodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { Summary } from "../../core/message.ts";
import type { Server } from "../../core/server.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { SearchPage, Store, SummaryPage } from "../../store/store.ts";
import { searchServers } from "./search-servers.ts";

const servers = ["a0000000", "b0000000", "c0000000", "d0000000", "e0000000", "f0000000"] as ServerId[];
const [earliest, randomMax] = [1_767_225_600_000, 0xffffffff];

/** Messages of few instants and few random parts, so that many are equal but for their server. */
const message = fc
  .record({
    server: fc.constantFrom(...servers),
    receivedAt: fc.integer({ min: earliest, max: earliest + 2 }),
    random: fc.constantFrom(0, 1, 2, randomMax - 1, randomMax),
  })
  .map((parts) => encodeMessageId({ ...parts, direction: "Received" }));
const mailboxes = fc.uniqueArray(message, { maxLength: 60 });

/** Store that answers from `ids`, each page after as many turns of the event loop as the next of `delays` says. */
function storeOf(ids: readonly MessageId[], delays: readonly number[]): Store {
  const idsOf = (server: ServerId): readonly MessageId[] =>
    ids.filter((id) => decodeMessageId(id).server === server).toSorted((a, b) => (a < b ? 1 : -1));
  let callCount = 0;
  const store: Partial<Store> = {
    listServers: async () => servers.map((id) => ({ id, messages: idsOf(id).length }) as unknown as Server),
    listMessages: async (server, page: SearchPage): Promise<SummaryPage> => {
      callCount += 1;
      for (let turn = delays[callCount % delays.length] ?? 0; turn > 0; turn -= 1) await Promise.resolve();
      const rows = idsOf(server)
        .filter((id) => page.before === undefined || id < page.before)
        .filter((id) => page.receivedAfter === null || decodeMessageId(id).receivedAt > page.receivedAfter)
        .slice(page.page * page.itemsPerPage, (page.page + 1) * page.itemsPerPage)
        .map((id) => JSON.stringify({ id, server }));
      return { json: Buffer.from(rows.join(",")) } as unknown as SummaryPage;
    },
  };
  return store as Store;
}

/** Order that the operation promises: instants, then random parts, then servers, the greatest first. */
function inOrder(ids: readonly MessageId[]): readonly MessageId[] {
  const keyOf = (id: MessageId): string => {
    const { receivedAt, random, server } = decodeMessageId(id);
    return [receivedAt, String(random).padStart(10, "0"), server].join(" ");
  };
  return ids.toSorted((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1));
}

const delays = fc.array(fc.nat(5), { minLength: 1, maxLength: 7 });
const base = { receivedAfter: null, direction: "Received", afterSequence: null } as const;
const principal = { keyId: "key", server: null };
const gone = new AbortController().signal;

test("returns every page in the order of all messages, whichever server answers first", async () => {
  const sizes = fc.integer({ min: 1, max: 9 });
  await fc.assert(
    fc.asyncProperty(mailboxes, sizes, delays, async (ids, itemsPerPage, turns) => {
      const context = { store: storeOf(ids, turns), clock: new FakeClock() } as unknown as Context;
      const expected = inOrder(ids);
      for (let page = 0; page <= ids.length / itemsPerPage; page += 1) {
        const result = await searchServers(context, principal, {
          query: null,
          page: { ...base, page, itemsPerPage },
          gone,
        });
        const end = (page + 1) * itemsPerPage;
        expect(idsOf(result.summaries)).toEqual(expected.slice(page * itemsPerPage, end));
        expect(result.hasMore).toBe(end < ids.length);
        if (result.total !== null) expect(result.total).toBe(ids.length);
      }
    }),
  );
});

test("continues after any message, whether it still exists or not", async () => {
  await fc.assert(
    fc.asyncProperty(mailboxes, message, delays, async (ids, before, turns) => {
      const context = { store: storeOf(ids, turns), clock: new FakeClock() } as unknown as Context;
      const older = inOrder([...new Set([...ids, before])]);
      const page = { ...base, page: 0, itemsPerPage: 5, before };
      const result = await searchServers(context, principal, { query: null, page, gone });
      const from = older.indexOf(before) + 1;
      expect(idsOf(result.summaries)).toEqual(older.slice(from, from + 5));
      expect(result.hasMore).toBe(older.length > from + 5);
    }),
  );
});

test("applies a bound of time that is later than the oldest message of the page", async () => {
  const bounds = fc.integer({ min: earliest - 1, max: earliest + 2 });
  await fc.assert(
    fc.asyncProperty(mailboxes, bounds, delays, async (ids, receivedAfter, turns) => {
      const context = { store: storeOf(ids, turns), clock: new FakeClock() } as unknown as Context;
      const page = { ...base, receivedAfter, page: 0, itemsPerPage: 4 };
      const result = await searchServers(context, principal, { query: null, page, gone });
      const later = ids.filter((id) => decodeMessageId(id).receivedAt > receivedAfter);
      expect(idsOf(result.summaries)).toEqual(inOrder(later).slice(0, 4));
    }),
  );
});

function idsOf(summaries: readonly Summary[]): readonly MessageId[] {
  return summaries.map(({ id }) => id);
}
