import type { Principal } from "../../core/api-key.ts";
import type { Page } from "../../core/criteria.ts";
import type { SummaryPage } from "../../store/store.ts";
import { openServer } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Request for a page of messages. */
export interface ListRequest {
  readonly server: string;
  readonly page: Page;
}

/** Returns one page of a server's summaries, newest first. Rejects with `not_found`. */
export async function listMessages(
  context: Pick<Context, "store" | "timings">,
  principal: Principal,
  request: ListRequest,
): Promise<SummaryPage> {
  const server = await openServer(context, principal, request.server);
  const found = await context.store.listMessages(server.id, request.page);
  if (request.page.page === 0 && request.page.direction === "Received") {
    context.timings.listed(server.id, found.cursor);
  }
  return found;
}
