/** What a list is asked for, as the address bar has it. */
import type { Criteria } from "../wire.ts";

/** One thing that a search may look for. */
export type CriterionName = "sentTo" | "sentFrom" | "subject" | "body";

/** Which messages a list shows. */
export interface MailQuery {
  readonly criteria: Criteria;
  /** Only messages received after this instant, ISO 8601; "" for no bound. */
  readonly receivedAfter: string;
  readonly direction: "Received" | "Sent";
}

/** The criteria by their names in the address bar, in the order in which they are shown. */
export const criterionParameters: Readonly<Record<CriterionName, string>> = {
  sentTo: "to",
  sentFrom: "from",
  subject: "subject",
  body: "body",
};
const names = Object.keys(criterionParameters) as readonly CriterionName[];

/** Everything that came in. */
export const allReceived: MailQuery = { criteria: {}, receivedAfter: "", direction: "Received" };

/** Whether anything is searched for. */
export function hasCriteria({ criteria }: MailQuery): boolean {
  return names.some((name) => criteria[name] !== undefined);
}

/** Whether the query leaves anything out of what came in. */
export function isFiltered(query: MailQuery): boolean {
  return hasCriteria(query) || query.receivedAfter !== "" || query.direction === "Sent";
}

/** The criteria that are given, in the order in which they are shown. */
export function activeCriteria({ criteria }: MailQuery): readonly (readonly [CriterionName, string])[] {
  return names.flatMap((name) => {
    const text = criteria[name];
    return text === undefined ? [] : [[name, text] as const];
  });
}

/** Reads a query from an address's search part; what it does not know is ignored. */
export function parseMailQuery(search: string): MailQuery {
  const parameters = new URLSearchParams(search);
  const criteria: Record<string, string> = {};
  for (const name of names) {
    const text = parameters.get(criterionParameters[name]);
    if (text !== null && text !== "") criteria[name] = text;
  }
  if (parameters.get("match") === "any") criteria["match"] = "ANY";
  return {
    criteria,
    receivedAfter: parameters.get("after") ?? "",
    direction: parameters.get("dir") === "sent" ? "Sent" : "Received",
  };
}

/** The search part of an address for a query, with its question mark; "" for {@link allReceived}. */
export function formatMailQuery(query: MailQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, text] of activeCriteria(query)) parameters.set(criterionParameters[name], text);
  if (query.criteria.match === "ANY") parameters.set("match", "any");
  if (query.receivedAfter !== "") parameters.set("after", query.receivedAfter);
  if (query.direction === "Sent") parameters.set("dir", "sent");
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** The query with one criterion set, or taken away for "". */
export function withCriterion(query: MailQuery, name: CriterionName, text: string): MailQuery {
  const { [name]: _former, ...others } = query.criteria;
  return { ...query, criteria: text === "" ? others : { ...others, [name]: text } };
}

/**
 * What a text typed into the search box most likely means: a whole address is a recipient, everything else is in the
 * subject or in the body.
 */
export function guessQuery(query: MailQuery, text: string): MailQuery {
  if (/^\S+@\S+\.\S+$/.test(text)) return withCriterion(query, "sentTo", text);
  const isFirst = !hasCriteria(query);
  const found = withCriterion(query, "subject", text);
  if (!isFirst) return found;
  const both = withCriterion(found, "body", text);
  return { ...both, criteria: { ...both.criteria, match: "ANY" } };
}

/** The parameters of the interface for one page of a list. */
export function listQuery(server: string, query: MailQuery, page: { page: number; itemsPerPage: number }): string {
  const parameters = new URLSearchParams({
    server,
    page: String(page.page),
    itemsPerPage: String(page.itemsPerPage),
    dir: query.direction,
  });
  if (query.receivedAfter !== "") parameters.set("receivedAfter", query.receivedAfter);
  return parameters.toString();
}
