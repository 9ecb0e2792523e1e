import type { StartTls } from "../../ingress/smtp/options.ts";
import { isLoopback } from "../loopback.ts";
import type { Choices } from "../settings/table.ts";

/**
 * Returns how STARTTLS is treated for a client, by its address. With `auto`, EHLO lists it to clients on other machines
 * only: on loopback nobody listens in, and mail libraries that use TLS wherever it is offered would refuse the local CA.
 */
export function startTlsRule(setting: Choices["smtpStarttls"]): (clientAddress: string) => StartTls {
  if (setting === "always") return () => "offered";
  if (setting === "never") return () => "refused";
  return (clientAddress) => (isLoopback(clientAddress) ? "accepted" : "offered");
}
