import type { Principal } from "../../core/api-key.ts";
import { givenCriteria, type Criteria, type Page } from "../../core/criteria.ts";
import { criteriaExpression } from "../../core/search/criteria-expression.ts";
import { and } from "../../core/search/search-expression.ts";
import type { Context } from "../context.ts";
import { foldCriteria } from "../services/events/fold-criteria.ts";
import { countMessages, type MatchCount } from "../services/search/find-messages.ts";
import type { SearchQuery } from "../services/search/read-query.ts";
import { openServer } from "../services/security/access.ts";

/** Matches that are counted at most. */
export const countedMatchesMax = 10_000;

/** Request for the number of messages that a list or a search finds on all its pages. */
export interface CountRequest {
  readonly server: string;
  /** Number and size of the page do not count. */
  readonly page: Page;
  readonly criteria: Criteria;
  /** Null for none. */
  readonly query: SearchQuery | null;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Counts the matches of a list or a search, at most {@link countedMatchesMax}. Rejects with `not_found`, with
 * `unavailable` when the caller has disconnected, and as {@link foldCriteria} does.
 */
export async function countMatches(
  context: Pick<Context, "store" | "limits">,
  principal: Principal,
  { server: serverText, page, criteria, query, signal }: CountRequest,
): Promise<MatchCount> {
  const server = (await openServer(context, principal, serverText)).id;
  const hasCriteria = givenCriteria(criteria).length > 0;
  const folded = hasCriteria ? foldCriteria(criteria, context.limits.searchTextLengthMax) : criteria;
  const expression = and(criteriaExpression(folded), ...(query === null ? [] : [query.expression]));
  const within = { ...page, caller: principal.keyId, signal };
  return await countMessages(context.store, server, { expression, within, countMax: countedMatchesMax });
}
