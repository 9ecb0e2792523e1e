/** Bounds of the messages that lists, searches and waits consider. */
import type { RequestOptions } from "./options.ts";
import type { TransportOptions } from "./transport.ts";

/** Instant: ISO 8601, epoch milliseconds or a date. */
export type Instant = string | number | Date;

/** Bounds of the messages that a wait considers. Without one, messages that arrived before the wait count, too. */
export interface Bounds {
  /** Only messages received strictly after this instant. */
  readonly receivedAfter?: Instant | undefined;
  /** Only messages committed after this cursor, as of `messages.cursor`. */
  readonly after?: number | undefined;
  /** Received messages (default), or those that the service sent. */
  readonly dir?: "Received" | "Sent" | undefined;
}

/** Time of a wait for messages. */
export const waitMsDefault = 10_000;
/** Time of a request beside its wait. */
const requestMs = 30_000;
/** Returns query parameters without those that are undefined. */
export function defined<Query extends object>(
  query: Query,
): { [Name in keyof Query]?: Exclude<Query[Name], undefined> } {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as never;
}

/** Returns the query parameters of bounds. */
export function boundsOf({ receivedAfter, after, dir }: Bounds): {
  receivedAfter?: string | number;
  after?: number;
  dir?: "Received" | "Sent";
} {
  return {
    ...(receivedAfter !== undefined && {
      receivedAfter: receivedAfter instanceof Date ? receivedAfter.toISOString() : receivedAfter,
    }),
    ...(after !== undefined && { after }),
    ...(dir !== undefined && { dir }),
  };
}

/** Returns the options of a request that the service holds for some milliseconds. It changes nothing, so it may be repeated. */
export function waiting({ signal, requestTimeout = requestMs }: RequestOptions, ms: number): TransportOptions {
  return { signal, requestTimeout: requestTimeout + ms, isRepeatable: true };
}
