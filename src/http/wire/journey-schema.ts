/** Schemas of journeys; the compiler compares them with the types in `core/journey.ts`. */
import {
  type JourneyFailure,
  journeyMessageCountMax,
  journeyStepCountMax,
  journeyStepNameLengthMax,
} from "../../core/journey.ts";
import type { Direction } from "../../core/message.ts";
import { searchExplanationSchema } from "./explanation-schema.ts";
import { summarySchema } from "../../core/message.ts";
import { build, orNull, refer, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";
import { criteriaProperties, type WireCriteria } from "./search-schema.ts";
import {
  type DuplicateDifference,
  duplicateFields,
  type DuplicateGroup,
  type DuplicateMessage,
} from "../../core/duplicates.ts";

/** Schema of a message of a group. */
export const duplicateMessageSchema: WireSchema<DuplicateMessage> = schemaOf<DuplicateMessage>()(
  build.object(
    {
      id: build.string({ format: "uuid" }),
      received: build.string({ format: "date-time" }),
      messageId: orNull(build.string({ description: "Message-ID with its angle brackets." })),
      delayMs: orNull(
        build.integer({
          description: "Milliseconds since the message of the group before; null for the oldest.",
        }),
      ),
    },
    { $id: "DuplicateMessage" },
  ),
);

/** Schema of a difference within a group. */
export const duplicateDifferenceSchema: WireSchema<DuplicateDifference> = schemaOf<DuplicateDifference>()(
  build.object(
    {
      field: build.enum(duplicateFields),
      values: build.array(orNull(build.string()), {
        description: "Value of each message, in the order of `messages`, shortened to 200 characters.",
      }),
    },
    { $id: "DuplicateDifference" },
  ),
);

/** Schema of a group of duplicates. */
export const duplicateGroupSchema: WireSchema<DuplicateGroup> = schemaOf<DuplicateGroup>()(
  build.object(
    {
      type: build.enum(["Email", "SMS"]),
      subject: build.string({
        description: "Subject of the newest message.",
      }),
      recipients: build.array(build.string(), {
        description: "Addresses or phone numbers that received all messages of the group, in lower case.",
      }),
      count: build.integer({
        minimum: 2,
        description: "Number of messages, including those that are not listed.",
      }),
      messages: build.array(refer(duplicateMessageSchema), {
        description: "The newest 20, newest first.",
      }),
      differences: build.array(refer(duplicateDifferenceSchema), {
        description: "At most 50.",
      }),
    },
    { $id: "DuplicateGroup" },
  ),
);

/** JSON of a step. */
export interface WireStep extends WireCriteria {
  readonly name?: string;
  readonly dir?: Direction;
  readonly count?: number;
  readonly quiet?: number;
}

const stepSchema: WireSchema<WireStep> = schemaOf<WireStep>()(
  build.object({
    name: build.optional(build.string({ maxLength: journeyStepNameLengthMax, description: "Name for the response." })),
    ...criteriaProperties,
    dir: build.optional(build.enum(["Received", "Sent"], { default: "Received" })),
    count: build.optional(
      build.integer({
        minimum: 0,
        maximum: journeyMessageCountMax,
        default: 1,
        description: "Number of messages that the step expects; 0 only with `quiet`.",
      }),
    ),
    quiet: build.optional(
      build.integer({
        minimum: 1,
        maximum: 60_000,
        description:
          "Instead of `count`: milliseconds after the step before for which no message may match; any, without criteria.",
      }),
    ),
  }),
);

/** Request body of a journey. */
export const journeySchema = build.object({
  order: build.optional(
    build.enum(["given", "any"], {
      default: "given",
      description: "Whether the messages of a step come after those of the step before, or in any order.",
    }),
  ),
  steps: build.array(stepSchema, { minItems: 1, maxItems: journeyStepCountMax }),
});

/** Schema of a step in the response. */
export const stepResultSchema = build.object(
  { name: orNull(build.string()), messages: build.array(refer(summarySchema)) },
  { $id: "JourneyStepResult", description: "Messages of one step, oldest first." },
);

/** Schema of a step that was not met. */
export const journeyFailureSchema: WireSchema<JourneyFailure> = schemaOf<JourneyFailure>()(
  build.object(
    {
      step: build.integer({ description: "Position of the step, from 0." }),
      name: orNull(build.string()),
      reason: build.enum(["missing", "unexpected"]),
      expected: build.integer(),
      messages: build.array(refer(summarySchema), {
        description: "The unexpected messages, or matches that came too early or belong to other steps; at most five.",
      }),
      text: build.string({ description: "The reason in a sentence." }),
      explanation: orNull(refer(searchExplanationSchema)),
    },
    { $id: "JourneyFailure" },
  ),
);

/** Schema of the response to a journey; with `complete` false, it comes as a 409 with the members of an error. */
export const journeyResultSchema = build.object(
  {
    complete: build.boolean(),
    cursor: build.integer({ description: "Position up to which all messages were considered, for `after`." }),
    steps: build.array(refer(stepResultSchema)),
    failures: build.array(refer(journeyFailureSchema), { description: "Empty when the journey is complete." }),
  },
  { $id: "JourneyResult" },
);

/** Response to a journey. */
export type WireJourneyResult = ValueOf<typeof journeyResultSchema>;
