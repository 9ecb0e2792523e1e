import type { Principal } from "../../core/api-key.ts";
import { criteriaExpression } from "../../core/search/build-expression.ts";
import {
  type Criteria,
  type CriterionName,
  type LabelRole,
  type Page,
  criterionTargets,
  givenCriteria,
} from "../../core/criteria.ts";
import { parseServerId, type ServerId } from "../../core/ids.ts";
import type { Summary, Contact } from "../../core/message.ts";
import { differenceOf } from "../../core/near-miss.ts";
import {
  type FailedCriterion,
  type NearMiss,
  type SearchExplanation,
  explainedValue,
  explainedValueCountMax,
  nearestMessageCountMax,
  otherServerCountMax,
} from "../../core/search-explanation.ts";
import type { SearchPage } from "../../store/store.ts";
import type { Context } from "../context.ts";
import { findCatchAll } from "../inbound/resolve-recipient.ts";
import { decodeDetail, type StoredMessageDetail, summariesOf } from "../services/reading/stored-detail.ts";
import { explanationOf, nearMissOf, readArrivals, type Arrivals, type UnmetSearch } from "./explain-query.ts";

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
  context: Context,
  principal: Principal,
  search: UnmetSearch,
): Promise<SearchExplanation> {
  const arrivals = await readArrivals(context, principal, search);
  const candidates = [
    ...(await compareArrived(search, arrivals)),
    ...(await excludedMatches(context, principal, { search, within: arrivals.page })),
  ];
  const nearest: NearMiss[] = [];
  for (const candidate of nearestOf(candidates, search.requested)) {
    nearest.push(await showCandidate(context, search.requested, candidate));
  }
  return explanationOf(arrivals, nearest, search);
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

/** Compares the messages that arrived with each criterion, as the store compares them. */
async function compareArrived(search: UnmetSearch, arrivals: Arrivals): Promise<readonly Candidate[]> {
  if (arrivals.summaries.length === 0) return [];
  const meeting = new Map<CriterionName, ReadonlySet<string>>();
  for (const name of givenCriteria(search.criteria)) {
    const expression = criteriaExpression({ match: "ALL", [name]: search.criteria[name] });
    meeting.set(name, await arrivals.matching(expression));
  }
  const found = new Set<string>(summariesOf(search.found).map(({ id }) => id));
  return arrivals.summaries.flatMap((summary) => {
    if (found.has(summary.id)) return [];
    const names = givenCriteria(search.criteria).filter((name) => meeting.get(name)?.has(summary.id) !== true);
    const isMatch = search.criteria.match === "ALL" ? names.length === 0 : names.length < meeting.size;
    const excludedBy = isMatch ? excludingParameter(search.page, summary, arrivals.until) : null;
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
  context: Context,
  principal: Principal,
  { search, within }: { readonly search: UnmetSearch; readonly within: SearchPage },
): Promise<readonly Candidate[]> {
  const { direction } = search.page;
  const page = { ...within, itemsPerPage: nearestMessageCountMax };
  const expression = criteriaExpression(search.criteria);
  const opposite = direction === "Received" ? "Sent" : "Received";
  const reversed = await context.store.searchMessages(search.server, expression, { ...page, direction: opposite });
  const hint = `search with dir=${opposite}`;
  const excluded = summariesOf(reversed).map((summary): Candidate => {
    const excludedBy = { criterion: "dir", expected: direction, actual: [opposite], hint };
    return { summary, failed: [], excludedBy, distance: 0 };
  });
  const distance = search.criteria.sentTo === undefined ? otherServerDistance : 0;
  const elsewhere: Candidate[] = [];
  for (const server of await otherServers(context, principal, search)) {
    for (const summary of summariesOf(await context.store.searchMessages(server, expression, page))) {
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
  context: Context,
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
  { store }: Context,
  requested: Criteria,
  { summary, failed, excludedBy }: Candidate,
): Promise<NearMiss> {
  const bytes = await store.getDetail(summary.id);
  const detail = bytes === undefined ? null : decodeDetail(bytes).message;
  const failures = failed.map((name) => failedCriterion(name, requested, comparedValues(name, summary, detail)));
  return nearMissOf(summary, excludedBy === null ? failures : [excludedBy]);
}

function failedCriterion(name: CriterionName, requested: Criteria, values: readonly string[]): FailedCriterion {
  const expected = requested[name] ?? "";
  const actual = values.slice(0, explainedValueCountMax).map(explainedValue);
  const { hint } = differenceOf(name, expected, values);
  return { criterion: name, expected: explainedValue(expected), actual, hint };
}

/**
 * Returns the values of a message that a criterion is compared with. Those of the envelope and of providers are included
 * only with its detail; of the body only the excerpt of the summary.
 */
function comparedValues(name: CriterionName, summary: Summary, detail: StoredMessageDetail | null): readonly string[] {
  const target = criterionTargets[name];
  if (target.kind === "text") return [target.field === "subject" ? summary.subject : summary.summary];
  if (target.kind === "label") return labelsOf(target.role, detail);
  return [...new Set(target.role === "from" ? sendersOf(summary, detail) : recipientsOf(summary, detail))];
}

function labelsOf(role: LabelRole, detail: StoredMessageDetail | null): readonly string[] {
  const origin = detail?.provider ?? null;
  if (origin === null) return [];
  return role === "tag" ? origin.tags : [role === "provider" ? origin.name : origin.id];
}

function sendersOf(summary: Summary, detail: StoredMessageDetail | null): readonly string[] {
  const mailFrom = detail?.metadata.mailFrom ?? null;
  return [...addressesOf(summary.from), ...(mailFrom === null ? [] : [mailFrom])];
}

function recipientsOf({ to, cc, bcc }: Summary, detail: StoredMessageDetail | null): readonly string[] {
  return addressesOf([...to, ...cc, ...bcc, ...(detail?.metadata.rcptTo ?? [])]);
}

function addressesOf(contacts: readonly Contact[]): readonly string[] {
  return contacts.flatMap(({ email, phone }) => email ?? phone ?? []);
}
