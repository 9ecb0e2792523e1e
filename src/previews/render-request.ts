/** Messages between the service and the process that drives the browser. */
import type { AccessibilityAudit } from "../core/lint.ts";
import type { MimeLimits } from "../mime/source.ts";
import type { EmailClient } from "./email-client.ts";
import type { FoundBrowser } from "./find-browser.ts";

/** Settings of the process. */
export interface RenderWorkerSettings {
  readonly browser: Exclude<FoundBrowser, { kind: "none" }>;
  /** Folder that packages are unpacked to. */
  readonly folder: string;
  readonly limits: MimeLimits;
  /** Memory of the browser's processes at which the browser is killed. */
  readonly memoryBytesMax: number;
}

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
