/** What the service and the thread that holds the browser say to each other. */
import type { AccessibilityAudit } from "../core/lint.ts";
import type { MimeLimits } from "../mime/source.ts";
import type { EmailClient } from "./email-client.ts";
import type { FoundBrowser } from "./find-browser.ts";

/** What the thread is started with. */
export interface RenderSetting {
  readonly browser: Exclude<FoundBrowser, { kind: "none" }>;
  /** Where packages are unpacked to. */
  readonly folder: string;
  /** Temporary folder of this thread's browser; part of the browser's command line. */
  readonly sessionFolder: string;
  readonly limits: MimeLimits;
  /** Most memory of the browser's processes. */
  readonly memoryBytesMax: number;
}

/** One mail: a picture of it as a program shows it, or (null) an audit. */
export interface RenderQuestion {
  readonly raw: Uint8Array;
  readonly client: EmailClient | null;
}

/** What the thread is told: a question, to end the browser and itself, or the same by killing the browser. */
export type RenderMessage = RenderQuestion | "close" | "kill";

/** What came of a question. */
export interface RenderResult {
  readonly png?: Uint8Array;
  readonly audit?: AccessibilityAudit;
}

/** What the thread tells: of its browser, then of each question that it begins it, and what came of it. */
export type RenderAnswer =
  | { readonly kind: "opened"; readonly processId: number | null }
  | { readonly kind: "begun" }
  | { readonly kind: "done"; readonly result: RenderResult }
  | { readonly kind: "failed"; readonly text: string; readonly detail: string };
