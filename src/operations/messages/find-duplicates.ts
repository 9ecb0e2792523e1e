import { mainTurns } from "../../core/shared-turns.ts";
import { differencesOf, groupDuplicates } from "../../analysis/duplicates/group-duplicates.ts";
import type { Principal } from "../../core/api-key.ts";
import { criteriaExpression } from "../../core/search/build-expression.ts";
import { type Criteria, givenCriteria, type Page } from "../../core/criteria.ts";
import {
  comparedBytesMax,
  comparedMsMax,
  type DuplicateGroup,
  duplicateGroupCountMax,
  listedDuplicateCountMax,
} from "../../core/duplicates.ts";
import { Problem } from "../../core/errors.ts";
import { FairQueue } from "../../core/fair-queue.ts";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { SummaryPage } from "../../store/store.ts";
import type { WorkerCaller } from "../../workers/worker-rpc.ts";
import { callerOf, openServer, orNotFound } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import { foldCriteria } from "../services/search/read-search.ts";
import type { MessageFingerprint, OutlinedSummary } from "../services/reading/fingerprint-message.ts";

/** Request for duplicates. */
export interface DuplicatesRequest {
  readonly server: string;
  /** Criteria that all messages meet; absent ones do not count. */
  readonly criteria: Omit<Criteria, "match">;
  /** Bounds of the messages; `page` and `itemsPerPage` do not count. */
  readonly page: Page;
  /** Newest messages that are compared, 1…`comparedMessageCountMax`. */
  readonly messageCountMax: number;
  /** Longest delay between two messages of a group that follow each other; Infinity for any. */
  readonly withinMs: number;
}

/** Groups of duplicates. */
export interface FoundDuplicates {
  /** Newest first; at most `duplicateGroupCountMax`. */
  readonly groups: readonly DuplicateGroup[];
  /** Number of messages that were compared. */
  readonly comparedCount: number;
  /** Number of messages that could not be analysed. */
  readonly skippedCount: number;
  /** Oldest compared message, when older ones were not compared; null otherwise. */
  readonly before: MessageId | null;
}

/** Message with its fingerprint. */
interface ComparedMessage extends MessageFingerprint {
  readonly id: MessageId;
  readonly receivedAt: number;
}

const pageSize = 200;
/** Failed analyses after which the request fails. */
const failureCountMax = 3;
/** Requests that hold fingerprints at the same time: about 20 MB each at most. */
const requests = new FairQueue({
  runningCountMax: 4,
  runningPerKeyCountMax: 2,
  waitingPerKeyCountMax: 20,
  waitingCountMax: 500,
});

/**
 * Returns groups of messages that a person would call the same. Contents are compared in the inspector's process, and only
 * those of messages whose subjects are alike. Rejects with `not_found`, as {@link foldCriteria} and the inspector do.
 */
export async function findDuplicates(
  context: Context,
  principal: Principal,
  request: DuplicatesRequest,
): Promise<FoundDuplicates> {
  const { id: server } = await openServer(context, principal, request.server);
  const caller = callerOf(principal, context);
  return requests.run(caller.key, async () => compareMessages(context, { server, request, caller }), caller.signal);
}

interface Comparison {
  readonly server: ServerId;
  readonly request: DuplicatesRequest;
  readonly caller: WorkerCaller;
}

async function compareMessages(context: Context, comparison: Comparison): Promise<FoundDuplicates> {
  const { outlined, hasMore } = await outlineMessages(context, comparison);
  const alike = Map.groupBy(outlined, ({ likeness }) => likeness);
  const candidates = outlined.filter(({ likeness }) => (alike.get(likeness)?.length ?? 0) > 1).map(({ id }) => id);
  const { messages, skippedCount, readCount } = await readCandidates(context, candidates, comparison);
  const isCut = readCount < candidates.length;
  const oldest = isCut ? candidates[readCount - 1] : outlined.at(-1)?.id;
  const groups = groupDuplicates(messages, comparison.request.withinMs).slice(0, duplicateGroupCountMax).map(showGroup);
  const comparedCount = outlined.findIndex(({ id }) => id === oldest) + 1;
  return { groups, comparedCount, skippedCount, before: isCut || hasMore ? (oldest ?? null) : null };
}

/** Messages that were read, until one of the bounds was reached. */
interface ReadCandidates {
  readonly messages: readonly ComparedMessage[];
  readonly skippedCount: number;
  /** Number of candidates before the bound, at least one. */
  readonly readCount: number;
}

async function readCandidates(
  context: Context,
  candidates: readonly MessageId[],
  { server, caller }: Comparison,
): Promise<ReadCandidates> {
  const sizes = await context.store.measureMessages(server, candidates);
  const startedMs = context.clock.monotonicMs();
  const messages: ComparedMessage[] = [];
  let [bytes, skippedCount] = [0, 0];
  for (const [index, id] of candidates.entries()) {
    bytes += sizes[index] ?? 0;
    const isLate = context.clock.monotonicMs() - startedMs > comparedMsMax;
    if (index > 0 && (isLate || bytes > comparedBytesMax)) return { messages, skippedCount, readCount: index };
    caller.signal?.throwIfAborted();
    const fingerprint = await fingerprintAt(context, id, caller).catch((error: unknown) => {
      if (error instanceof Problem && error.code === "not_found") return undefined;
      if (!isSkippable(error) || skippedCount >= failureCountMax) throw error;
      return null;
    });
    if (fingerprint === null) skippedCount += 1;
    else if (fingerprint !== undefined) {
      messages.push({ ...fingerprint, id, receivedAt: decodeMessageId(id).receivedAt });
    }
  }
  return { messages, skippedCount, readCount: candidates.length };
}

/** Whether an error concerns one message only. */
function isSkippable(error: unknown): boolean {
  return error instanceof Problem && error.code !== "too_many_requests";
}

/** Returns the newest messages that meet the criteria, in pages, and whether there are older ones. */
async function outlineMessages(
  context: Context,
  { server, request, caller }: Comparison,
): Promise<{
  readonly outlined: readonly OutlinedSummary[];
  readonly hasMore: boolean;
}> {
  const { messageCountMax } = request;
  const outlined: OutlinedSummary[] = [];
  let page: Page = { ...request.page, page: 0 };
  for (;;) {
    const itemsPerPage = Math.min(pageSize, messageCountMax - outlined.length);
    const { json, hasMore } = await readPage(context, { server, request, caller }, { ...page, itemsPerPage });
    // The store may share the bytes of a page; those of a call are transferred.
    const load = async (): Promise<Uint8Array> => new Uint8Array(json);
    outlined.push(...(await context.inspector.inspect(load, { kind: "summaries" }, caller)));
    const before = outlined.at(-1)?.id;
    if (!hasMore || before === undefined || outlined.length >= messageCountMax) return { outlined, hasMore };
    page = { ...page, before };
  }
}

async function readPage(
  { store, limits }: Context,
  { server, request, caller }: Comparison,
  page: Page,
): Promise<SummaryPage> {
  const criteria: Criteria = { match: "ALL", ...request.criteria };
  if (givenCriteria(criteria).length === 0) return store.listMessages(server, page);
  const search = {
    ...page,
    caller: caller.key,
    ...(caller.signal !== undefined && { signal: caller.signal }),
  };
  return store.searchMessages(server, criteriaExpression(foldCriteria(criteria, limits.searchTextLengthMax)), search);
}

async function fingerprintAt(
  { store, inspector }: Context,
  id: MessageId,
  caller: WorkerCaller,
): Promise<MessageFingerprint | undefined> {
  // The embedded store reads and decompresses on this thread: one message in each turn of the event loop.
  await mainTurns.next();
  const detail = await store.getDetail(id);
  if (detail === undefined) return undefined;
  const load = async (): Promise<Uint8Array> => orNotFound(await store.getRaw(id), "Message");
  return inspector.inspect(load, { kind: "fingerprint", detail }, caller);
}

function showGroup({
  recipients,
  members,
}: {
  readonly recipients: readonly string[];
  readonly members: readonly ComparedMessage[];
}): DuplicateGroup {
  const listed = members.slice(0, listedDuplicateCountMax);
  return {
    type: members[0]?.type ?? "Email",
    subject: members[0]?.volatile.subject ?? "",
    recipients,
    count: members.length,
    messages: listed.map(({ id, receivedAt, volatile }, index) => {
      const earlier = members[index + 1]?.receivedAt;
      return {
        id,
        received: new Date(receivedAt).toISOString(),
        messageId: volatile.messageId,
        delayMs: earlier === undefined ? null : receivedAt - earlier,
      };
    }),
    differences: differencesOf(listed.map(({ volatile }) => volatile)),
  };
}
