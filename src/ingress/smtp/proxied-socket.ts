import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { readProxyHeader } from "./proxy-header.ts";

/** How long a balancer may take to say for whom it speaks. */
export const proxyHeaderMsMax = 5000;

/** What became of the header: an address, null where the balancer speaks for itself, or why there is none. */
export type ProxyHeaderOutcome = { readonly address: string | null } | "missing" | "left";

/**
 * Takes the PROXY header off a connection's start and calls `settle` once; whatever came behind it can be read from the
 * socket then. It is `missing` where something else comes, or nothing for {@link proxyHeaderMsMax}: SMTP's clients wait
 * for the greeting.
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
