/** Schemas of journeys. */
import {
  journeyFailureSchema,
  journeyMessageCountMax,
  journeyStepCountMax,
  journeyStepNameLengthMax,
} from "../../core/journey.ts";
import { summarySchema } from "../../core/message.ts";
import { build, orNull, refer, type ValueOf } from "../../core/schema.ts";
import { criteriaProperties } from "../../core/criteria.ts";

const stepSchema = build.partial({
  name: build.string({ maxLength: journeyStepNameLengthMax, description: "Name for the response." }),
  ...criteriaProperties,
  dir: build.enum(["Received", "Sent"], { default: "Received" }),
  count: build.integer({
    minimum: 0,
    maximum: journeyMessageCountMax,
    default: 1,
    description: "Number of messages that the step expects; 0 only with `quiet`.",
  }),
  quiet: build.integer({
    minimum: 1,
    maximum: 60_000,
    description:
      "Instead of `count`: milliseconds after the step before for which no message may match; any, without criteria.",
  }),
});

/** JSON of a step. */
export type WireStep = ValueOf<typeof stepSchema>;

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

/** Schema of the response to a journey; with `complete` false, it comes as a 409 with the members of an error. */
export const journeyResultSchema = build.object(
  {
    complete: build.boolean(),
    cursor: build.integer("Position up to which all messages were considered, for `after`."),
    steps: build.array(refer(stepResultSchema)),
    failures: build.array(refer(journeyFailureSchema), "Empty when the journey is complete."),
  },
  { $id: "JourneyResult" },
);

/** Response to a journey. */
export type WireJourneyResult = ValueOf<typeof journeyResultSchema>;
