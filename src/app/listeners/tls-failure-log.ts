/** Log of failed TLS handshakes, of which the service would otherwise show nothing. */
import { createSuppression, withSuppressed } from "../log/throttled-log.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../log/log.ts";

/** Listener on which a handshake failed. */
export type TlsListener = "smtp" | "https" | "pop3" | "imap";

/** Returns the function that logs failures of one listener; a null error means that the client closed the connection. */
export type TlsFailureLog = (listener: TlsListener) => (error: Error | null) => void;

/** OpenSSL's names of the alerts with which clients reject a certificate (RFC 8446 §6.2). */
const distrust = /ALERT_(?:UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_EXPIRED)/;

/** Facts about the certificate, for hints. */
export interface FailureHints {
  /** PEM file of the local CA; null with a certificate of the operator. */
  readonly caFile: string | null;
  /** Whether mail arrives from the Internet. */
  readonly isPublic: boolean;
}

/**
 * Creates a log that writes at most one line a minute for each listener, with a hint and with `suppressedCount`, the number
 * of failures since the previous line.
 */
export function createTlsFailureLog(log: Pick<Log, "warn">, clock: Clock, hints: FailureHints): TlsFailureLog {
  const suppressedBefore = createSuppression<TlsListener>(clock);
  return (listener) => (error) => {
    const suppressedCount = suppressedBefore(listener);
    if (suppressedCount === null) return;
    const reason = reasonOf(error);
    const hint = isAboutTrust(listener, reason) ? { hint: hintOf(listener, hints) } : {};
    log.warn(withSuppressed({ listener, reason, ...hint }, suppressedCount), "TLS handshake failed");
  };
}

/** Returns the code of OpenSSL or of the system, or `closed`; never the error text, which can contain bytes of the client. */
function reasonOf(error: Error | null): string {
  return (error as { readonly code?: string } | null)?.code ?? "closed";
}

/** Some libraries reject a certificate by closing the connection without an alert; over HTTPS, port scanners do so too. */
function isAboutTrust(listener: TlsListener, reason: string): boolean {
  return distrust.test(reason) || (listener === "smtp" && /^(?:closed|ECONNRESET)$/.test(reason));
}

function hintOf(listener: TlsListener, { caFile, isPublic }: FailureHints): string {
  if (listener === "smtp" && isPublic)
    return "mail servers that verify certificates accept those of public authorities: see RESTANTE_ACME and `restante check-domain`";
  const trust =
    caFile === null
      ? "the client does not trust the certificate of RESTANTE_TLS_CERT; send the whole chain, and let the client trust its root"
      : `the client does not trust the certificate; let it trust ${caFile} (see "restante env" and "restante ca install-help")`;
  return listener === "smtp" ? `${trust}, or set RESTANTE_SMTP_STARTTLS=never` : trust;
}
