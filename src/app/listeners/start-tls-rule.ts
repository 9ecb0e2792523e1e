import type { StartTls } from "../../ingress/smtp/options.ts";
import { isLoopback } from "../loopback.ts";
import type { Choices } from "../settings/table.ts";

/**
 * Returns the STARTTLS policy of a client address. With `auto`, EHLO lists STARTTLS to clients on other machines only:
 * mail libraries that use TLS wherever it is offered would reject the local CA, and loopback traffic cannot be intercepted.
 */
export function startTlsRule(setting: Choices["smtpStarttls"]): (clientAddress: string) => StartTls {
  if (setting === "always") return () => "offered";
  if (setting === "never") return () => "refused";
  return (clientAddress) => (isLoopback(clientAddress) ? "accepted" : "offered");
}
