import type { Principal } from "../../core/api-key.ts";
import type { Criteria, LabelRole, Page } from "../../core/criteria.ts";
import { criteriaExpression } from "../../core/search/criteria-expression.ts";
import { and } from "../../core/search/search-expression.ts";
import type { SearchPage, SummaryPage } from "../../store/store.ts";
import type { SearchQuery } from "../services/search/read-query.ts";
import { foldCriteria } from "../services/events/fold-criteria.ts";
import { openServer } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Request for a page of messages. */
export interface ListRequest {
  readonly server: string;
  readonly page: Page;
  /** Criteria that all messages meet; absent ones do not count. */
  readonly criteria?: Partial<Record<LabelRole, string>>;
  /** Query that all messages meet; null or absent for none. */
  readonly query?: SearchQuery | null;
  /** Returns a signal that aborts when the caller disconnects; called for searches only. */
  readonly signal?: () => AbortSignal;
}

/** Returns one page of a server's summaries, newest first. Rejects with `not_found` and as {@link foldCriteria} does. */
export async function listMessages(
  context: Pick<Context, "store" | "limits">,
  principal: Principal,
  request: ListRequest,
): Promise<SummaryPage> {
  const server = await openServer(context, principal, request.server);
  const { query = null, signal } = request;
  const hasCriteria = Object.keys(request.criteria ?? {}).length > 0;
  if (query !== null || hasCriteria) {
    const criteria: Criteria = { match: "ALL", ...request.criteria };
    const folded = hasCriteria ? foldCriteria(criteria, context.limits.searchTextLengthMax) : criteria;
    const page: SearchPage = { ...request.page, caller: principal.keyId, signal: signal?.() };
    if (query === null) return context.store.searchMessages(server.id, folded, page);
    const expression = and(criteriaExpression(folded), query.expression);
    return context.store.searchExpression(server.id, expression, page);
  }
  return context.store.listMessages(server.id, request.page);
}
