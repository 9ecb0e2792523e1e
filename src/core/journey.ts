/** Journeys: sets of messages that a test expects, which one request awaits. */
import { build, orNull, refer, type ValueOf } from "./schema.ts";
import type { Criteria } from "./criteria.ts";
import { type Direction, summarySchema } from "./message.ts";
import { searchExplanationSchema } from "./search-explanation.ts";

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

/** Schema of a step that was not met. */
export const journeyFailureSchema = build.object(
  {
    step: build.integer("Position of the step, from 0."),
    name: orNull(build.string(), "Name of the step; null without one."),
    reason: build.enum(["missing", "unexpected"], "Whether messages are missing, or arrived though none should."),
    expected: build.integer("Number of messages that the step expects."),
    messages: build.array(
      refer(summarySchema),
      "The unexpected messages, or matches that came too early or belong to other steps; at most five.",
    ),
    text: build.string("The reason in a sentence."),
    explanation: orNull(
      refer(searchExplanationSchema),
      "Why nothing matched; null for unexpected messages and after the third missing step.",
    ),
  },
  { $id: "JourneyFailure" },
);

/** Reason for which a step was not met. */
export type JourneyFailure = ValueOf<typeof journeyFailureSchema>;
