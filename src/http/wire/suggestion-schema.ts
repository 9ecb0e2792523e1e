/** Schema of suggestions for searches. */
import type { SearchSuggestion } from "../../operations/searches/suggest-searches.ts";
import { suggestedMatchCountMax } from "../../core/limits.ts";
import { build, orNull, schemaOf, type WireSchema } from "./schema.ts";

/** Suggestion as JSON. */
export type WireSuggestion = Omit<SearchSuggestion, "server"> & { readonly server: string | null };

const nullableText = (description: string) => orNull(build.string(), { description });

/** Schema of a suggested search. */
export const searchSuggestionSchema: WireSchema<WireSuggestion> = schemaOf<WireSuggestion>()(
  build.object(
    {
      kind: build.enum(["direction", "servers", "replace", "without"], {
        description:
          "Difference from the requested search: the other direction, all servers, one term replaced, or one left out.",
      }),
      q: build.string({ description: "Query to search for." }),
      server: nullableText("Id of the server to search; null for all servers of the key."),
      dir: build.enum(["Received", "Sent"], { description: "Direction to search." }),
      term: nullableText("Term of the requested query that is replaced or left out; null where there is none."),
      replacement: nullableText("Replacement of `term`; null where there is none."),
      count: build.integer({ description: `Number of messages that match, at most ${suggestedMatchCountMax}.` }),
      isExact: build.boolean({ description: "Whether no more messages match than `count`." }),
    },
    { $id: "SearchSuggestion" },
  ),
);
