/** Screenshots of mails, compared with a baseline. */
import { waiting } from "./bounds.ts";
import type { MatchScreenshotRequest, ScreenshotReport } from "./generated/types.ts";
import type { RequestOptions } from "./options.ts";
import { toBase64 } from "./outgoing.ts";
import { maskOf, type SnapshotOptions } from "./snapshots.ts";
import type { Transport } from "./transport.ts";

/** Time for starting the browser and for rendering, with others before it. */
const renderMs = 60_000;

/** Options of screenshots. */
export interface ScreenshotOptions
  extends RequestOptions, Omit<MatchScreenshotRequest, "mask" | "baseline">, Pick<SnapshotOptions, "mask"> {
  /** PNG of a former screenshot. */
  readonly baseline?: Uint8Array | undefined;
}

/** Comparison of a screenshot, with its pictures as PNG. */
export interface Screenshot extends Omit<ScreenshotReport, "picture" | "difference"> {
  /** Null for a match. */
  readonly picture: Uint8Array | null;
  /** Screenshot in pale colours with the changed pixels in red; null for a match and without a baseline. */
  readonly difference: Uint8Array | null;
}

/** Renders a mail in an email client, and compares the picture with a baseline. */
export async function matchScreenshot(
  transport: Transport,
  id: string,
  { client, dark, mask, baseline, threshold, maxChangedPixels, ...options }: ScreenshotOptions = {},
): Promise<Screenshot> {
  const body = {
    ...(client !== undefined && { client }),
    ...(dark !== undefined && { dark }),
    ...(mask !== undefined && { mask: maskOf(mask) }),
    ...(baseline !== undefined && { baseline: toBase64(baseline) }),
    ...(threshold !== undefined && { threshold }),
    ...(maxChangedPixels !== undefined && { maxChangedPixels }),
  };
  const report = await transport.call("matchScreenshot", { path: { id }, body }, waiting(options, renderMs));
  return { ...report, picture: toBytes(report.picture), difference: toBytes(report.difference) };
}

function toBytes(base64: string | null): Uint8Array | null {
  return base64 === null ? null : Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
}
