import type { AccessibilityAudit } from "../../../core/lint.ts";
import type { EmailClient } from "../../../previews/email-client.ts";
import type { WorkerCaller } from "../../../workers/worker-rpc.ts";

/** Loads the raw mail. */
export type MailSource = () => Promise<Uint8Array>;

/** Renders mails in a sandboxed browser, one at a time; the keys of callers are served round-robin. */
export interface MailRenderer {
  /** Returns what is missing for rendering and how to get it, in a sentence; null when nothing is. */
  problem(): Promise<string | null>;
  /**
   * Returns a PNG of the mail as the email client renders it. Rejects with `unavailable` when it fails, takes too long, or too
   * many wait; with `too_many_requests` when too many of the caller's key wait; as `source` does.
   */
  render(source: MailSource, client: EmailClient, caller: WorkerCaller): Promise<Uint8Array>;
  /** Returns the findings of axe-core on the rendered mail. Rejects as `render` does. */
  audit(source: MailSource, caller: WorkerCaller): Promise<AccessibilityAudit>;
  close(): Promise<void>;
}
