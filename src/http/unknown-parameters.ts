import { FieldCollector } from "../core/field-collector.ts";
import { nearestName } from "../core/nearest-name.ts";
import type { Route } from "./route.ts";
import type { Query } from "./wire/query.ts";

/** Parameter of the web UI's signed URLs, which every documented GET route takes. */
const ticketParameter = "ticket";
/** Longest part of an unknown name that an error repeats. */
const nameLengthMax = 64;

/**
 * Throws a 400 that names every query parameter that a documented route does not have, with the most similar name of one
 * that it has, and every parameter that occurs more than once. Parameter names are compared in lower case, as {@link Query} holds them.
 */
export function rejectUnknownParameters(route: Route, query: Query): void {
  if (query.size === 0 || route.operationId === null) return;
  const known = knownParameters(route);
  const unknown: string[] = [];
  for (const given of query.keys()) if (!known.has(given)) unknown.push(given);
  const { repeated = new Set<string>() } = query;
  if (unknown.length === 0 && repeated.size === 0) return;
  const names = (route.query ?? []).map(({ name }) => name);
  const errors = new FieldCollector();
  for (const given of unknown) {
    const field = given.slice(0, nameLengthMax).toWellFormed();
    errors.add({ field, description: describe(field, names), code: "unknown_parameter" });
  }
  for (const given of repeated) {
    if (known.has(given)) errors.add({ field: nameIn(names, given), description: "Give it once", code: "invalid" });
  }
  errors.finish();
}

/** Returns the name of a parameter in its own spelling. */
function nameIn(names: readonly string[], given: string): string {
  return names.find((name) => name.toLowerCase() === given) ?? given;
}

const knownByRoute = new WeakMap<Route, ReadonlySet<string>>();

/** Returns the names of a route's parameters in lower case. */
function knownParameters(route: Route): ReadonlySet<string> {
  const known = knownByRoute.get(route);
  if (known !== undefined) return known;
  const names = [...(route.query ?? []).map(({ name }) => name), ticketParameter];
  const lower = new Set(names.map((name) => name.toLowerCase()));
  knownByRoute.set(route, lower);
  return lower;
}

function describe(given: string, names: readonly string[]): string {
  if (names.length === 0) return "Unknown query parameter; this endpoint accepts none";
  const folded = new Map(names.map((name) => [name.toLowerCase(), name]));
  const nearest = folded.get(nearestName(given, Array.from(folded.keys())) ?? "");
  const hint = nearest === undefined ? `; this endpoint accepts ${names.join(", ")}` : `; did you mean ${nearest}?`;
  return `Unknown query parameter${hint}`;
}
