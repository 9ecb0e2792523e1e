import { criteriaProperties } from "../../core/criteria.ts";
import { build, orNull, schemaOf, type WireSchema, refer, type ValueOf } from "../../core/schema.ts";
import { searchedText } from "../../core/text-schemas.ts";
import type { SearchSuggestion } from "../../operations/searches/suggest-searches.ts";
import { suggestedMatchCountMax } from "../../core/limits.ts";
import { searchExplanationSchema } from "../../core/search-explanation.ts";
import { queryTermSchema } from "../../core/search/parse-query.ts";
import { summarySchema } from "../../core/message.ts";
import {
  journeyFailureSchema,
  journeyMessageCountMax,
  journeyStepCountMax,
  journeyStepNameLengthMax,
} from "../../core/journey.ts";

/** Suggestion as JSON. */
export type WireSuggestion = Omit<SearchSuggestion, "server"> & { readonly server: string | null };

const nullableText = (description: string) => orNull(build.string(), description);

/** Schema of a suggested search. */
export const searchSuggestionSchema: WireSchema<WireSuggestion> = schemaOf<WireSuggestion>()(
  build.object(
    {
      kind: build.enum(
        ["direction", "servers", "replace", "without"],
        "Difference from the requested search: the other direction, all servers, one term replaced, or one left out.",
      ),
      q: build.string("Query to search for."),
      server: nullableText("Id of the server to search; null for all servers of the key."),
      dir: build.enum(["Received", "Sent"], "Direction to search."),
      term: nullableText("Term of the requested query that is replaced or left out; null where there is none."),
      replacement: nullableText("Replacement of `term`; null where there is none."),
      count: build.integer(`Number of messages that match, at most ${suggestedMatchCountMax}.`),
      isExact: build.boolean("Whether no more messages match than `count`."),
    },
    { $id: "SearchSuggestion" },
  ),
);

/** Description of the parameter `q`, and of the member of the same name. */
export const queryDescription =
  "Query of words and operators, such as `from:alice -subject:test after:2h`; see the guide to searching.";

/** Request body of a search by criteria, a query or both. */
export const searchSchema = build.partial({ ...criteriaProperties, q: searchedText(queryDescription) });

/** Schema of a query as it was understood. */
const understoodQuerySchema = build.object(
  {
    q: build.string("The query as it was given."),
    terms: build.array(refer(queryTermSchema), "Its terms, in order."),
  },
  { $id: "UnderstoodQuery" },
);

/** Query of a caller, and its terms as they were understood. */
export type WireQuery = ValueOf<typeof understoodQuerySchema>;

/** Schema of the response to a search with `explain=true`. */
export const explainedSearchSchema: WireSchema<unknown> = build.object(
  {
    items: build.array(refer(summarySchema)),
    explanation: orNull(refer(searchExplanationSchema)),
    query: orNull(refer(understoodQuerySchema)),
  },
  { $id: "ExplainedSearch", description: "Response to a search with `explain=true`." },
);

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
const stepResultSchema = build.object(
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
