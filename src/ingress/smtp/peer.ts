import type { FaultTlsFailure } from "../../core/fault.ts";

/** Transport of a conversation. */
export interface Peer {
  /** Writes replies; returns false when the send buffer is full, after which `drained` must be called. */
  send(wire: string): boolean;
  /** Pauses and resumes calls of `take`; repeated calls have no effect. */
  pause(): void;
  resume(): void;
  /** Starts a TLS handshake, with an injected fault or null; bytes received in clear are no longer delivered. */
  startTls(fault: FaultTlsFailure | null): void;
  /** Closes the connection at once, with an RST where possible. */
  reset(): void;
  /** Writes the last replies and closes. */
  end(wire: string): void;
  /** Closes the session after an unexpected error of the service. */
  fail(error: unknown): void;
  /** Called once the connection is closed and no operation is pending. */
  finished(): void;
}
