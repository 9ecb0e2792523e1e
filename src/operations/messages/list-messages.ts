import type { Principal } from "../../core/api-key.ts";
import { givenCriteria, type Criteria, type LabelRole, type Page } from "../../core/criteria.ts";
import type { SummaryPage } from "../../store/store.ts";
import { foldCriteria } from "../services/events/fold-criteria.ts";
import { openServer } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Request for a page of messages. */
export interface ListRequest {
  readonly server: string;
  readonly page: Page;
  /** Criteria that all messages meet; absent ones do not count. */
  readonly criteria?: Partial<Record<LabelRole, string>>;
}

/** Returns one page of a server's summaries, newest first. Rejects with `not_found` and as {@link foldCriteria} does. */
export async function listMessages(
  context: Pick<Context, "store" | "timings" | "limits">,
  principal: Principal,
  request: ListRequest,
): Promise<SummaryPage> {
  const server = await openServer(context, principal, request.server);
  const criteria: Criteria = { match: "ALL", ...request.criteria };
  if (givenCriteria(criteria).length > 0) {
    const folded = foldCriteria(criteria, context.limits.searchTextLengthMax);
    return context.store.searchMessages(server.id, folded, { ...request.page, caller: principal.keyId });
  }
  const found = await context.store.listMessages(server.id, request.page);
  if (request.page.page === 0 && request.page.direction === "Received") {
    context.timings.listed(server.id, found.cursor);
  }
  return found;
}
