import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { readProxyHeader } from "./proxy-header.ts";

/** Time limit for the PROXY header. */
export const proxyHeaderMsMax = 5000;

/** Outcome: the address of the client, null for connections of the balancer itself; `missing` or `left` without a header. */
export type ProxyHeaderOutcome = { readonly address: string | null } | "missing" | "left";

/**
 * Reads the PROXY header of a connection and calls `settle` once; bytes after the header can then be read from the socket.
 * The outcome is `missing` for other bytes and after {@link proxyHeaderMsMax} without any, since SMTP clients wait for
 * the greeting; `left` when the connection closes first.
 */
export function takeProxyHeader(
  socket: Socket,
  clock: Pick<Clock, "after">,
  settle: (outcome: ProxyHeaderOutcome) => void,
): void {
  let held: Buffer = Buffer.alloc(0);
  const finish = (outcome: ProxyHeaderOutcome): void => {
    cancel();
    socket.off("readable", read).off("end", leave).off("error", leave).off("close", leave);
    settle(outcome);
  };
  const read = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    held = Buffer.concat([held, chunk]);
    const header = readProxyHeader(held);
    if (header === "incomplete") return;
    if (header === "malformed") {
      finish("missing");
      return;
    }
    if (held.length > header.length) socket.unshift(held.subarray(header.length));
    finish({ address: header.address });
  };
  const leave = (): void => {
    finish("left");
  };
  const cancel = clock.after(proxyHeaderMsMax, () => {
    finish("missing");
  });
  socket.on("readable", read).on("end", leave).on("error", leave).on("close", leave);
}
