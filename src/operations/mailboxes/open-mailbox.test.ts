import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import { noMarks } from "../../core/marks.ts";
import { identityCountMax, type MarkedMessage } from "../../store/mark-store.ts";
import type { Context } from "../context.ts";
import { hiddenPages, MailboxView } from "./open-mailbox.ts";

const server = "abcd1234" as ServerId;
const idOf = (uid: number): MessageId =>
  encodeMessageId({ server, direction: "Received", receivedAt: 1e12 + uid, random: uid * 1024 });

test("a view shows what the index has and the reader has not hidden, as one array until something changes", () => {
  const step = fc.record({
    kind: fc.constantFrom("add", "delete", "hide", "read"),
    uids: fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
    reader: fc.constantFrom("a", "b"),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const stored = new Set<number>();
      const hidden = new Set<number>();
      let all = new Uint32Array();
      const uidsOf = (ids: Iterable<MessageId>): Map<MessageId, number> => {
        const wanted = new Set(ids);
        return new Map([...stored].flatMap((uid) => (wanted.has(idOf(uid)) ? [[idOf(uid), uid] as const] : [])));
      };
      const index = {
        get uids() {
          return all;
        },
        uidsOf,
        takeRecent: () => 10,
      };
      const view = new MailboxView(index, "a");
      let last = 0;
      for (const { kind, uids, reader } of steps) {
        if (kind === "add") stored.add((last += 1));
        if (kind === "delete") for (const uid of uids) stored.delete(uid);
        if (kind === "add" || kind === "delete") all = Uint32Array.from(stored).toSorted();
        if (kind === "hide") {
          const own = uids.filter((uid) => reader === "a" && stored.has(uid));
          const isNew = own.some((uid) => !hidden.has(uid));
          for (const uid of own) hidden.add(uid);
          const isSaid = view.hide(uids.map((uid) => ({ id: idOf(uid), hiddenFrom: ["c", reader] })));
          // What was hidden and not shown since may be said again.
          expect(isSaid || !isNew).toBe(true);
        }
        if (kind === "read") expect(view.uids).toBe(view.uids);
      }
      const visible = Array.from(all).filter((uid) => !hidden.has(uid));
      expect(Array.from(view.uids)).toEqual(visible);
      expect(view.recentCount).toBe(visible.filter((uid) => uid >= 10).length);
    }),
  );
});

test("pages of hidden messages follow one another until one is not full", async () => {
  const counts = [identityCountMax + 2, identityCountMax, 3];
  const asked: (string | number)[][] = [];
  let sequence = 0;
  const listHidden = async (...request: (string | number)[]): Promise<readonly MarkedMessage[]> => {
    asked.push(request);
    return Array.from({ length: counts[asked.length - 1] ?? 0 }, () => {
      sequence += 1;
      return { id: idOf(sequence), marks: noMarks, sequence };
    });
  };
  const store = { marks: { listHidden } } as unknown as Context["store"];
  const access = { server, principal: { keyId: "password of abcd1234", server }, isOpen: null };
  const lengths: number[] = [];
  for await (const page of hiddenPages({ store } as Context, access)) lengths.push(page.length);
  expect(lengths).toEqual(counts);
  expect(asked).toEqual([
    [server, "password", 0],
    [server, "password", identityCountMax + 2],
    [server, "password", 2 * identityCountMax + 2],
  ]);
});
