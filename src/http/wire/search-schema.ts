import { criteriaProperties } from "../../core/criteria.ts";
import { build, orNull, schemaOf, type WireSchema } from "../../core/schema.ts";
import { searchedText } from "../../core/text-schemas.ts";
import type { DeletionResult } from "../../operations/messages/delete-messages.ts";
import type { SavedSearch } from "../../operations/searches/saved-searches.ts";
import type { SearchSuggestion } from "../../operations/searches/suggest-searches.ts";
import { suggestedMatchCountMax } from "../../core/limits.ts";

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

const query = searchedText("Query of words and operators.");

/** Schema of a saved search. */
export const savedSearchSchema: WireSchema<SavedSearch> = schemaOf<SavedSearch>()(
  build.object(
    { name: build.string("Name; those of a server differ in more than letter case."), q: query },
    { $id: "SavedSearch" },
  ),
);

/** Request body that saves a search. */
export const savedSearchRequestSchema = build.partial({ q: query });

/** Schema of the result of a deletion by a query. */
export const deletionResultSchema: WireSchema<DeletionResult> = schemaOf<DeletionResult>()(
  build.object(
    {
      deleted: build.integer("Number of deleted messages."),
      hasMore: build.boolean("Whether more messages match: repeat the request."),
    },
    { $id: "DeletionResult" },
  ),
);

/** Description of the parameter `q`, and of the member of the same name. */
export const queryDescription =
  "Query of words and operators, such as `from:alice -subject:test after:2h`; see the guide to searching.";

/** Request body of a search by criteria, a query or both. */
export const searchSchema = build.partial({ ...criteriaProperties, q: searchedText(queryDescription) });
