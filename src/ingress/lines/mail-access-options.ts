import type { SecureContext } from "node:tls";
import type { Clock } from "../../core/clock.ts";
import type { Limits } from "../../core/limits.ts";
import type { Hosts } from "./listen-on.ts";
import type { LineLog, LineMetrics } from "./line-listener.ts";

/** Options of a listener through which email clients read mail. */
export interface MailAccessOptions<Operations> {
  /** Addresses to bind. */
  readonly hosts: Hosts;
  /** Port to bind on every address; 0 for a free one. */
  readonly port: number;
  /** True: implicit TLS (RFC 8314); false: STARTTLS or STLS where there is a secure context. */
  readonly implicitTls: boolean;
  /** Host name in the greeting. */
  readonly hostname: string;
  /** Returns the current secure context; undefined: TLS is not offered. */
  readonly secureContext: () => SecureContext | undefined;
  /** Whether a client with this address may send a password without TLS. */
  readonly allowsClearText: (clientAddress: string) => boolean;
  readonly onTlsFailure: (error: Error | null) => void;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly operations: Operations;
  readonly log: LineLog;
  readonly metrics: LineMetrics;
}
