/** Schemas of saved searches and of deletions by a query. */
import type { DeletionResult } from "../../operations/messages/delete-matching.ts";
import type { SavedSearch } from "../../operations/searches/saved-searches.ts";
import { build, schemaOf, type WireSchema } from "./schema.ts";
import { searchedText } from "./text-schemas.ts";

const query = searchedText({ description: "Query of words and operators." });

/** Schema of a saved search. */
export const savedSearchSchema: WireSchema<SavedSearch> = schemaOf<SavedSearch>()(
  build.object(
    { name: build.string({ description: "Name; those of a server differ in more than letter case." }), q: query },
    { $id: "SavedSearch" },
  ),
);

/** Request body that saves a search. */
export const savedSearchRequestSchema: WireSchema<{ readonly q?: string }> = schemaOf<{ readonly q?: string }>()(
  build.object({ q: build.optional(query) }),
);

/** Schema of the result of a deletion by a query. */
export const deletionResultSchema: WireSchema<DeletionResult> = schemaOf<DeletionResult>()(
  build.object(
    {
      deleted: build.integer({ description: "Number of deleted messages." }),
      hasMore: build.boolean({ description: "Whether more messages match: repeat the request." }),
    },
    { $id: "DeletionResult" },
  ),
);
