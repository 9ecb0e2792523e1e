/** Schemas of searches with an explanation. */
import { searchExplanationSchema } from "../../core/search-explanation.ts";
import { queryTermSchema } from "../../core/search/parse-query.ts";
import { summarySchema } from "../../core/message.ts";
import { build, orNull, refer, type ValueOf, type WireSchema } from "../../core/schema.ts";

/** Schema of a query as it was understood. */
export const understoodQuerySchema = build.object(
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
