/** Reports clients that give up on TLS, which would otherwise only see a broken connection themselves. */
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../log.ts";

/** Listener on which a handshake failed. */
export type TlsListener = "smtp" | "https";

/** Returns the function that reports failures of one listener; null means that the client closed without an error. */
export type TlsFailureLog = (listener: TlsListener) => (error: Error | null) => void;

/** After a line about a listener, as long passes before its next one. */
const pauseMs = 60_000;

/** OpenSSL's names of the alerts with which clients refuse a certificate (RFC 8446 §6.2). */
const distrust = /ALERT_(?:UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_EXPIRED)/;

/**
 * Returns a log that writes one line a minute for each listener, with what to do and with `untoldCount`, the number of
 * failures since the line before.
 */
export function createTlsFailureLog(log: Pick<Log, "warn">, clock: Clock, caFile: string | null): TlsFailureLog {
  const told = new Map<TlsListener, { at: number; untoldCount: number }>();
  return (listener) => (error) => {
    const now = clock.monotonicMs();
    const before = told.get(listener);
    if (before !== undefined && now - before.at < pauseMs) {
      before.untoldCount += 1;
      return;
    }
    told.set(listener, { at: now, untoldCount: 0 });
    const reason = reasonOf(error);
    const untold = before === undefined || before.untoldCount === 0 ? {} : { untoldCount: before.untoldCount };
    const hint = isAboutTrust(listener, reason) ? { hint: hintOf(listener, caFile) } : {};
    log.warn({ listener, reason, ...hint, ...untold }, "TLS handshake failed");
  };
}

/** OpenSSL's code, the system's, or `closed`: never the text, which can hold what a stranger sent. */
function reasonOf(error: Error | null): string {
  return (error as { readonly code?: string } | null)?.code ?? "closed";
}

/** Some libraries close the connection without an alert when they refuse a certificate; so do port scans over HTTPS. */
function isAboutTrust(listener: TlsListener, reason: string): boolean {
  return distrust.test(reason) || (listener === "smtp" && /^(?:closed|ECONNRESET)$/.test(reason));
}

function hintOf(listener: TlsListener, caFile: string | null): string {
  const trust =
    caFile === null
      ? "the client does not trust the certificate of RESTANTE_TLS_CERT; send the whole chain, and let the client trust its root"
      : `the client does not trust the certificate; let it trust ${caFile} ("restante env" and "restante ca install-help" tell how)`;
  return listener === "smtp" ? `${trust}, or set RESTANTE_SMTP_STARTTLS=never` : trust;
}
