import type { Principal } from "../core/api-key.ts";
import { openServer } from "./access.ts";
import type { Context } from "./context.ts";
import type { Timing } from "./timings.ts";

/** The times of a server's newest mails, oldest first; of this process, since its start. Rejects with `not_found`. */
export async function getTimings(
  context: Pick<Context, "store" | "timings">,
  principal: Principal,
  idText: string,
): Promise<readonly Timing[]> {
  const server = await openServer(context, principal, idText);
  return context.timings.newest(server.id);
}
