import type { Criteria } from "../../core/criteria.ts";
import { build, byNumberToo, schemaOf, type OptionalProperty, type WireSchema } from "./schema.ts";
import { searchedText } from "./text-schemas.ts";

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
