import type { Principal } from "../../core/api-key.ts";
import { type Criteria, givenCriteria, type LabelRole, type Page } from "../../core/criteria.ts";
import { criteriaExpression } from "../../core/search/build-expression.ts";
import { and } from "../../core/search/search-expression.ts";
import type { SmtpSession } from "../../core/smtp-session.ts";
import type { SearchPage, SummaryPage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { foldCriteria, type SearchQuery } from "../services/search/read-search.ts";
import { inspectStored } from "../services/inspection/inspect-stored.ts";
import { decodeDetail, decodeExcerpt } from "../services/reading/stored-detail.ts";
import type { PartOutline } from "../services/reading/mail-files.ts";
import { countMessages, type MatchCount } from "../services/search/find-messages.ts";
import { callerOf, openMessageId, openServer, orNotFound } from "../services/security/access.ts";
import { showTranscript } from "./get-transcript.ts";

/** Request for a page of messages. */
interface ListRequest {
  readonly server: string;
  readonly page: Page;
  /** Criteria that all messages meet; absent ones do not count. */
  readonly criteria?: Partial<Record<LabelRole, string>>;
  /** Query that all messages meet; null or absent for none. */
  readonly query?: SearchQuery | null;
  /** Returns a signal that aborts when the caller disconnects; called for searches only. */
  readonly signal?: () => AbortSignal;
}

/** Returns one page of a server's summaries, newest first. Rejects with `not_found` and as {@link foldCriteria} does. */
export async function listMessages(context: Context, principal: Principal, request: ListRequest): Promise<SummaryPage> {
  const server = await openServer(context, principal, request.server);
  const { query = null, signal } = request;
  const hasCriteria = Object.keys(request.criteria ?? {}).length > 0;
  if (query !== null || hasCriteria) {
    const criteria: Criteria = { match: "ALL", ...request.criteria };
    const folded = hasCriteria ? foldCriteria(criteria, context.limits.searchTextLengthMax) : criteria;
    const page: SearchPage = { ...request.page, caller: principal.keyId, signal: signal?.() };
    const expression = and(criteriaExpression(folded), ...(query === null ? [] : [query.expression]));
    return context.store.searchMessages(server.id, expression, page);
  }
  return context.store.listMessages(server.id, request.page);
}

/** Matches that are counted at most. */
const countedMatchesMax = 10_000;

/** Request for the number of messages that a list or a search finds on all its pages. */
export interface CountRequest {
  readonly server: string;
  /** Number and size of the page do not count. */
  readonly page: Page;
  readonly criteria: Criteria;
  /** Null for none. */
  readonly query: SearchQuery | null;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Counts the matches of a list or a search, at most {@link countedMatchesMax}. Rejects with `not_found`, with
 * `unavailable` when the caller has disconnected, and as {@link foldCriteria} does.
 */
export async function countMatches(
  context: Context,
  principal: Principal,
  { server: serverText, page, criteria, query, signal }: CountRequest,
): Promise<MatchCount> {
  const server = (await openServer(context, principal, serverText)).id;
  const hasCriteria = givenCriteria(criteria).length > 0;
  const folded = hasCriteria ? foldCriteria(criteria, context.limits.searchTextLengthMax) : criteria;
  const expression = and(criteriaExpression(folded), ...(query === null ? [] : [query.expression]));
  const within = { ...page, caller: principal.keyId, signal };
  return await countMessages(context.store, server, { expression, within, countMax: countedMatchesMax });
}

/** Origin and structure of a message. */
export interface Trace {
  /** Size of the raw mail in bytes; 0 for SMS. */
  readonly sizeBytes: number;
  /** SMTP session; null without one. */
  readonly session: SmtpSession | null;
  /** MIME part tree; null for SMS. */
  readonly root: PartOutline | null;
  /** Whether the session or request was recorded. */
  readonly hasTranscript: boolean;
  /** Whether the link scanner has reported on the message. */
  readonly hasScan: boolean;
}

/** Returns the trace of one message. Rejects with `not_found`, and as the inspector does when the mail is large. */
export async function traceMessage(context: Context, principal: Principal, idText: string): Promise<Trace> {
  const id = openMessageId(principal, idText);
  const bytes = orNotFound(await context.store.getDetail(id), "Message");
  const detail = decodeDetail(bytes);
  const hasScan = (await context.store.annotations.getAnnotation(id, "scan")) !== undefined;
  const recorded = { session: detail.session, hasTranscript: showTranscript(detail) !== null, hasScan };
  const { sizeBytes } = decodeExcerpt(bytes);
  if (sizeBytes === 0) return { ...recorded, sizeBytes, root: null };
  const caller = callerOf(principal, context);
  return {
    ...recorded,
    sizeBytes,
    root: await inspectStored(context, { id, sizeBytes, inspection: { kind: "outline" } }, caller),
  };
}
