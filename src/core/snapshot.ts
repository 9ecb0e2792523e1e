/** Options of snapshots: texts of messages without what differs from one sending to the next. */
import { build, refusal, type ValueOf, type WireSchema } from "./schema.ts";

/** Most values that a request names. */
export const maskedValueCountMax = 100;
/** Most further header fields of a snapshot. */
export const snapshotHeaderCountMax = 50;

/** Schema of a value that differs from one sending to the next. */
const maskedValueSchema = build.object({
  name: build.string({
    pattern: "^[A-Za-z][A-Za-z0-9_-]{0,39}$",
    description: "Name that stands for the value: `{order}` for `order`.",
    [refusal]: { text: "Must be 1 to 40 letters, digits, - and _, and start with a letter" },
  }),
  value: build.string({ maxLength: 1000, description: "Text, also within URLs, in any letter case." }),
});

/** Schema of the values that a request names. */
export const maskSchema: WireSchema<readonly MaskedValue[]> = build.array(maskedValueSchema, {
  description: "Values that differ from one sending to the next, besides those that the service recognises.",
  maxItems: maskedValueCountMax,
});

/** Schema of the options of a snapshot. */
export const snapshotOptionsSchema = build.partial({
  mask: maskSchema,
  headers: build.array(
    build.string({
      pattern: "^[!-9;-~]{1,100}$",
      description: "Name of a header field.",
      [refusal]: { text: "Must be the name of a header field" },
    }),
    { description: "Further header fields to show.", maxItems: snapshotHeaderCountMax },
  ),
});

/** Options of a snapshot. */
export type SnapshotOptions = ValueOf<typeof snapshotOptionsSchema>;

/** Value that differs from one sending to the next, and the name that stands for it. */
export type MaskedValue = ValueOf<typeof maskedValueSchema>;
