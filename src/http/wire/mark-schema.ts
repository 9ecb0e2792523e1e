/** Schemas of flags and tags of messages. */
import { markedMessageCountMax, markTagCountMax, markTagLengthMax } from "../../core/limits.ts";
import { type Marks, messageFlags } from "../../core/marks.ts";
import { build, refer, schemaOf, type ValueOf, type WireSchema } from "../../core/schema.ts";
import { searchedText, tagText } from "../../core/text-schemas.ts";
import { type Tagging, type TagRule, tagRuleCountMax } from "../../core/tagging.ts";

const ruleProperties = {
  q: searchedText("Query that a message has to match, as in searches, without `after:` and `before:`."),
  tags: build.array(build.string(), "Tags of messages that match."),
};

/** Schema of a rule. */
export const tagRuleSchema: WireSchema<TagRule> = schemaOf<TagRule>()(build.object(ruleProperties, { $id: "TagRule" }));

/** Schema of the settings of a server. */
export const taggingSchema: WireSchema<Tagging> = schemaOf<Tagging>()(
  build.object(
    {
      plusAddresses: build.boolean("Whether `user+tag@domain` as sender or recipient adds the tag."),
      rules: build.array(refer(tagRuleSchema), "Rules, all of which apply."),
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
  build.partial({
    plusAddresses: build.boolean({
      default: false,
      description: "Whether `user+tag@domain` as sender or recipient adds the tag.",
    }),
    rules: build.array(requestedRule, { maxItems: tagRuleCountMax, description: "Rules; none by default." }),
  }),
);

const flagsOf = (description: string) => build.array(build.enum(messageFlags), description);
const tagsOf = (description: string) =>
  build.array(build.string({ maxLength: markTagLengthMax }), { maxItems: markTagCountMax, description });
const flags = flagsOf("Flags, as those of IMAP.");
const newTagsOf = (description: string) =>
  build.array(tagText({ maxLength: markTagLengthMax }), { maxItems: markTagCountMax, description });
const tagsText = "Tags, by name; no two differ in letter case only.";
const tags = tagsOf(tagsText);

/** Schema of the marks of a message. */
export const marksSchema: WireSchema<Marks> = schemaOf<Marks>()(build.object({ flags, tags }, { $id: "Marks" }));

/** Request body of the marks of a message; absent members are empty. */
export const marksRequestSchema: WireSchema<Partial<Marks>> = schemaOf<Partial<Marks>>()(
  build.partial({ flags: flags, tags: newTagsOf(tagsText) }),
);

/** Schema of a message's marks in a list. */
export const markedMessageSchema = build.object(
  {
    id: build.string({ format: "uuid", description: "Id of the message." }),
    flags,
    tags,
    sequence: build.integer("Number of the last change of its marks."),
  },
  { $id: "MarkedMessage" },
);

/** JSON of a message's marks in a list. */
export type WireMarkedMessage = ValueOf<typeof markedMessageSchema>;

/** Request body of a change of marks. */
export const markChangeSchema = build.partial({
  ids: build.array(build.string(), {
    maxItems: markedMessageCountMax,
    description: "Ids of messages of the server; others are ignored.",
  }),
  addFlags: flagsOf("Flags to add."),
  removeFlags: flagsOf("Flags to remove."),
  addTags: newTagsOf("Tags to add; those that differ in letter case only are the same."),
  removeTags: build.array(build.string(), "Compared without case; removed before tags are added."),
});

/** JSON of a request to change the marks of messages. */
export type WireMarkChange = ValueOf<typeof markChangeSchema>;

/** Schema of the result when marks were changed. */
export const markResultSchema = build.object(
  { changed: build.integer("Number of messages whose flags or tags have changed.") },
  { $id: "MarkResult" },
);
