import type { Principal } from "../core/api-key.ts";
import type { Criteria, Page } from "../core/criteria.ts";
import { invalidField } from "../core/errors.ts";
import { foldAddress, foldText } from "../core/fold.ts";
import type { FoldedCriteria, SummaryPage } from "../store/store.ts";
import { openServer } from "./access.ts";
import type { Context } from "./context.ts";

/** Which page of which search. */
export interface SearchRequest {
  readonly server: string;
  readonly criteria: Criteria;
  readonly page: Page;
}

/**
 * One page of the summaries that meet the criteria, newest first. Rejects with `not_found`, and with a 400 when there is
 * no criterion or one is longer than `searchTextLengthMax`.
 */
export async function searchMessages(
  context: Pick<Context, "store" | "limits">,
  principal: Principal,
  request: SearchRequest,
): Promise<SummaryPage> {
  const server = await openServer(context, principal, request.server);
  const criteria = foldCriteria(request.criteria, context.limits.searchTextLengthMax);
  return context.store.searchMessages(server.id, criteria, request.page);
}

/** The criteria in the form in which they are compared; throws a 400 that names the field. */
export function foldCriteria(criteria: Criteria, searchTextLengthMax: number): FoldedCriteria {
  const { sentFrom, sentTo, subject, body, match } = criteria;
  for (const [field, value] of Object.entries({ sentFrom, sentTo, subject, body })) {
    if (value === undefined || value.length <= searchTextLengthMax) continue;
    throw invalidField(field, `At most ${String(searchTextLengthMax)} characters can be searched for`, "too_long");
  }
  if (sentFrom === undefined && sentTo === undefined && subject === undefined && body === undefined) {
    throw invalidField("criteria", "Give at least one of sentFrom, sentTo, subject and body", "required");
  }
  return {
    ...(sentFrom !== undefined && { sentFrom: foldAddress(sentFrom) }),
    ...(sentTo !== undefined && { sentTo: foldAddress(sentTo) }),
    ...(subject !== undefined && { subject: foldText(subject) }),
    ...(body !== undefined && { body: foldText(body) }),
    match,
  };
}
