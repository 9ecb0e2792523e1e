/** Journeys: sets of messages that a test expects, which one request awaits. */
import type { Criteria } from "./criteria.ts";
import type { Direction, Summary } from "./message.ts";
import type { SearchExplanation } from "./search-explanation.ts";

/** Steps of one journey. */
export const journeyStepCountMax = 10;
/** Messages that the steps of one journey expect together. */
export const journeyMessageCountMax = 50;
/** Matches of one step within the bounds of a journey; more are an error, because the assignment would be a guess. */
export const journeyMatchCountMax = 100;
/** UTF-16 units of the name of a step. */
export const journeyStepNameLengthMax = 100;

/**
 * Order of a journey. `given`: each message was received after those of the steps before. `any`: the order is not compared,
 * and a step that expects no message is the last one.
 */
export type JourneyOrder = "given" | "any";

/** Messages that a test expects, or that it expects not to arrive. */
export interface JourneyStep {
  /** Name for the response; null without one. */
  readonly name: string | null;
  readonly direction: Direction;
  /** Criteria that the messages match; null for any message. */
  readonly criteria: Criteria | null;
  /** Number of expected messages, from 1; 0 when the step expects that no message matches. */
  readonly count: number;
  /** Milliseconds after the step before for which no message may match; 0 when the step expects messages. */
  readonly quietMs: number;
}

/** Steps and their order. */
export interface Journey {
  readonly order: JourneyOrder;
  readonly steps: readonly JourneyStep[];
}

/** Reason for which a step was not met. */
export interface JourneyFailure {
  /** Position of the step, from 0. */
  readonly step: number;
  readonly name: string | null;
  /** `missing`: too few messages matched in time. `unexpected`: a message matched, though none should. */
  readonly reason: "missing" | "unexpected";
  readonly expected: number;
  /** `unexpected`: the messages; `missing`: matches that do not count because another step has them or they came too early. */
  readonly messages: readonly Summary[];
  /** The reason in a sentence. */
  readonly text: string;
  /** Explanation of a missing message; null for others. */
  readonly explanation: SearchExplanation | null;
}
