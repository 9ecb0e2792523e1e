/** Schemas of journeys. */
import {
  journeyFailureSchema,
  journeyMessageCountMax,
  journeyStepCountMax,
  journeyStepNameLengthMax,
} from "../../core/journey.ts";
import type { Direction } from "../../core/message.ts";
import { summarySchema } from "../../core/message.ts";
import { build, orNull, refer, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";
import { criteriaProperties, type WireCriteria } from "./search-schema.ts";

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
