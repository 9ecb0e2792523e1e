/** Schemas of searches with an explanation; the compiler compares each with its type in `core/search-explanation.ts`. */
import type { QueryTerm } from "../../core/search/parse-query.ts";
import type { FailedCriterion, NearMiss, SearchExplanation } from "../../core/search-explanation.ts";
import { contactSchema, summarySchema } from "../../core/message.ts";
import { build, orNull, refer, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";

const text = build.string();
const instant = build.string({ format: "date-time" });
const contacts = build.array(refer(contactSchema));

/** Schema of a criterion that a message does not meet. */
export const failedCriterionSchema: WireSchema<FailedCriterion> = schemaOf<FailedCriterion>()(
  build.object(
    {
      criterion: build.string({ description: "Name of the criterion or of the query parameter." }),
      expected: text,
      actual: build.array(text, { description: "Values of the message, shortened." }),
      hint: orNull(build.string({ description: "Difference in words; null when the values have little in common." })),
    },
    { $id: "FailedCriterion" },
  ),
);

/** Schema of a message that a search did not return. */
export const nearMissSchema: WireSchema<NearMiss> = schemaOf<NearMiss>()(
  build.object(
    {
      id: build.string({ format: "uuid" }),
      server: text,
      direction: build.enum(["Received", "Sent"]),
      received: instant,
      from: contacts,
      to: contacts,
      subject: text,
      failed: build.array(refer(failedCriterionSchema)),
    },
    { $id: "NearMiss" },
  ),
);

/** Schema of the reasons for which a search found too little. */
export const searchExplanationSchema: WireSchema<SearchExplanation> = schemaOf<SearchExplanation>()(
  build.object(
    {
      text: build.string({ description: "The explanation in a few lines, for the output of a test." }),
      since: instant,
      until: instant,
      arrived: build.integer({ description: "Messages that arrived between these instants, at most 100." }),
      hasMore: build.boolean({ description: "Whether more messages arrived, which were not compared." }),
      nearest: build.array(refer(nearMissSchema), { description: "The nearest messages, at most five." }),
    },
    { $id: "SearchExplanation" },
  ),
);

/** Schema of a term of a query. */
export const queryTermSchema: WireSchema<QueryTerm> = schemaOf<QueryTerm>()(
  build.object(
    {
      text: build.string({ description: "The term without quotes and negation." }),
      start: build.integer({ description: "Place in the query, in UTF-16 code units." }),
      end: build.integer({ description: "The place after its end." }),
      operator: orNull(build.string({ description: "Name of the operator; null for text." })),
      value: build.string({ description: "Value of the operator, or the text." }),
      isNegated: build.boolean({ description: "Whether the term excludes what it finds." }),
      meaning: build.string({ description: "Condition on a message in words, without the negation." }),
    },
    { $id: "QueryTerm" },
  ),
);

/** Schema of a query as it was understood. */
export const understoodQuerySchema = build.object(
  {
    q: build.string({ description: "The query as it was given." }),
    terms: build.array(refer(queryTermSchema), { description: "Its terms, in order." }),
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
