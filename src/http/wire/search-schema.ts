import type { Criteria } from "../../core/criteria.ts";
import { build, byNumberToo, type OptionalProperty, orNull, schemaOf, type WireSchema } from "../../core/schema.ts";
import { searchedText } from "./text-schemas.ts";
import type { DeletionResult } from "../../operations/messages/delete-messages.ts";
import type { SavedSearch } from "../../operations/searches/saved-searches.ts";
import type { SearchSuggestion } from "../../operations/searches/suggest-searches.ts";
import { suggestedMatchCountMax } from "../../core/limits.ts";

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

/** JSON of a search; `match` absent means `ALL`. */
export interface WireCriteria extends Omit<Criteria, "match"> {
  readonly match?: Criteria["match"];
}

const text = (description: string) => build.optional(searchedText({ description }));

/** Members of {@link WireCriteria}, for bodies that contain criteria beside other members. */
export const criteriaProperties: {
  readonly [Name in keyof WireCriteria]-?: OptionalProperty<Exclude<WireCriteria[Name], undefined>>;
} = {
  sentFrom: text("Whole e-mail address or phone number of the sender."),
  sentTo: text("Whole e-mail address or phone number of a recipient."),
  subject: text("Part of the subject."),
  body: text("Part of the text or of the HTML, source or visible."),
  providerId: text("Whole id of the message in the response of a provider's API."),
  tag: text("Whole tag that the message was given through a provider's API."),
  provider: text("Name of the provider whose API the message was submitted through."),
  match: build.optional(
    byNumberToo(
      build.enum(["ALL", "ANY"], { default: "ALL", description: "Whether all criteria must match, or any one." }),
    ),
  ),
};

/** Request body of a search. */
export const criteriaSchema: WireSchema<WireCriteria> = schemaOf<WireCriteria>()(build.object(criteriaProperties));

/** JSON of a search by criteria, a query or both. */
export interface WireSearch extends WireCriteria {
  readonly q?: string;
}

/** Description of the parameter `q`, and of the member of the same name. */
export const queryDescription =
  "Query of words and operators, such as `from:alice -subject:test after:2h`; see the guide to searching.";

/** Request body of a search by criteria, a query or both. */
export const searchSchema: WireSchema<WireSearch> = schemaOf<WireSearch>()(
  build.object({ ...criteriaProperties, q: text(queryDescription) }),
);
