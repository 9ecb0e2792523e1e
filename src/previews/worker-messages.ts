/** Messages between the service and the processes that drive browsers. */
import type { AccessibilityAudit } from "../core/lint.ts";
import type { PageRequest, PageResponse } from "../core/page-request.ts";
import type { EmailClient } from "./email-client.ts";

/** Request for a screenshot of a mail in an email client, or for an audit (null). */
export interface RenderRequest {
  readonly raw: Uint8Array;
  readonly client: EmailClient | null;
}

/** Result of a {@link RenderRequest}; the member that was requested is set. */
export interface RenderResult {
  readonly png?: Uint8Array;
  readonly audit?: AccessibilityAudit;
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
