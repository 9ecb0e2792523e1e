/** Explanation of a search that found too little, as the API returns it. */
import type { MessageId, ServerId } from "./ids.ts";
import type { Contact, Direction } from "./message.ts";

/** Messages that an explanation compares with the criteria, the newest ones. */
export const explainedMessageCountMax = 100;
/** Nearest messages that an explanation names. */
export const nearestMessageCountMax = 5;
/** Time before the start of a search from which arrivals are explained: mail is often sent before the search. */
export const explainedMsBefore = 60_000;
/** Servers, besides that of the search, in which an explanation looks for a match. */
export const otherServerCountMax = 20;
/** UTF-16 units of one value in an explanation. */
export const explainedValueLengthMax = 200;
/** Values of one criterion, and contacts of one field, in an explanation. */
export const explainedValueCountMax = 10;

/** A criterion or a parameter of the search that a message does not meet. */
export interface FailedCriterion {
  /** Name of the criterion or of the query parameter. */
  readonly criterion: string;
  readonly expected: string;
  /** Values of the message, shortened; empty when it has none. */
  readonly actual: readonly string[];
  /** Difference in words; null when the values have little in common. */
  readonly hint: string | null;
}

/** Message that a search did not return, and the criteria that it does not meet. */
export interface NearMiss {
  readonly id: MessageId;
  readonly server: ServerId;
  readonly direction: Direction;
  readonly received: string;
  readonly from: readonly Contact[];
  readonly to: readonly Contact[];
  readonly subject: string;
  readonly failed: readonly FailedCriterion[];
}

/** Reasons for which a search found too little. */
export interface SearchExplanation {
  /** The same in a few lines, for the output of a test. */
  readonly text: string;
  /** Instants between which arrivals were compared, ISO 8601 in UTC. */
  readonly since: string;
  readonly until: string;
  /** Messages of the server that arrived between them, at most {@link explainedMessageCountMax}. */
  readonly arrived: number;
  /** Whether more messages arrived, which were not compared. */
  readonly hasMore: boolean;
  /** Nearest first: fewest failed criteria, then smallest difference, then newest. */
  readonly nearest: readonly NearMiss[];
}

/** Returns a value as explanations show it: one line, shortened. */
export function explainedValue(value: string): string {
  const line = value.slice(0, 4 * explainedValueLengthMax).replaceAll(/\s+/gu, " ");
  const shown = line.length <= explainedValueLengthMax ? line : `${line.slice(0, explainedValueLengthMax - 1)}…`;
  return shown.toWellFormed();
}
