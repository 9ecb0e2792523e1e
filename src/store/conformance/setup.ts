import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect } from "vitest";
import type { ApiKey } from "../../core/api-key.ts";
import type { Page } from "../../core/criteria.ts";
import { foldAddress, foldText } from "../../core/fold.ts";
import { encodeMessageId, newServerId } from "../../core/ids.ts";
import type { MessageId, ServerId } from "../../core/ids.ts";
import type { Direction } from "../../core/message.ts";
import type { Problem, ProblemCode } from "../../core/errors.ts";
import type { FoldedCriteria, NewMessage, NewServer, Store, SummaryPage } from "../store.ts";

/** A store under test. `reopen` closes it and opens the same contents again, where the store keeps any. */
export interface OpenedStore {
  readonly store: Store;
  readonly reopen?: () => Promise<Store>;
  readonly dispose: () => Promise<void>;
}

/** Opens an empty store. */
export type OpenStore = () => Promise<OpenedStore>;

/** One store for all tests of a `describe`; each test works in servers of its own. */
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

/** An instant that tests count from. */
export const epochMs: number = Date.UTC(2026, 10, 20, 10, 42, 7, 975);

/** What a test says about a message; the rest is made up. Texts and addresses are folded here. */
export interface Draft {
  readonly at?: number;
  readonly direction?: Direction;
  readonly random?: number;
  readonly from?: readonly string[];
  readonly to?: readonly string[];
  readonly subject?: string;
  readonly body?: string;
  readonly raw?: string | Uint8Array;
  readonly detail?: string | Uint8Array;
  readonly note?: string;
}

const blank = { direction: "Received" as Direction, random: 0, note: "", subject: "", body: "", from: [], to: [] };
let drafted = 0;

/** A message for a server; each is a millisecond younger than the one drafted before it, unless it says `at`. */
export function draft(server: ServerId, fields: Draft = {}): NewMessage {
  drafted += 1;
  const { direction, at, random, note, subject, body, from, to } = { ...blank, at: epochMs + drafted, ...fields };
  const id = encodeMessageId({ server, direction, receivedAt: at, random });
  return {
    id,
    summaryJson: Buffer.from(JSON.stringify({ id, note })),
    detailJson: Buffer.from(fields.detail ?? `{"detailOf":"${id}"}`),
    raw: Buffer.from(fields.raw ?? `Subject: ${subject}\r\n\r\n${body}\r\n`),
    keys: {
      from: [...new Set(from.map(foldAddress))],
      to: [...new Set(to.map(foldAddress))],
      subject: foldText(subject),
      body: foldText(body),
    },
  };
}

/** A server to be made, with an id of its own. */
export function aServer(fields: Partial<NewServer> = {}): NewServer {
  return { id: newServerId(), name: "Test", password: "secret", createdAt: epochMs, expiresAt: null, ...fields };
}

/** Makes a server and answers its id. */
export async function makeServer(store: Store): Promise<ServerId> {
  return (await store.createServer(aServer())).id;
}

let keyed = 0;

/** A key that nobody else has. */
export function aKey(fields: Partial<ApiKey> = {}): ApiKey {
  keyed += 1;
  const hash = createHash("sha256").update(`key ${keyed}`).digest("hex");
  return { id: `key${keyed}`, name: "Key", hash, server: null, createdAt: epochMs + keyed, ...fields };
}

/** Stores drafts in calls of their own and answers their ids, in order. */
export async function addDrafts(
  store: Store,
  server: ServerId,
  drafts: readonly Draft[],
): Promise<readonly MessageId[]> {
  const messages = drafts.map((fields) => draft(server, fields));
  const stored = await Promise.all(messages.map((message) => store.addMessages([message])));
  for (const [outcome] of stored) expect(outcome?.outcome).toBe("stored");
  return messages.map(({ id }) => id);
}

/** The first 50 received messages, unless told otherwise. */
export function page(fields: Partial<Page> = {}): Page {
  return { page: 0, itemsPerPage: 50, receivedAfter: null, direction: "Received", afterSequence: null, ...fields };
}

/** The ids on a page, in its order. */
export function idsOf(answer: SummaryPage): readonly MessageId[] {
  const summaries = JSON.parse(`[${Buffer.from(answer.json).toString()}]`) as readonly { readonly id: MessageId }[];
  expect(summaries).toHaveLength(answer.count);
  return summaries.map(({ id }) => id);
}

/** Searches, folding what it is given as the operations do. */
export async function find(
  store: Store,
  server: ServerId,
  wanted: Partial<FoldedCriteria> & { readonly within?: Partial<Page> },
): Promise<readonly MessageId[]> {
  return idsOf(await store.searchMessages(server, folded(wanted), page(wanted.within)));
}

/** Criteria as the operations hand them in; `ALL` unless told otherwise. */
export function folded({ sentFrom, sentTo, subject, body, match }: Partial<FoldedCriteria>): FoldedCriteria {
  return {
    ...(sentFrom === undefined ? {} : { sentFrom: foldAddress(sentFrom) }),
    ...(sentTo === undefined ? {} : { sentTo: foldAddress(sentTo) }),
    ...(subject === undefined ? {} : { subject: foldText(subject) }),
    ...(body === undefined ? {} : { body: foldText(body) }),
    match: match ?? "ALL",
  };
}

/** Expects a refusal of the catalogue. */
export async function expectProblem(promise: Promise<unknown>, code: ProblemCode): Promise<void> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason as Problem,
  );
  expect(error?.name).toBe("Problem");
  expect(error?.code).toBe(code);
}

/** Newest first. */
export function newestFirst<Item>(items: readonly Item[]): readonly Item[] {
  return items.toReversed();
}

/** Text of bytes, to compare and to read in a failure. */
export function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}
