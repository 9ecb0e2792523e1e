import type { Limits } from "../../core/limits.ts";
import type { LineListenerOptions } from "./line-listener.ts";

/**
 * Returns the bounds of a listener for mail clients: those of SMTP before a client signs in, and wider ones for clients that
 * have proved who they are, which keep connections open to be notified.
 */
export function sessionBounds(
  limits: Limits,
): Pick<LineListenerOptions, "anonymousSessions" | "authenticatedSessions"> {
  return {
    anonymousSessions: {
      countMax: limits.smtpSessionCountMax,
      countPerAddressMax: limits.smtpSessionCountPerAddressMax,
    },
    authenticatedSessions: {
      countMax: limits.mailboxSessionCountMax,
      countPerAddressMax: limits.mailboxSessionCountPerAddressMax,
    },
  };
}
