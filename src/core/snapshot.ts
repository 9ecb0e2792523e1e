/** Options of snapshots and of screenshots, which tests compare with earlier ones. */
import { build, refusal, type ValueOf, type WireSchema, orNull } from "./schema.ts";

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
const maskSchema: WireSchema<readonly MaskedValue[]> = build.array(maskedValueSchema, {
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

/** Bytes of a baseline: many times those of a mail of a thousand pixels. */
export const baselineBytesMax: number = 8 * 1024 * 1024;
/** Pixels of a baseline; no screenshot has more. */
export const baselinePixelsMax = 16_000_000;
/** Difference of a colour, from 0 to 1, up to which two pixels are the same. */
export const thresholdDefault = 0.1;

/** Schema of the options of a screenshot. */
export const screenshotOptionsSchema = build.partial({
  client: build.string({
    maxLength: 100,
    description: "Email client: `outlook-2021`, `gmail` or the label of another client of previews. Default: `gmail`.",
  }),
  dark: build.boolean("Renders the dark mode of the client."),
  mask: maskSchema,
  baseline: build.string({
    maxLength: Math.ceil(baselineBytesMax / 3) * 4,
    contentEncoding: "base64",
    description: "Picture to compare with: a PNG that this endpoint returned.",
  }),
  threshold: build.number({
    minimum: 0,
    maximum: 1,
    description: "Difference of a colour up to which two pixels are the same. Default: 0.1.",
    [refusal]: { text: "Must be a number from 0 to 1" },
  }),
  maxChangedPixels: build.integer({
    minimum: 0,
    maximum: baselinePixelsMax,
    description: "Most pixels that may differ, besides those of anti-aliasing. Default: 0.",
  }),
});

/** Options of a screenshot. */
export type ScreenshotOptions = ValueOf<typeof screenshotOptionsSchema>;

/** Schema of a part of a picture that differs. */
const changedRegionSchema = build.object({
  x: build.integer("Pixels from the left."),
  y: build.integer("Pixels from the top."),
  width: build.integer("Width in pixels."),
  height: build.integer("Height in pixels."),
  text: orNull(build.string("Text of the mail there, or the nearest one, at most 100 characters.")),
});

/** Part of a picture that differs from the baseline. */
export type ChangedRegion = ValueOf<typeof changedRegionSchema>;

const picture = (description: string): ReturnType<typeof orNull<string>> =>
  orNull(build.string({ contentEncoding: "base64", description }));

/** Schema of the comparison of a screenshot. */
export const screenshotReportSchema = build.object(
  {
    isMatch: build.boolean("Whether the mail looks like the baseline."),
    client: build.string("Label of the email client, with `-dark` for a dark mode that has no label of its own."),
    width: build.integer("Width of the screenshot in pixels."),
    height: build.integer("Height of the screenshot in pixels."),
    changedPixels: build.integer("Pixels that differ, without those of anti-aliasing."),
    changedRatio: build.number("Share of the pixels that differ, from 0 to 1."),
    regions: build.array(changedRegionSchema, "Parts that differ, from the top; at most 20."),
    reason: orNull(build.string("Differences in words; null for a match.")),
    picture: picture("Screenshot, a PNG; null for a match."),
    difference: picture("Screenshot in pale colours with the changed pixels in red, a PNG; null for a match."),
    usesMachineFonts: build.boolean(
      "Whether characters were drawn with fonts of the machine, because those of the service lack them.",
    ),
  },
  { $id: "ScreenshotReport" },
);

/** Comparison of a screenshot. */
export type ScreenshotReport = ValueOf<typeof screenshotReportSchema>;
