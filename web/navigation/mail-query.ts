/** Query of a message list and its form in addresses. */
import type { Criteria } from "../wire.ts";

/** A search criterion. */
export type CriterionName = "sentTo" | "sentFrom" | "subject" | "body" | "tag" | "provider" | "providerId";

/** Query of a message list. */
export interface MailQuery {
  /** Words and operators that a message has to meet all, as `q` of the API takes them; "" for none. */
  readonly q: string;
  readonly criteria: Criteria;
  /** Lower bound of the time received, ISO 8601; "" for none. */
  readonly receivedAfter: string;
  readonly direction: "Received" | "Sent";
}

/** Names of the criteria in addresses, in display order. */
export const criterionParameters: Readonly<Record<CriterionName, string>> = {
  sentTo: "to",
  sentFrom: "from",
  subject: "subject",
  body: "body",
  tag: "tag",
  provider: "provider",
  providerId: "providerId",
};
const names = Object.keys(criterionParameters) as readonly CriterionName[];

/** The query for all received messages. */
export const allReceived: MailQuery = { q: "", criteria: {}, receivedAfter: "", direction: "Received" };

/** Returns whether the query has search criteria. */
export function hasCriteria({ criteria }: MailQuery): boolean {
  return names.some((name) => criteria[name] !== undefined);
}

/** Returns whether the query differs from {@link allReceived}. */
export function isFiltered(query: MailQuery): boolean {
  return hasSearch(query) || query.direction === "Sent";
}

/** Returns whether the query leaves out messages of its direction. */
export function hasSearch(query: MailQuery): boolean {
  return query.q !== "" || hasCriteria(query) || query.receivedAfter !== "";
}

/** Returns the criteria of a query in display order. */
export function activeCriteria({ criteria }: MailQuery): readonly (readonly [CriterionName, string])[] {
  return names.flatMap((name) => {
    const text = criteria[name];
    return text === undefined ? [] : [[name, text] as const];
  });
}

/** Parses a query from the search part of an address; unknown parameters are ignored. */
export function parseMailQuery(search: string): MailQuery {
  const parameters = new URLSearchParams(search);
  const criteria: Record<string, string> = {};
  for (const name of names) {
    const text = parameters.get(criterionParameters[name]);
    if (text !== null && text !== "") criteria[name] = text;
  }
  if (parameters.get("match") === "any") criteria["match"] = "ANY";
  return {
    q: parameters.get("q") ?? "",
    criteria,
    receivedAfter: parameters.get("after") ?? "",
    direction: parameters.get("dir") === "sent" ? "Sent" : "Received",
  };
}

/** Formats a query as the search part of an address, with its question mark; "" for {@link allReceived}. */
export function formatMailQuery(query: MailQuery): string {
  const parameters = new URLSearchParams();
  if (query.q !== "") parameters.set("q", query.q);
  for (const [name, text] of activeCriteria(query)) parameters.set(criterionParameters[name], text);
  if (query.criteria.match === "ANY") parameters.set("match", "any");
  if (query.receivedAfter !== "") parameters.set("after", query.receivedAfter);
  if (query.direction === "Sent") parameters.set("dir", "sent");
  const text = parameters.toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns the query with one criterion set or, for "", removed. */
export function withCriterion(query: MailQuery, name: CriterionName, text: string): MailQuery {
  const { [name]: _former, ...others } = query.criteria;
  return { ...query, criteria: text === "" ? others : { ...others, [name]: text } };
}

/** Returns the terms of `q`: words, operators with their values, texts in quotes, groups in parentheses. */
export function termsOf(q: string): readonly string[] {
  const terms: string[] = [];
  let isQuoted = false;
  let depth = 0;
  let isNew = true;
  for (const character of q) {
    if (character === '"') isQuoted = !isQuoted;
    if (!isQuoted) depth += depthSteps[character] ?? 0;
    const isBlank = !isQuoted && depth <= 0 && /\s/.test(character);
    if (!isBlank) terms.push((isNew ? "" : (terms.pop() ?? "")) + character);
    isNew = isBlank;
  }
  // `OR` joins its neighbours, so the three are removed together.
  return terms.includes("OR") ? [terms.join(" ")] : terms;
}

const depthSteps: Readonly<Record<string, number>> = { "(": 1, ")": -1 };

/** Returns the query that a message also has to meet `terms` for. */
export function withTerms(query: MailQuery, terms: string): MailQuery {
  return { ...query, q: [query.q, terms].filter((one) => one !== "").join(" ") };
}

/** Returns the query without the term at `index` of {@link termsOf}. */
export function withoutTerm(query: MailQuery, index: number): MailQuery {
  return { ...query, q: termsOf(query.q).toSpliced(index, 1).join(" ") };
}

/** Returns the term by which an operator finds a text, as a whole. */
export function operatorTerm(operator: string, text: string): string {
  const value = text.replaceAll('"', " ").trim();
  return `${operator}:${/[\s()]/.test(value) ? `"${value}"` : value}`;
}

/** Returns the address of a search over all servers; `server` is the one that it was begun in, to return to. */
export function allServersAddress({ q, direction, receivedAfter }: MailQuery, server: string | null): string {
  const parameters = new URLSearchParams(formatMailQuery({ ...allReceived, q, direction, receivedAfter }));
  if (server !== null) parameters.set("server", server);
  const text = parameters.toString();
  return text === "" ? "/search" : `/search?${text}`;
}

/** Returns the time zone in which dates of queries are meant. */
export function localTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Messages per page of a list. */
export const pageSize = 100;

/** Returns the request parameters of a list, for one of its pages or, without `page`, for all. */
export function listQuery(
  server: string,
  query: MailQuery,
  page: { readonly page: number; readonly itemsPerPage: number } | null,
): string {
  const parameters = new URLSearchParams({ server });
  if (page !== null) {
    parameters.set("page", String(page.page));
    parameters.set("itemsPerPage", String(page.itemsPerPage));
  }
  parameters.set("dir", query.direction);
  if (query.receivedAfter !== "") parameters.set("receivedAfter", query.receivedAfter);
  if (query.q !== "") parameters.set("q", query.q);
  if (/\b(?:after|before):/i.test(query.q)) parameters.set("timeZone", localTimeZone());
  return parameters.toString();
}
