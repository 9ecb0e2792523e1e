import { invalidField } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import type { Limits } from "../../core/limits.ts";
import { decodePercent } from "../../core/text-encodings.ts";
import type { DeliveryQuery } from "../../operations/callbacks/deliveries.ts";
import { callbackStatuses } from "../../operations/callbacks/delivery-schema.ts";
import { parseInstant } from "./date.ts";
import type { WireReplayRequest } from "../../operations/callbacks/delivery-schema.ts";
import { decodePage } from "./page-query.ts";

/** Numbers written with a decimal point; JavaScript alone writes `1.0` as `1`. */
declare global {
  interface JSON {
    /** Value that `JSON.stringify` writes as the given JSON text (ECMA-262, proposal JSON.parse source text access). */
    rawJSON(text: string): object;
  }
}

/**
 * Returns a number for `JSON.stringify` with at least one digit behind its point (`1.0`) and never an exponent, since
 * some official libraries accept only such a literal as a float. Rounds to three digits; 0 for a number that is not
 * finite.
 */
export function decimal(value: number): number {
  const [whole = "0", fraction = ""] = (Number.isFinite(value) ? value : 0).toFixed(3).split(".");
  const text = `${whole}.${fraction.replace(/0{1,2}$/, "")}`;
  return JSON.rawJSON(text === "-0.0" ? "0.0" : text) as unknown as number;
}

/** Parameters of a query string by their lower-case names; of a repeated parameter, the first. */
export interface Query extends ReadonlyMap<string, string> {
  /** Names of the parameters that occur more than once; absent without any. */
  readonly repeated?: ReadonlySet<string>;
}

const none: Query = new Map();

/**
 * Parses a query string without its `?` (WHATWG URL, application/x-www-form-urlencoded). Never throws: invalid
 * percent-encoding stays as it is. Takes time linear in the text.
 */
export function parseQuery(text: string): Query {
  if (text === "") return none;
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decodeComponent(equals === -1 ? pair : pair.slice(0, equals)).toLowerCase();
    if (parameters.has(name)) repeated.add(name);
    else parameters.set(name, equals === -1 ? "" : decodeComponent(pair.slice(equals + 1)));
  }
  return repeated.size === 0 ? parameters : Object.assign(parameters, { repeated });
}

function decodeComponent(text: string): string {
  const spaced = text.includes("+") ? text.replaceAll("+", " ") : text;
  return spaced.includes("%") ? decodePercent(spaced) : spaced;
}

// Query parameters and bodies that select deliveries.

/** Decoded request for a page of deliveries. */
interface DeliveriesRequest {
  readonly filter: DeliveryQuery;
  readonly page: number;
  readonly itemsPerPage: number;
}

const filterNames = ["target", "message", "status", "type", "since", "before"];
/** Beyond it pages are empty: finding them would read all before. */
const pageMax = 10_000;

/** Decodes a page of deliveries; throws a 400 that names every wrong parameter. */
export function decodeDeliveryQuery(query: Query, limits: Pick<Limits, "itemsPerPageMax">): DeliveriesRequest {
  const errors = new FieldCollector();
  const pageQuery: Query = new Map([...query].filter(([name]) => !filterNames.includes(name)));
  const page = errors.collect(() => decodePage(pageQuery, { limits, ignoresUnknownDirection: false }));
  const given = filterNames.flatMap((name) => {
    const value = query.get(name) ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  const filter = errors.collect(() => decodeReplay(Object.fromEntries(given)));
  errors.finish();
  return { filter: filter ?? {}, page: Math.min(page?.page ?? 0, pageMax), itemsPerPage: page?.itemsPerPage ?? 1 };
}

/** Decodes a filter of deliveries; throws a 400 that names every wrong field. */
export function decodeReplay(request: Omit<WireReplayRequest, "status"> & { readonly status?: string }): DeliveryQuery {
  const errors = new FieldCollector();
  const { target, message, type, since, before } = request;
  const status = errors.collect(() => decodeStatus(request.status));
  errors.collect(() => checkId("target", target));
  errors.collect(() => checkId("message", message));
  const sinceAt = since === undefined ? undefined : errors.collect(() => decodeInstant("since", since));
  const beforeAt = before === undefined ? undefined : errors.collect(() => decodeInstant("before", before));
  errors.finish();
  return {
    ...(target !== undefined && { target }),
    ...(message !== undefined && { message }),
    ...(type !== undefined && { type }),
    ...(status !== undefined && { status }),
    ...(sinceAt !== undefined && { since: sinceAt }),
    ...(beforeAt !== undefined && { before: beforeAt }),
  };
}

/** Decodes an instant in milliseconds since the Unix epoch; throws a 400 on the field. */
export function decodeInstant(field: string, text: string): number {
  const instant = parseInstant(text);
  if (instant !== undefined) return Math.floor(instant);
  throw invalidField(field, "Must be an ISO 8601 or RFC 5322 date-time, or epoch milliseconds", "invalid_date");
}

/** Returns the URL of the next page, relative to the host. */
export function nextDeliveriesUrl(path: string, query: Query, page: number): string {
  const repeated = [...filterNames, "itemsPerPage"].flatMap((name) => {
    const value = query.get(name.toLowerCase()) ?? "";
    return value === "" ? [] : [`&${name}=${encodeURIComponent(value.toWellFormed())}`];
  });
  return `${path}?page=${String(page + 1)}${repeated.join("")}`;
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function checkId(field: "target" | "message", id: string | undefined): void {
  if (id !== undefined && !uuid.test(id)) throw invalidField(field, `Must be the id of a ${field}`);
}

function decodeStatus(text: string | undefined): DeliveryQuery["status"] | undefined {
  if (text === undefined) return undefined;
  const status = callbackStatuses.find((one) => one.toLowerCase() === text.toLowerCase());
  if (status !== undefined) return status;
  throw invalidField("status", `Must be one of ${callbackStatuses.join(", ")}`);
}
