/** Schema of the settings for tags of messages that arrive; the compiler compares it with `core/tagging.ts`. */
import { tagRuleCountMax, type Tagging, type TagRule } from "../../core/tagging.ts";
import { markTagCountMax, markTagLengthMax } from "../../core/limits.ts";
import { build, refer, schemaOf, type WireSchema } from "./schema.ts";
import { searchedText, tagText } from "./text-schemas.ts";

const ruleProperties = {
  q: searchedText({
    description: "Query that a message has to match, as in searches, without `after:` and `before:`.",
  }),
  tags: build.array(build.string(), { description: "Tags of messages that match." }),
};

/** Schema of a rule. */
export const tagRuleSchema: WireSchema<TagRule> = schemaOf<TagRule>()(build.object(ruleProperties, { $id: "TagRule" }));

/** Schema of the settings of a server. */
export const taggingSchema: WireSchema<Tagging> = schemaOf<Tagging>()(
  build.object(
    {
      plusAddresses: build.boolean({
        description: "Whether `user+tag@domain` as sender or recipient adds the tag.",
      }),
      rules: build.array(refer(tagRuleSchema), { description: "Rules, all of which apply." }),
    },
    { $id: "Tagging" },
  ),
);

const requestedRule: WireSchema<TagRule> = build.object({
  q: ruleProperties.q,
  tags: build.array(tagText({ maxLength: markTagLengthMax }), {
    minItems: 1,
    maxItems: markTagCountMax,
    description: "Tags of messages that match.",
  }),
});

/** Request body that replaces the settings. */
export const taggingRequestSchema: WireSchema<Partial<Tagging>> = schemaOf<Partial<Tagging>>()(
  build.object({
    plusAddresses: build.optional(
      build.boolean({
        default: false,
        description: "Whether `user+tag@domain` as sender or recipient adds the tag.",
      }),
    ),
    rules: build.optional(
      build.array(requestedRule, { maxItems: tagRuleCountMax, description: "Rules; none by default." }),
    ),
  }),
);
