import type { Principal } from "../../core/api-key.ts";
import { criteriaKey, givenCriteria, type Criteria, type Page } from "../../core/criteria.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { decodeMessageId, type ServerId } from "../../core/ids.ts";
import type { SearchExplanation } from "../../core/search-explanation.ts";
import { criteriaExpression } from "../../core/search/build-expression.ts";
import { and } from "../../core/search/search-expression.ts";
import type { SummaryPage } from "../../store/store.ts";
import { openServer } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import { explainQuery } from "./explain-query.ts";
import { explainSearch } from "./explain-search.ts";
import { foldCriteria, type SearchQuery } from "../services/search/read-search.ts";
import { waitForMessages } from "../services/events/wait-for-messages.ts";
import type { Interest, NewMatch } from "../services/events/waiters.ts";

/** Request for a search, which may wait. */
export interface SearchRequest {
  readonly server: string;
  /** At least one criterion, unless there is a query. */
  readonly criteria: Criteria;
  /** Query that matches meet as well; null or absent for none. */
  readonly query?: SearchQuery | null;
  readonly page: Page;
  /** Longest wait for a match in milliseconds, 0…`waitMsMax`; null to return at once. */
  readonly timeoutMs: number | null;
  /** Number of messages that must match before the wait ends; 1 by default. */
  readonly countMin: number;
  /** Whether the caller expects that no message matches. */
  readonly absent: boolean;
  /** Number of messages that the caller expects; null or absent for no expectation. */
  readonly exactly?: ExactCount | null;
  /** Whether to explain why too few messages matched; false by default. */
  readonly explain?: boolean;
  /** Aborts when the caller disconnects. */
  readonly gone: AbortSignal;
  /** Returns whether the caller's key or session can still access the server. */
  readonly isOpen: () => Promise<boolean>;
}

/** Expected number of matches. */
export interface ExactCount {
  readonly count: number;
  /** Wait for further matches after the last expected one, in milliseconds. */
  readonly settleMs: number;
}

/** Result of a search. */
export interface SearchOutcome {
  readonly page: SummaryPage;
  /** Pause before a repeated search of polling clients in milliseconds: 0 when the repeat will be held, else 1000. */
  readonly delayMs: 0 | 1000;
  /** Whether the caller expected no match and a message matched, or another number of matches. */
  readonly unexpected: boolean;
  /** Null unless it was requested and too few messages matched. */
  readonly explanation: SearchExplanation | null;
}

type FoundPage = Omit<SearchOutcome, "explanation">;

/** Longest wait of a repeated search of a polling client in milliseconds. */
const pollHoldMs = 1000;

/**
 * Searches, and waits if requested: until `countMin` messages match, `timeoutMs` has passed, or the service shuts down.
 * Rejects with `unauthenticated` as soon as the caller's key or session is revoked or expires. Without `timeoutMs`, a search
 * that repeats an empty one of the same key within three seconds is a poll and is held for up to a second. Rejects as {@link foldCriteria} does, with a 400 on the parameters of waiting, with `unavailable` when
 * `waiterCountMax` requests wait already, and with `too_many_requests` when `waiterCountPerKeyMax` of the key do.
 */
export async function searchMessages(
  context: Context,
  principal: Principal,
  request: SearchRequest,
): Promise<SearchOutcome> {
  checkWaiting(context, request);
  const server = await openServer(context, principal, request.server);
  const { query = null } = request;
  const criteria = foldRequested(request, context.limits.searchTextLengthMax);
  const expression = and(criteriaExpression(criteria), ...(query === null ? [] : [query.expression]));
  const { direction } = request.page;
  const interest: Interest = { server: server.id, direction, expression };
  const [startedAt, startedMs] = [context.clock.now(), context.clock.monotonicMs()];
  const outcome = await findMatches(context, interest, { principal, request });
  const isExplained =
    request.explain === true && !request.absent && outcome.page.count < (request.exactly?.count ?? request.countMin);
  if (!isExplained || request.gone.aborted) return { ...outcome, explanation: null };
  const { page, criteria: requested, gone: signal } = request;
  const waitedMs = context.clock.monotonicMs() - startedMs;
  const search = { server: server.id, criteria, requested, page, found: outcome.page, startedAt, waitedMs, signal };
  const explanation =
    query === null
      ? await explainSearch(context, principal, search)
      : await explainQuery(context, principal, { ...search, query });
  return { ...outcome, explanation };
}

function foldRequested({ criteria, query = null }: SearchRequest, lengthMax: number): Criteria {
  if (query !== null && givenCriteria(criteria).length === 0) return criteria;
  return foldCriteria(criteria, lengthMax);
}

async function findMatches(
  context: Context,
  interest: Interest,
  { principal, request }: { readonly principal: Principal; readonly request: SearchRequest },
): Promise<FoundPage> {
  const { timeoutMs, countMin, exactly = null } = request;
  if (exactly !== null) return searchExactly(context, interest, { principal, request, exactly });
  if (timeoutMs !== null) {
    const page = await searchUntil(context, interest, { principal, request, waitMs: timeoutMs, countMin });
    return { page, delayMs: 1000, unexpected: request.absent && page.count > 0 };
  }
  return answerPoll(context, interest, {
    principal,
    request,
    fingerprint: fingerprint(principal, interest.server, request),
  });
}

/** Waits for the expected number of matches, then for the settle time that no further message matches. */
async function searchExactly(
  context: Context,
  interest: Interest,
  { exactly, ...wait }: { principal: Principal; request: SearchRequest; exactly: ExactCount },
): Promise<FoundPage> {
  const { count, settleMs } = exactly;
  let page = await searchUntil(context, interest, { ...wait, waitMs: wait.request.timeoutMs ?? 0, countMin: count });
  if (page.count === count && !page.hasMore && !wait.request.gone.aborted)
    page = await searchUntil(context, interest, { ...wait, waitMs: settleMs, countMin: count + 1 });
  return { page, delayMs: 1000, unexpected: page.count !== count || page.hasMore };
}

async function answerPoll(
  context: Context,
  interest: Interest,
  poll: { principal: Principal; request: SearchRequest; fingerprint: string },
): Promise<FoundPage> {
  const { principal, request } = poll;
  const isHeld = context.polls.isRepeat(poll.fingerprint) && context.waiters.hasRoom(principal.keyId);
  const waitMs = isHeld ? pollHoldMs : 0;
  const page = await searchUntil(context, interest, { principal, request, waitMs, countMin: request.countMin });
  const unexpected = request.absent && page.count > 0;
  if (page.count > 0) return { page, delayMs: 1000, unexpected };
  context.polls.noteEmpty(poll.fingerprint);
  return { page, delayMs: context.waiters.hasRoom(principal.keyId) ? 0 : 1000, unexpected };
}

async function searchUntil(
  context: Context,
  interest: Interest,
  wait: { principal: Principal; request: SearchRequest; waitMs: number; countMin: number },
): Promise<SummaryPage> {
  const { principal, request, waitMs, countMin } = wait;
  const asked = { ...request.page, caller: principal.keyId, signal: request.gone };
  const { server, expression } = interest;
  const search = async (): Promise<SummaryPage> => context.store.searchMessages(server, expression, asked);
  if (waitMs === 0) return search();
  return waitForMessages(context, principal, {
    interests: [interest],
    waitMs,
    gone: request.gone,
    isOpen: request.isOpen,
    search,
    extend: (page, match) => addMatch(page, match, request.page),
    isComplete: (page) => page.count + (page.hasMore ? 1 : 0) >= countMin,
  });
}

/**
 * Returns a search without matches with the match that follows it, which need not be read from the store; undefined where
 * other changes lie between, or bounds of the page exclude the match.
 */
function addMatch(found: SummaryPage, match: NewMatch, page: Page): SummaryPage | undefined {
  const isNext = match.comparedFrom <= found.cursor + 1 && match.sequence > found.cursor;
  const isFirst = found.count === 0 && page.page === 0 && page.before === undefined;
  const { receivedAt } = decodeMessageId(match.id);
  const isWithin = receivedAt > (page.receivedAfter ?? -1) && match.sequence > (page.afterSequence ?? 0);
  if (!isNext || !isFirst || !isWithin) return undefined;
  return { json: match.summaryJson, count: 1, hasMore: false, total: 1, cursor: match.sequence };
}

function checkWaiting(context: Context, request: SearchRequest): void {
  const { timeoutMs, countMin, absent, page, exactly = null } = request;
  const { waitMsMax } = context.limits;
  const errors = new FieldCollector();
  if (timeoutMs !== null && !isWithin(timeoutMs, 0, waitMsMax)) {
    const description = `A whole number of milliseconds from 0 to ${String(waitMsMax)}`;
    errors.add({ field: "timeout", description, code: "invalid" });
  }
  if (!isWithin(countMin, 1, page.itemsPerPage) || (countMin > 1 && page.page !== 0)) {
    const description = "A whole number from 1 to itemsPerPage, on the first page";
    errors.add({ field: "count", description, code: "invalid" });
  } else if (absent && countMin !== 1) {
    errors.add({ field: "count", description: "Either absent or count, not both", code: "invalid" });
  }
  if (exactly !== null) checkExactCount(errors, request, { exactly, waitMsMax });
  errors.finish();
}

function checkExactCount(
  errors: FieldCollector,
  { timeoutMs, countMin, absent, page }: SearchRequest,
  { exactly, waitMsMax }: { readonly exactly: ExactCount; readonly waitMsMax: number },
): void {
  if (!isWithin(exactly.count, 1, page.itemsPerPage) || page.page !== 0) {
    const description = "A whole number from 1 to itemsPerPage, on the first page; absent=true expects none";
    errors.add({ field: "expect", description, code: "invalid" });
  } else if (absent || countMin !== 1) {
    errors.add({ field: "expect", description: "Only one of expect, count and absent", code: "invalid" });
  }
  if (!isWithin(exactly.settleMs, 0, waitMsMax - (timeoutMs ?? 0))) {
    const description = `A whole number of milliseconds, with timeout at most ${String(waitMsMax)}`;
    errors.add({ field: "settle", description, code: "invalid" });
  }
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max;
}

function fingerprint(principal: Principal, server: ServerId, request: SearchRequest): string {
  const { criteria, page, countMin, absent, query = null } = request;
  const wanted = [criteriaKey(criteria), query?.text ?? null];
  return JSON.stringify([principal.keyId, server, wanted, page, countMin, absent]);
}
