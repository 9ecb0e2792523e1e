import type { Principal } from "../../core/api-key.ts";
import { openServer } from "../services/security/access.ts";
import type { Context } from "../context.ts";
import type { Timing } from "../services/events/timings.ts";

/** Returns the latencies of a server's newest mails, oldest first, as measured by this process. Rejects with `not_found`. */
export async function getTimings(
  context: Pick<Context, "store" | "timings">,
  principal: Principal,
  idText: string,
): Promise<readonly Timing[]> {
  const server = await openServer(context, principal, idText);
  return context.timings.newest(server.id);
}
