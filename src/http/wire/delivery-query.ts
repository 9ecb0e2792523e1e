/** Query parameters and bodies that select deliveries. */
import { invalidField } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import type { Limits } from "../../core/limits.ts";
import type { DeliveryQuery } from "../../operations/callbacks/deliveries.ts";
import { callbackStatuses } from "../../operations/callbacks/shown-target.ts";
import { parseInstant } from "./date.ts";
import type { WireReplayRequest } from "./delivery-schema.ts";
import { decodePage } from "./page-query.ts";
import type { Query } from "./query.ts";

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
