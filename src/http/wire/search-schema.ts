import { build, byNumberToo, type ValueOf, orNull, schemaOf, type WireSchema } from "../../core/schema.ts";
import { searchedText } from "./text-schemas.ts";
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

/** Members of {@link WireCriteria}, for bodies that contain criteria beside other members. */
export const criteriaProperties = {
  sentFrom: searchedText("Whole e-mail address or phone number of the sender."),
  sentTo: searchedText("Whole e-mail address or phone number of a recipient."),
  subject: searchedText("Part of the subject."),
  body: searchedText("Part of the text or of the HTML, source or visible."),
  providerId: searchedText("Whole id of the message in the response of a provider's API."),
  tag: searchedText("Whole tag that the message was given through a provider's API."),
  provider: searchedText("Name of the provider whose API the message was submitted through."),
  match: byNumberToo(
    build.enum(["ALL", "ANY"], { default: "ALL", description: "Whether all criteria must match, or any one." }),
  ),
};

/** Request body of a search. */
export const criteriaSchema = build.partial(criteriaProperties);

/** JSON of criteria; all must match unless `match` says otherwise. */
export type WireCriteria = ValueOf<typeof criteriaSchema>;

/** Description of the parameter `q`, and of the member of the same name. */
export const queryDescription =
  "Query of words and operators, such as `from:alice -subject:test after:2h`; see the guide to searching.";

/** Request body of a search by criteria, a query or both. */
export const searchSchema = build.partial({ ...criteriaProperties, q: searchedText(queryDescription) });
