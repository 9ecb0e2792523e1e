import type { AccessibilityAudit } from "../core/lint.ts";
import type { EmailClient } from "../previews/email-client.ts";

/** Gives the raw mail, when it is needed. */
export type MailSource = () => Promise<Uint8Array>;

/** Shows mails in a browser that can do nothing but that, one after the other. */
export interface MailRenderer {
  /** What is missing for rendering, and how to get it, in a sentence; null where nothing is. */
  problem(): Promise<string | null>;
  /**
   * A PNG of the mail as the program would show it. Rejects with `unavailable` when it takes too long, fails, or too many
   * wait already; with whatever `source` rejects with.
   */
  render(source: MailSource, client: EmailClient): Promise<Uint8Array>;
  /** What axe-core has to say of the mail as it is shown. Rejects as `render` does. */
  audit(source: MailSource): Promise<AccessibilityAudit>;
  close(): Promise<void>;
}
