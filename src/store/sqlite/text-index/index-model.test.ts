/** Compares searches by the text index with a plain filter after and during arbitrary index operations. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Page, Criteria } from "../../../core/criteria.ts";
import { encodeMessageId, type MessageId } from "../../../core/ids.ts";
import type { Direction } from "../../../core/message.ts";
import { draft, epochMs } from "../../conformance/drafts.ts";
import { idsOf } from "../../conformance/setup.ts";
import { TestIndex } from "./test-index.test-aid.ts";

interface StoredMessage {
  readonly id: MessageId;
  readonly at: number;
  readonly direction: Direction;
  readonly sequence: number;
  readonly subject: string;
  readonly body: string;
  readonly to: string;
}

/** The index under test and the list of messages that it must contain. */
interface IndexAndModel {
  readonly index: TestIndex;
  stored: StoredMessage[];
  readonly deletedInstants: number[];
}

type Step = (state: IndexAndModel) => void;

const words = ["alpha", "beta", "alphabet", "日本", "本日", "<b>", "👍", "xyz".repeat(30)];
const text = fc.array(fc.constantFrom(...words, " "), { maxLength: 6 }).map((parts) => parts.join(""));
const address = fc.constantFrom("a@x.test", "b@x.test");

const add = fc
  .record({
    minute: fc.nat(40),
    direction: fc.constantFrom<Direction>("Received", "Sent"),
    subject: text,
    body: text,
    to: address,
    takesOldId: fc.boolean(),
  })
  .map(({ minute, direction, subject, body, to, takesOldId }): Step => (state) => {
    const taken = new Set(state.stored.map(({ at }) => at));
    const wished = takesOldId ? (state.deletedInstants.at(-1) ?? epochMs) : epochMs + minute * 60_000;
    let at = wished;
    while (taken.has(at)) at += 1;
    const message = draft(state.index.server, { at, direction, subject, body, to: [to] });
    const [sequence = 0] = state.index.add([message]);
    state.stored.push({ id: message.id, at, direction, sequence, subject, body, to });
  });

const remove = fc.nat().map((pick): Step => (state) => {
  const [deleted] = state.stored.splice(pick % Math.max(1, state.stored.length), 1);
  if (deleted === undefined) return;
  state.index.delete(deleted.id);
  state.deletedInstants.push(deleted.at);
});

const empty = fc.constant<Step>((state) => {
  state.index.call("changeRecord", "servers", "emptyServer", [state.index.server]);
  state.stored = [];
});
const work = fc.integer({ min: 1, max: 12 }).map((count): Step => ({ index }) => {
  index.index(count);
});
const catchUp = fc.constant<Step>(({ index }) => {
  index.index();
});
const restart = fc.constant<Step>(({ index }) => {
  index.restart();
});
const reclaim = fc.constant<Step>(({ index }) => {
  index.reclaim();
});

const term = fc.oneof(fc.constantFrom(...words, "a", "a b", "本", "absent", ""), text);
const arbitraryCriteria: fc.Arbitrary<Criteria> = fc
  .record(
    { subject: term, body: term, sentTo: address, match: fc.constantFrom("ALL" as const, "ANY" as const) },
    { requiredKeys: ["match"] },
  )
  .filter((criteria) => Object.keys(criteria).length > 1);
const arbitraryPage: fc.Arbitrary<Page> = fc.record({
  page: fc.nat(2),
  itemsPerPage: fc.constantFrom(1, 2, 3, 50),
  receivedAfter: fc.option(fc.nat(40).map((minute) => epochMs + minute * 60_000 - 1)),
  direction: fc.constantFrom<Direction>("Received", "Sent"),
  afterSequence: fc.option(fc.nat(30)),
});

const search = fc
  .record({ criteria: arbitraryCriteria, page: arbitraryPage, steps: fc.nat(5), reclaims: fc.boolean() })
  .map(({ criteria, page, steps, reclaims }): Step => ({ index, stored }) => {
    const result = index.search(criteria, page, () => {
      index.index(steps);
      if (reclaims) index.reclaim();
    });
    const matching = stored
      .filter((message) => matches(message, criteria, page))
      .sort((a, b) => (a.id < b.id ? 1 : -1));
    const start = page.page * page.itemsPerPage;
    const expected = matching.slice(start, start + page.itemsPerPage);
    mustEqual(
      idsOf(result),
      expected.map(({ id }) => id),
    );
    mustEqual(result.hasMore, matching.length > start + page.itemsPerPage);
  });

function mustEqual(actual: unknown, expected: unknown): void {
  expect(actual).toEqual(expected);
}

function matches(message: StoredMessage, criteria: Criteria, page: Page): boolean {
  if (message.direction !== page.direction || message.sequence <= (page.afterSequence ?? 0)) return false;
  if (page.receivedAfter !== null && message.at <= page.receivedAfter) return false;
  const { subject, body, sentTo, match } = criteria;
  const met = [
    ...(subject === undefined ? [] : [message.subject.includes(subject)]),
    ...(body === undefined ? [] : [message.body.includes(body)]),
    ...(sentTo === undefined ? [] : [message.to === sentTo]),
  ];
  return match === "ALL" ? met.every(Boolean) : met.some(Boolean);
}

test("keeps every search exact after any sequence of changes, index steps and restarts", async () => {
  const steps = fc.array(
    fc.oneof(
      { arbitrary: add, weight: 8 },
      { arbitrary: search, weight: 6 },
      { arbitrary: work, weight: 4 },
      { arbitrary: remove, weight: 2 },
      catchUp,
      restart,
      reclaim,
      { arbitrary: empty, weight: 1 },
    ),
    { size: "medium", maxLength: 80 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const state: IndexAndModel = { index: await TestIndex.open(), stored: [], deletedInstants: [] };
      for (const step of sequence) step(state);
      state.index.restart();
      state.index.index();
      for (const body of ["alpha", "本", "absent"]) {
        const expected = state.stored.filter((one) => one.direction === "Received" && one.body.includes(body));
        expect(new Set(state.index.find({ body }))).toEqual(new Set(expected.map(({ id }) => id)));
      }
    }),
    { numRuns: 60 },
  );
});

test("gives messages of the model the ids of drafts with the same instants", async () => {
  const { server } = await TestIndex.open();
  const { id } = draft(server, { at: epochMs });
  expect(id).toBe(encodeMessageId({ server, direction: "Received", receivedAt: epochMs, random: 0 }));
});
