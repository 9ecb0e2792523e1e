/** Messages between the callers of a shared service and the service: one JSON object per line. */
import type { Socket } from "node:net";
import type { LogLevel } from "../../app/settings/table.ts";

/** Settings that a whole service has: callers share a service when theirs are equal. */
export interface SharedSettings {
  readonly mailDomain: string;
  readonly chromium: string;
}

/** First line of a caller. */
export interface AttachRequest {
  /** Process that outlives the caller in a test run: the test runner, or the caller itself. */
  readonly owner: number;
  readonly log: LogLevel;
  readonly smtpPort: number;
  readonly smtpStarttls: "auto" | "always" | "never";
  readonly isCatchAll: boolean;
}

/** Line of a caller: an {@link AttachRequest} first, `detach` last. */
export type CallerLine = { readonly attach: AttachRequest } | { readonly detach: true };

/** Access to the service, as a caller gets it. */
export interface Attachment {
  readonly apiKey: string;
  readonly serverId: string;
  readonly mailDomain: string;
  readonly host: string;
  readonly smtpPort: number;
  readonly url: string;
  readonly httpsUrl: string;
  readonly caFile: string | null;
}

/** Line of the service. */
export type ServiceLine =
  | { readonly attached: Attachment }
  | { readonly refused: string }
  | { readonly log: string }
  | { readonly detached: true };

/** Sends one line. */
export function sendLine(socket: Socket, line: CallerLine | ServiceLine): void {
  if (socket.writable) socket.write(`${JSON.stringify(line)}\n`);
}

/**
 * Calls `onLine` with each line. Both ends are this program with the same version, in folders that only their user can
 * access, so lines are not validated.
 */
export function readLines<Line extends CallerLine | ServiceLine>(socket: Socket, onLine: (line: Line) => void): void {
  // Not imported above, because each start of the service loads this module.
  const { createInterface } = process.getBuiltinModule("node:readline");
  const lines = createInterface({ input: socket });
  lines.on("line", (text) => {
    onLine(JSON.parse(text) as Line);
  });
  // Reported by the listeners of the socket itself; readline repeats the event.
  lines.on("error", () => undefined);
}
