import { criteriaExpression } from "../../core/search/build-expression.ts";
import type { Criteria } from "../../core/criteria.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { SearchExpression } from "../../core/search/search-expression.ts";
import type { SearchFields } from "../../core/search/search-fields.ts";
import type { NewMessage, Store, SummaryPage } from "../store.ts";
import { aServer, draft, epochMs, page } from "./drafts.ts";
import { textOf } from "./setup.ts";

/** Store with caches that have been in use, beside the same data without any. */
export interface CachedStore {
  readonly store: Store;
  /** Returns a store over the same data with empty caches, and what closes it. */
  readonly openUncached: () => Promise<{ readonly store: Store; readonly close: () => Promise<void> }>;
  readonly close: () => Promise<void>;
}

/** Changes of what a server stores, and the parts of the store that they belong to. */
interface Subject {
  readonly store: Store;
  readonly server: ServerId;
}

const words = ["alpha", "beta"] as const;
const criteria: readonly Criteria[] = words.flatMap((word) => [
  { subject: word, match: "ALL" as const },
  { body: word, match: "ALL" as const },
  { tag: word, match: "ALL" as const },
  { sentTo: `${word}@x.test`, match: "ALL" as const },
  { sentFrom: `${word}@x.test`, body: word, match: "ANY" as const },
]);
const expressions: readonly SearchExpression[] = words.flatMap((term) => [
  { kind: "part" as const, part: "attachment" as const, term },
  { kind: "part" as const, part: "any" as const, term },
  { kind: "key" as const, role: "tag" as const, key: term },
  { kind: "text" as const, field: "body" as const, term },
]);

function plain(found: SummaryPage): unknown {
  return { ...found, json: textOf(found.json) };
}

/** Calls every read of a server whose result a store may have cached. */
async function readAll(
  { store, server }: Pick<Subject, "store" | "server">,
  ids: readonly MessageId[],
): Promise<Readonly<Record<string, unknown>>> {
  const pages = [
    page(),
    page({ itemsPerPage: 2 }),
    page({ page: 1, itemsPerPage: 1 }),
    page({ direction: "Sent" }),
    page({ afterSequence: 3 }),
    page({ receivedAfter: epochMs }),
  ];
  return {
    record: await store.getServer(server),
    exists: await store.hasServer(server),
    lists: await Promise.all(pages.map(async (one) => plain(await store.listMessages(server, one)))),
    searches: await Promise.all(
      criteria.map(async (wanted) => [
        wanted,
        plain(await store.searchMessages(server, criteriaExpression(wanted), page())),
      ]),
    ),
    expressions: await Promise.all(
      expressions.map(async (wanted) => [
        wanted,
        plain(await store.searchMessages(server, wanted, page())),
        await store.findMessages(server, wanted, { ...page(), countOnly: true }),
        (await store.findMessages(server, wanted, page())).identities,
      ]),
    ),
    tags: await store.marks.listTags(server),
    unseen: await store.marks.countUnseen(server, "Received"),
    marks: await store.marks.readMarks(server, ids),
    changes: await store.listChanges(server, 0, 1000),
  };
}

type Change = (subject: Subject, message: NewMessage | undefined, word: string) => Promise<unknown>;

const fieldsOf = (word: string): SearchFields => ({ attachment: [`${word}.pdf`] });

/** Calls that change what {@link readAll} reads, by the name that they have in the store. */
const changes: Readonly<Record<string, Change>> = {
  addMessages: async ({ store, server }, _, word) =>
    store.addMessages([
      draft(server, { subject: word, body: "text", to: ["alpha@x.test"], tag: ["beta"] }),
      draft(server, { direction: "Sent", body: word, fields: fieldsOf(word) }),
    ]),
  deleteMessage: async ({ store }, message) => message && store.deleteMessage(message.id),
  emptyServer: async ({ store, server }) => store.emptyServer(server),
  expireMessages: async ({ store, server }) => store.expireMessages(server, { receivedBefore: null, keepNewest: 2 }),
  updateServer: async ({ store, server }, _, word) => store.updateServer(server, { name: word }),
  deleteServer: async ({ store, server }, _, word) => {
    await store.deleteServer(server);
    await store.createServer(aServer({ id: server }));
    await store.addMessages([draft(server, { subject: word, body: word, tag: [word] })]);
  },
  "marks.changeMarks": async ({ store, server }, message, word) =>
    message && store.marks.changeMarks(server, [message.id], { addTags: [word], addFlags: ["seen"] }),
  "marks.changeMarks (removes)": async ({ store, server }, message) =>
    message && store.marks.changeMarks(server, [message.id], { removeTags: "all", removeFlags: ["seen"] }),
  "annotations.putAnnotation": async ({ store }, message, word) =>
    message && store.annotations.putAnnotation(message.id, { kind: "scan", json: `{"of":"${word}"}` }),
  "reparses.replaceMessage": async ({ store, server }, message, word) =>
    message &&
    store.reparses.replaceMessage({
      ...draft(server, { subject: word, body: word, to: [`${word}@x.test`], fields: fieldsOf(word) }),
      id: message.id,
    }),
};

/** Names of calls that only read. */
const unchanging = /(?:^|\.)(?:list|get|read|find|search|count|open|measure|has)[A-Z]/;
/** Calls that change nothing that {@link readAll} reads. */
const otherCalls: readonly string[] = [
  "createServer",
  "setServerPassword",
  "addKey",
  "removeKey",
  "rotateKey",
  "noteKeyUse",
  "addDevice",
  "removeDevice",
  "raiseUsage",
  "addUsage",
  "compactUsage",
  "putZone",
  "removeZone",
  "check",
  "statistics",
  "close",
  // Statements within the transactions of other calls, which the type of the store does not have.
  "removeKeys",
  "marks.put",
  "marks.removeOf",
];

/** Expects that a store with caches reads the same as one without, after each of a random sequence of changes. */
export function describeCaches(open: () => Promise<CachedStore>, runCount: number): void {
  let opened: CachedStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => opened.close());

  test("has no call that changes servers or messages and is not among these changes", () => {
    const { store } = opened;
    const parts = { "": store, "marks.": store.marks, "annotations.": store.annotations, "reparses.": store.reparses };
    const calls = Object.entries(parts).flatMap(([prefix, part]) =>
      Object.entries<unknown>({ ...part }).flatMap(([name, call]) =>
        typeof call === "function" ? `${prefix}${name}` : [],
      ),
    );
    const isUnchanging = (call: string): boolean => unchanging.test(call) || otherCalls.includes(call);
    expect(calls.filter((call) => !isUnchanging(call) && changes[call] === undefined)).toEqual([]);
  });

  test("reads after each change what it reads without caches", async () => {
    const steps = fc.array(
      fc.record({ name: fc.constantFrom(...Object.keys(changes)), pick: fc.nat(), word: fc.constantFrom(...words) }),
      { minLength: 10, maxLength: 10 },
    );
    const property = fc.asyncProperty(steps, async (sequence) => {
      const { store } = opened;
      const { id: server } = await store.createServer(aServer());
      const subject = { store, server };
      await changes["addMessages"]?.(subject, undefined, "gamma");
      // Also fills the caches before the next change.
      await readAll(subject, []);
      const idsNow = async () => (await store.readMessages(server, null, 1e6)).map(({ id }) => id);
      for (const { name, pick, word } of sequence) {
        const ids = await idsNow();
        const id = ids[pick % Math.max(1, ids.length)];
        await changes[name]?.(
          subject,
          id === undefined ? undefined : { ...draft(decodeMessageId(id).server), id },
          word,
        );
        const left = await idsNow();
        const cached = await readAll(subject, left);
        const uncached = await opened.openUncached();
        expect({ name, ...cached }).toEqual({ name, ...(await readAll({ store: uncached.store, server }, left)) });
        await uncached.close();
      }
      await store.deleteServer(server);
    });
    await fc.assert(property, { numRuns: runCount });
  });
}
