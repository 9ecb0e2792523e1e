import type { SearchExpression } from "../../core/search/search-expression.ts";
import { criteriaExpression } from "../../core/search/build-expression.ts";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import {
  criterionTargets,
  givenCriteria,
  type Criteria,
  type CriterionTarget,
  type Page,
} from "../../core/criteria.ts";
import type { Problem, ProblemCode } from "../../core/errors.ts";
import { foldAddress, foldText } from "../../core/fold.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Store, SummaryPage } from "../store.ts";
import { aServer, draft, epochMs, page, unkeyed, type Draft } from "./drafts.ts";

/** Store under test. `reopen` closes it and opens the same data again. */
export interface OpenedStore {
  readonly store: Store;
  readonly reopen: () => Promise<Store>;
  readonly dispose: () => Promise<void>;
}

/** Opens an empty store. */
export type OpenStore = () => Promise<OpenedStore>;

/** Returns a store whose data `open` opens again; `cleanUp` runs after it was closed for good. */
export async function reopenable(open: () => Promise<Store>, cleanUp: () => Promise<void>): Promise<OpenedStore> {
  let current = await open();
  return {
    store: current,
    reopen: async () => {
      await current.close();
      current = await open();
      return current;
    },
    dispose: async () => {
      await current.close();
      await cleanUp();
    },
  };
}

/** Opens one store for all tests of a `describe`; each test uses servers of its own. */
export function useStore(open: OpenStore): () => Store {
  let opened: OpenedStore | undefined;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => {
    await opened?.dispose();
  });
  return () => {
    if (opened === undefined) throw new Error("the store is not open yet");
    return opened.store;
  };
}

/**
 * Opens one store for all tests of a `describe`, and removes after each test what calls over all servers return, such as
 * claims: servers, outbox entries, scheduled messages, deliveries and reports. Keys, the hourly allowance and other parts
 * of the account remain. The returned function returns the store, and `reopen` like {@link OpenedStore}.
 */
export function useEmptiedStore(open: OpenStore): () => Pick<OpenedStore, "store" | "reopen"> {
  let opened: OpenedStore | undefined;
  let store: Store | undefined;
  beforeAll(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(async () => {
    if (store !== undefined) await emptyStore(store);
  });
  afterAll(async () => {
    await opened?.dispose();
  });
  return () => {
    if (opened === undefined || store === undefined) throw new Error("the store is not open yet");
    const { reopen } = opened;
    return { store, reopen: async () => (store = await reopen()) };
  };
}

async function emptyStore(store: Store): Promise<void> {
  // Later than any lease of a test.
  const now = epochMs + 1e12;
  const lease = "emptying";
  const failed = { lease, status: "Failed", dueAt: null, lastError: null, at: now } as const;
  // Work that died too often is not claimed.
  await store.quarantine.quarantineDue(now);
  // A claim is bounded in entries and in bytes.
  while ((await store.outbox.queue.nextDueAt()) !== null) {
    const entries = await store.outbox.queue.claim({ now, leaseEndsAt: now, lease, keys: unkeyed(100) });
    await store.outbox.queue.record(entries.map(({ id }) => ({ id, ...failed })));
  }
  const scheduled = { now, leaseEndsAt: now, lease, keys: unkeyed(100) };
  while ((await store.scheduledMessages.queue.nextDueAt()) !== null) {
    const messages = await store.scheduledMessages.queue.claim(scheduled);
    await store.scheduledMessages.queue.record(messages.map(({ id }) => ({ id, lease, dueAt: null })));
  }
  const reports = (await store.callbacks.listPendingReports(1000)).map(({ id }) => id);
  if (reports.length > 0) await store.callbacks.finishReports({ reports, deliveries: [] });
  for (const { id } of await store.listServers()) await store.deleteServer(id);
}

/** Returns a function that runs a test body with a store of its own. */
export function withStore(open: OpenStore): (body: (opened: OpenedStore) => Promise<void>) => Promise<void> {
  return async (body) => {
    const opened = await open();
    try {
      await body(opened);
    } finally {
      await opened.dispose();
    }
  };
}

/** Creates a server and returns its id. */
export async function makeServer(store: Store): Promise<ServerId> {
  return (await store.createServer(aServer())).id;
}

/** Stores drafts in calls of their own and returns their ids, in order. */
export async function addDrafts<const Drafts extends readonly Draft[]>(
  store: Store,
  server: ServerId,
  drafts: Drafts,
): Promise<{ readonly [Index in keyof Drafts]: MessageId }> {
  const messages = drafts.map((fields) => draft(server, fields));
  const stored = await Promise.all(messages.map((message) => store.addMessages([message])));
  for (const [outcome] of stored) expect(outcome?.outcome).toBe("stored");
  return messages.map(({ id }) => id) as { readonly [Index in keyof Drafts]: MessageId };
}

/** Returns the ids of a page, in order. */
export function idsOf(answer: SummaryPage): readonly MessageId[] {
  const summaries = JSON.parse(`[${Buffer.from(answer.json).toString()}]`) as readonly { readonly id: MessageId }[];
  expect(summaries).toHaveLength(answer.count);
  return summaries.map(({ id }) => id);
}

/** Searches with folded criteria and returns the ids. */
export async function find(
  store: Store,
  server: ServerId,
  wanted: Partial<Criteria> & { readonly within?: Partial<Page> },
): Promise<readonly MessageId[]> {
  return idsOf(await store.searchMessages(server, folded(wanted), page(wanted.within)));
}

const folds: Readonly<Record<CriterionTarget["kind"], (value: string) => string>> = {
  address: foldAddress,
  label: (value) => value,
  text: foldText,
};

/** Returns the expression of criteria; `ALL` by default. */
export function folded({ match = "ALL", ...values }: Partial<Criteria>): SearchExpression {
  const criteria: Criteria = { ...values, match };
  const foldedValues = givenCriteria(criteria).map((name) => {
    return [name, folds[criterionTargets[name].kind](criteria[name] ?? "")] as const;
  });
  return criteriaExpression({ ...Object.fromEntries(foldedValues), match });
}

/** Expects a rejection with a problem of the catalogue. */
export async function expectProblem(promise: Promise<unknown>, code: ProblemCode): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason as Problem,
  );
  expect(error?.name).toBe("Problem");
  expect(error?.code).toBe(code);
}

/** Returns items in reverse order. */
export function newestFirst<Item>(items: readonly Item[]): readonly Item[] {
  return items.toReversed();
}

/** Decodes bytes as UTF-8. */
export function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}
