/** Query parameters that list and search share. */
import { labelRoles, type Page } from "../../core/criteria.ts";
import { invalidField, notFound } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { parseMessageId, type MessageId } from "../../core/ids.ts";
import type { Limits } from "../../core/limits.ts";
import type { Direction } from "../../core/message.ts";
import { parseInstant } from "./date.ts";
import type { Query } from "./query.ts";

/** Rules for decoding a page. */
export interface PageRules {
  readonly limits: Pick<Limits, "itemsPerPageMax">;
  /** Whether an unknown `dir` is ignored, as official libraries need it, or rejected. */
  readonly ignoresUnknownDirection: boolean;
}

const itemsPerPageDefault = 50;
/** Beyond every list, and small enough for arithmetic. */
const pageMax = 2 ** 31;
const pageBounds = { min: 0, max: Infinity };
const cursorBounds = { min: 0, max: Number.MAX_SAFE_INTEGER };
const pageNames = ["server", "itemsPerPage", "receivedAfter", "dir", "after", "full", "explain", "q", "timeZone"];
const repeatedParameters = [...pageNames, ...labelRoles].map((name) => {
  return { name, folded: name.toLowerCase() };
});
/** Largest number of full messages in one response. */
const fullMessagesMax = 100;
/** Milliseconds that a search with `expect` waits for further matches. */
const settleMsDefault = 1000;
const wholeNumber = /^\d+$/;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns the parameter `server`; throws a 400 on it when it is missing. */
export function requireServer(query: Query): string {
  const server = query.get("server") ?? "";
  if (server === "") throw invalidField("server", "Give the id of a server", "required");
  return server;
}

/** Decodes the requested page; throws a 400 that names every wrong parameter. Empty parameters count as absent. */
export function decodePage(query: Query, rules: PageRules): Page {
  const { itemsPerPageMax } = rules.limits;
  const errors = new FieldCollector();
  const page = errors.collect(() => decodeInteger(query, "page", pageBounds)) ?? 0;
  const itemsPerPage =
    errors.collect(() => decodeInteger(query, "itemsPerPage", { min: 1, max: itemsPerPageMax })) ??
    Math.min(itemsPerPageDefault, itemsPerPageMax);
  const receivedAfter = errors.collect(() => instant(query)) ?? null;
  const requested = query.get("dir") ?? "";
  const dir = errors.collect(() => direction(requested, rules.ignoresUnknownDirection)) ?? "Received";
  const afterSequence = errors.collect(() => decodeInteger(query, "after", cursorBounds)) ?? null;
  const before = errors.collect(() => beforeOf(query));
  errors.finish();
  return { page: Math.min(page, pageMax), itemsPerPage, receivedAfter, direction: dir, afterSequence, ...before };
}

/**
 * Returns whether a search responds with full messages. Throws a 400 when a page would hold too many of them; `page` is
 * null when the request has none that can be read.
 */
export function decodeFull(query: Query, page: Pick<Page, "itemsPerPage"> | null): boolean {
  const isFull = flag(query, "full");
  if (!isFull || page === null || page.itemsPerPage <= fullMessagesMax) return isFull;
  const text = `With full messages a page has at most ${String(fullMessagesMax)} items`;
  throw invalidField("itemsPerPage", text, "out_of_range");
}

/** Parameters of {@link decodeWait}. */
export interface WaitParameters {
  readonly timeoutMs: number | null;
  readonly countMin: number;
  readonly absent: boolean;
  /** Null without `expect`. */
  readonly exactly: { readonly count: number; readonly settleMs: number } | null;
  readonly explain: boolean;
}

/**
 * Decodes how a search waits; absent parameters mean that it does not. Throws a 400 that names every parameter that is
 * not a whole number within the limits; their combination is checked by the operation.
 */
export function decodeWait(
  query: Query,
  { waitMsMax, itemsPerPageMax }: Pick<Limits, "waitMsMax" | "itemsPerPageMax">,
): WaitParameters {
  const errors = new FieldCollector();
  const timeoutMs = errors.collect(() => decodeInteger(query, "timeout", { min: 0, max: waitMsMax })) ?? null;
  const countMin = errors.collect(() => decodeInteger(query, "count", { min: 1, max: itemsPerPageMax })) ?? 1;
  const absent = errors.collect(() => flag(query, "absent")) ?? false;
  const expected = errors.collect(() => decodeInteger(query, "expect", { min: 1, max: itemsPerPageMax })) ?? null;
  const settleMs = errors.collect(() => decodeInteger(query, "settle", { min: 0, max: waitMsMax })) ?? settleMsDefault;
  const explain = errors.collect(() => flag(query, "explain")) ?? false;
  errors.finish();
  return { timeoutMs, countMin, absent, explain, exactly: expected === null ? null : { count: expected, settleMs } };
}

/**
 * Returns the URL of the next page, relative to the host. It repeats known parameters only, so that no secret of the
 * query string is repeated.
 */
export function nextPageUrl(path: string, query: Query, page: Page): string {
  const before = page.before === undefined ? "" : `&before=${page.before}`;
  return `${path}?page=${String(page.page + 1)}${repeated(query)}${before}`;
}

/** Returns the URL of the messages older than `before`, when a page ended early; otherwise like {@link nextPageUrl}. */
export function restOfPageUrl(path: string, query: Query, before: MessageId): string {
  return `${path}?page=0${repeated(query)}&before=${before}`;
}

function repeated(query: Query): string {
  let parameters = "";
  for (const { name, folded } of repeatedParameters) {
    const value = query.get(folded) ?? "";
    if (value !== "") parameters += `&${name}=${encodeURIComponent(value.toWellFormed())}`;
  }
  return parameters;
}

function flag(query: Query, name: string): boolean {
  switch ((query.get(name) ?? "").toLowerCase()) {
    case "":
    case "false":
      return false;
    case "true":
      return true;
    default:
      throw invalidField(name, "Must be true or false");
  }
}

/** Decodes a whole number within bounds; null when it is absent or empty. Throws a 400 on the parameter. */
export function decodeInteger(query: Query, name: string, bounds: { min: number; max: number }): number | null {
  const text = query.get(name.toLowerCase()) ?? "";
  if (text === "") return null;
  const number = wholeNumber.test(text) ? Number(text) : Number.NaN;
  if (number >= bounds.min && number <= bounds.max) return number;
  const upTo = bounds.max === Infinity ? "" : ` to ${String(bounds.max)}`;
  throw invalidField(name, `Must be a whole number from ${String(bounds.min)}${upTo}`, "out_of_range");
}

function beforeOf(query: Query): Pick<Page, "before"> {
  const text = query.get("before") ?? "";
  if (text === "") return {};
  const before = parseMessageId(text);
  if (before === undefined && uuid.test(text)) throw notFound("Message");
  if (before === undefined) throw invalidField("before", "Must be the id of a message");
  return { before };
}

function instant(query: Query): number | null {
  const text = query.get("receivedafter") ?? "";
  if (text === "") return null;
  const ms = parseInstant(text);
  if (ms === undefined) {
    throw invalidField(
      "receivedAfter",
      "Must be an ISO 8601 or RFC 5322 date-time, or epoch milliseconds",
      "invalid_date",
    );
  }
  return ms;
}

function direction(text: string, ignoresUnknown: boolean): Direction {
  switch (text.toLowerCase()) {
    case "sent":
      return "Sent";
    case "":
    case "received":
      return "Received";
    default:
      if (ignoresUnknown) return "Received";
      throw invalidField("dir", "Must be Sent or Received");
  }
}
