/** Messages between the service and the processes that drive browsers. */
import type { AccessibilityAudit } from "../core/lint.ts";
import type { PageRequest, PageResponse } from "../core/page-request.ts";
import type { ScreenshotReport, MaskedValue } from "../core/snapshot.ts";
import type { EmailClient } from "./email-client.ts";

/** Request for a screenshot of a mail in an email client, or for an audit (null). */
export interface RenderRequest {
  readonly raw: Uint8Array;
  readonly client: EmailClient | null;
  /** Comparison of the screenshot, which is not masked without one. */
  readonly comparison?: ScreenshotComparison | undefined;
}

/** Baseline that a screenshot is compared with. */
export interface ScreenshotComparison {
  readonly masked: readonly MaskedValue[];
  /** PNG; null where there is none yet. */
  readonly baseline: Uint8Array | null;
  readonly threshold: number;
  readonly maxChangedPixels: number;
}

/** Screenshot that was compared. */
export interface ComparedScreenshot extends Omit<ScreenshotReport, "client" | "picture" | "difference"> {
  /** PNG. */
  readonly picture: Uint8Array;
  /** PNG; null for a match and without a baseline. */
  readonly difference: Uint8Array | null;
}

/** Result of a {@link RenderRequest}; the member that was requested is set. */
export interface RenderResult {
  readonly png?: Uint8Array;
  readonly audit?: AccessibilityAudit;
  /** Null for a baseline that is no readable PNG. */
  readonly screenshot?: ComparedScreenshot | null;
}

/** Visit of one URL. */
export interface PageVisit {
  readonly visit: number;
  readonly url: string;
  readonly userAgent: string;
  /** Longest time of the visit in milliseconds. */
  readonly msMax: number;
}

/** Message of the process besides those of the RPC: a request of the page. */
export interface PageRequested {
  readonly kind: "page-request";
  readonly number: number;
  readonly request: PageRequest;
}

/** Message to the process besides those of the RPC: a response to a request of the page, or the end of a visit. */
export type VisitMessage =
  | { readonly kind: "page-response"; readonly number: number; readonly response: PageResponse | null }
  | { readonly kind: "end-visit"; readonly visit: number };
