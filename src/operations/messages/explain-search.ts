import type { Principal } from "../../core/api-key.ts";
import { type Criteria, type CriterionName, givenCriteria, type Page } from "../../core/criteria.ts";
import { decodeMessageId, encodeMessageId, type MessageId, parseServerId, type ServerId } from "../../core/ids.ts";
import type { Direction, Summary } from "../../core/message.ts";
import { differenceOf } from "../../core/near-miss.ts";
import {
  explainedMessageCountMax,
  explainedMsBefore,
  explainedValue,
  explainedValueCountMax,
  type FailedCriterion,
  nearestMessageCountMax,
  type NearMiss,
  otherServerCountMax,
  type SearchExplanation,
} from "../../core/search-explanation.ts";
import type { FoldedCriteria, SearchPage, SummaryPage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { findCatchAll } from "../inbound/authenticate-session.ts";
import { decodeDetail } from "../services/reading/stored-detail.ts";
import { comparedValues } from "./compared-values.ts";
import { explanationText } from "./explain-query.ts";
import { shownContacts } from "./shown-contacts.ts";

/** Search that found too little. */
export interface UnmetSearch {
  readonly server: ServerId;
  readonly criteria: FoldedCriteria;
  /** The criteria as the caller gave them. */
  readonly requested: Criteria;
  readonly page: Page;
  /** Messages that it found. */
  readonly found: SummaryPage;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Duration of the search. */
  readonly waitedMs: number;
  readonly signal: AbortSignal;
}

type Dependencies = Pick<Context, "store" | "clock" | "settings">;

/** Message that was not found: the criteria that it does not meet, or the parameter that excludes it. */
interface Candidate {
  readonly summary: Summary;
  readonly failed: readonly CriterionName[];
  readonly excludedBy: FailedCriterion | null;
  /** Distance of an excluded match, from 0 to 1. */
  readonly distance: number;
}

/** Distance of a match in another server when the search has no recipient: another test's mail may have the same subject. */
const otherServerDistance = 0.5;
/** Matches in other servers that an explanation names. */
const otherServerMatchCountMax = 2;

/** Candidates with the fewest failed criteria whose values are compared. */
const comparedCandidateCountMax = 20;

/**
 * Explains why a search found too little: compares the newest messages that arrived while it waited, or shortly before,
 * with each of its criteria, and looks for matches that its other parameters exclude. Reads at most
 * `explainedMessageCountMax` summaries for each criterion, and the details of the nearest messages.
 */
export async function explainSearch(
  context: Dependencies,
  principal: Principal,
  search: UnmetSearch,
): Promise<SearchExplanation> {
  const until = context.clock.now();
  const since = Math.min(search.startedAt - explainedMsBefore, search.page.receivedAfter ?? Infinity);
  const read = windowReader(context, principal, { search, since });
  const arrived = await read(search.server, search.page.direction, { criteria: null });
  const candidates = [
    ...(await compareArrived(search, { arrived: arrived.summaries, read, until })),
    ...(await excludedMatches(context, principal, { search, read })),
  ];
  const nearest: NearMiss[] = [];
  for (const candidate of nearestOf(candidates, search.requested)) {
    nearest.push(await showCandidate(context, search.requested, candidate));
  }
  const explanation = {
    since: new Date(Math.max(0, since)).toISOString(),
    until: new Date(until).toISOString(),
    arrived: arrived.summaries.length,
    hasMore: arrived.hasMore,
    nearest,
  };
  return { text: explanationText(explanation, search.waitedMs), ...explanation };
}

/** Returns the nearest candidates, nearest first. */
function nearestOf(candidates: readonly Candidate[], requested: Criteria): readonly Candidate[] {
  const count = ({ failed, excludedBy }: Candidate): number => failed.length + (excludedBy === null ? 0 : 1);
  const byCount = candidates.toSorted(
    (one, other) => count(one) - count(other) || Date.parse(other.summary.received) - Date.parse(one.summary.received),
  );
  const compared = byCount.slice(0, comparedCandidateCountMax).map((candidate) => {
    const distances = candidate.failed.map((name) => {
      return differenceOf(name, requested[name] ?? "", comparedValues(name, candidate.summary, null)).distance;
    });
    return { candidate, distance: distances.reduce((sum, distance) => sum + distance, candidate.distance) };
  });
  compared.sort((one, other) => count(one.candidate) - count(other.candidate) || one.distance - other.distance);
  return compared.slice(0, nearestMessageCountMax).map(({ candidate }) => candidate);
}

/** Reads the newest messages of a server in the explained time: all, or those that meet criteria. */
type WindowReader = (
  server: ServerId,
  direction: Direction,
  query: { readonly criteria: FoldedCriteria | null } & Partial<Page>,
) => Promise<{ readonly summaries: readonly Summary[]; readonly hasMore: boolean }>;

function windowReader(
  { store }: Dependencies,
  principal: Principal,
  { search, since }: { readonly search: UnmetSearch; readonly since: number },
): WindowReader {
  return async (server, direction, { criteria, ...bounds }) => {
    const page: SearchPage = {
      page: 0,
      itemsPerPage: explainedMessageCountMax,
      receivedAfter: since,
      direction,
      afterSequence: null,
      ...bounds,
      caller: principal.keyId,
      signal: search.signal,
    };
    const found = await (criteria === null
      ? store.listMessages(server, page)
      : store.searchMessages(server, criteria, page));
    return { summaries: summariesOf(found), hasMore: found.hasMore };
  };
}

/** Compares the messages that arrived with each criterion, as the store compares them. */
async function compareArrived(
  search: UnmetSearch,
  { arrived, read, until }: { arrived: readonly Summary[]; read: WindowReader; until: number },
): Promise<readonly Candidate[]> {
  const [newest] = arrived;
  if (newest === undefined) return [];
  // Excludes messages that arrive meanwhile, which would take the places of others.
  const before = nextId(newest.id);
  const meeting = new Map<CriterionName, ReadonlySet<string>>();
  for (const name of givenCriteria(search.criteria)) {
    const criteria: FoldedCriteria = { match: "ALL", [name]: search.criteria[name] };
    const { summaries } = await read(search.server, search.page.direction, { criteria, before });
    meeting.set(name, new Set(summaries.map(({ id }) => id)));
  }
  const found = new Set<string>(summariesOf(search.found).map(({ id }) => id));
  return arrived.flatMap((summary) => {
    if (found.has(summary.id)) return [];
    const names = givenCriteria(search.criteria).filter((name) => meeting.get(name)?.has(summary.id) !== true);
    const isMatch = search.criteria.match === "ALL" ? names.length === 0 : names.length < meeting.size;
    const excludedBy = isMatch ? excludingParameter(search.page, summary, until) : null;
    return [{ summary, failed: isMatch ? [] : names, excludedBy, distance: 0 }];
  });
}

/** Returns the parameter of the page for which a message that meets the criteria was not returned. */
function excludingParameter(page: Page, summary: Summary, until: number): FailedCriterion {
  const receivedMs = Date.parse(summary.received);
  const actual = [summary.received];
  if (page.receivedAfter !== null && receivedMs <= page.receivedAfter) {
    const expected = new Date(page.receivedAfter).toISOString();
    const hint = `received ${String(Math.ceil(page.receivedAfter - receivedMs))} ms too early`;
    return { criterion: "receivedAfter", expected, actual, hint };
  }
  if (page.before !== undefined && summary.id >= page.before)
    return { criterion: "before", expected: page.before, actual: [summary.id], hint: "this message is not older" };
  if (page.afterSequence !== null) {
    const hint = "this message was committed before the response with this cursor, or after the search ended";
    return { criterion: "after", expected: String(page.afterSequence), actual, hint };
  }
  if (page.page > 0) {
    const hint = "this message is on an earlier page";
    return { criterion: "page", expected: String(page.page), actual: [], hint };
  }
  const expected = new Date(until).toISOString();
  return { criterion: "timeout", expected, actual, hint: "arrived when the search had ended" };
}

/** Returns messages that meet the criteria in the other direction, and in other servers that the key can access. */
async function excludedMatches(
  context: Dependencies,
  principal: Principal,
  { search, read }: { readonly search: UnmetSearch; readonly read: WindowReader },
): Promise<readonly Candidate[]> {
  const { direction } = search.page;
  const query = { criteria: search.criteria, itemsPerPage: nearestMessageCountMax };
  const opposite = direction === "Received" ? "Sent" : "Received";
  const excluded: Candidate[] = [];
  for (const summary of (await read(search.server, opposite, query)).summaries) {
    const excludedBy = {
      criterion: "dir",
      expected: direction,
      actual: [opposite],
      hint: `search with dir=${opposite}`,
    };
    excluded.push({ summary, failed: [], excludedBy, distance: 0 });
  }
  const distance = search.criteria.sentTo === undefined ? otherServerDistance : 0;
  const elsewhere: Candidate[] = [];
  for (const server of await otherServers(context, principal, search)) {
    for (const summary of (await read(server, direction, query)).summaries) {
      const excludedBy = {
        criterion: "server",
        expected: search.server,
        actual: [server],
        hint: "is in another server",
      };
      elsewhere.push({ summary, failed: [], excludedBy, distance });
    }
    if (elsewhere.length >= otherServerMatchCountMax) break;
  }
  return [...excluded, ...elsewhere.slice(0, otherServerMatchCountMax)];
}

/** Returns other servers, those first in which the message is most likely: that of the recipient, and the catch-all. */
async function otherServers(
  context: Dependencies,
  principal: Principal,
  { server, criteria }: UnmetSearch,
): Promise<readonly ServerId[]> {
  if (principal.server !== null) return [];
  const domain = (criteria.sentTo ?? "").split("@").at(-1) ?? "";
  const named = parseServerId(domain.split(".", 1)[0] ?? "");
  const catchAll = await findCatchAll(context);
  const servers = (await context.store.listServers()).filter(({ messages }) => messages > 0).map(({ id }) => id);
  const likely = servers.filter((id) => id === named || id === catchAll);
  return [...new Set([...likely, ...servers])].filter((id) => id !== server).slice(0, otherServerCountMax);
}

async function showCandidate(
  { store }: Pick<Context, "store">,
  requested: Criteria,
  { summary, failed, excludedBy }: Candidate,
): Promise<NearMiss> {
  const { id, server, received, from, to, subject } = summary;
  const bytes = await store.getDetail(id);
  const detail = bytes === undefined ? null : decodeDetail(bytes).message;
  const failures = failed.map((name) => failedCriterion(name, requested, comparedValues(name, summary, detail)));
  return {
    id,
    server,
    direction: decodeMessageId(id).direction,
    received,
    from: shownContacts(from),
    to: shownContacts(to),
    subject: explainedValue(subject),
    failed: excludedBy === null ? failures : [excludedBy],
  };
}

function failedCriterion(name: CriterionName, requested: Criteria, values: readonly string[]): FailedCriterion {
  const expected = requested[name] ?? "";
  const actual = values.slice(0, explainedValueCountMax).map(explainedValue);
  const { hint } = differenceOf(name, expected, values);
  return { criterion: name, expected: explainedValue(expected), actual, hint };
}

function summariesOf({ json }: SummaryPage): readonly Summary[] {
  return JSON.parse(`[${Buffer.from(json).toString("utf8")}]`) as readonly Summary[];
}

function nextId(id: MessageId): MessageId {
  const parts = decodeMessageId(id);
  return encodeMessageId({ ...parts, random: Math.min(parts.random + 1, 0xffffffff) });
}
