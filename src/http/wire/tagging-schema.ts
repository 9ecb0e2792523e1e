/** Schema of the settings for tags of messages that arrive; the compiler compares it with `core/tagging.ts`. */
import type { Tagging, TagRule } from "../../core/tagging.ts";
import { build, refer, schemaOf, type WireSchema } from "./schema.ts";

const ruleProperties = {
  q: build.string({
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

/** Request body that replaces the settings. */
export const taggingRequestSchema: WireSchema<Partial<Tagging>> = schemaOf<Partial<Tagging>>()(
  build.object({
    plusAddresses: build.optional(
      build.boolean({
        default: false,
        description: "Whether `user+tag@domain` as sender or recipient adds the tag.",
      }),
    ),
    rules: build.optional(build.array(build.object(ruleProperties), { description: "Rules; none by default." })),
  }),
);
