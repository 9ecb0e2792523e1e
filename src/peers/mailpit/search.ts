import { parseQuery } from "../../core/search/parse-query.ts";
import { isTimeZone } from "../../core/search/query-values.ts";
import type { SearchExpression } from "../../core/search/search-expression.ts";
import type { MessageId } from "../../core/ids.ts";
import { countFound, deleteMessages, findMessages, listRange, readListed } from "../mailbox.ts";
import type { PeerCall, PeerRoute } from "../peer.ts";
import { badRequest } from "../read-json.ts";
import { readRange, toMailpitList } from "./list-messages.ts";
import { json, ok } from "./responses.ts";
import { toMailpitSummary, type MailpitSummary } from "./shapes.ts";

const path = "/api/v1/search";

/** Routes of `/api/v1/search`. */
export const searchRoutes: readonly PeerRoute[] = [
  {
    method: "GET",
    path,
    permission: "read",
    respond: async (call) => {
      const expression = parseSearch(call, requireQuery(call));
      const range = readRange(call);
      const found = await listRange(call, range, expression);
      const messages = await readListed(call, found, withoutReplyTo);
      const matching = await countFound(call, expression, range.receivedBefore);
      return json(await toMailpitList(call, { start: range.start, messages, matching }));
    },
  },
  {
    method: "DELETE",
    path,
    permission: "manage",
    respond: async (call) => {
      await forAllFound(call, requireQuery(call), async (ids) => deleteMessages(call, ids));
      return ok;
    },
  },
];

/** Returns the expression of a query in the language of Mailpit. Throws a 400 for one that is too long. */
export function parseSearch({ context, query }: PeerCall, text: string): SearchExpression {
  const lengthMax = context.limits.searchTextLengthMax;
  if (text.length > lengthMax) throw badRequest(`Error: the search query has more than ${lengthMax} characters`);
  const zone = query.get("tz") ?? "";
  const timeZone = zone !== "" && isTimeZone(zone) ? zone : undefined;
  const parsed = parseQuery(text, { dialect: "mailpit", now: context.clock.now(), timeZone });
  const [problem] = parsed.problems;
  if (problem !== undefined) throw badRequest(`Error: ${problem.description}`);
  return parsed.expression;
}

/** Calls `action` with the ids of all messages that a query finds, some at a time. */
export async function forAllFound(
  call: PeerCall,
  query: string,
  action: (ids: readonly MessageId[]) => Promise<void>,
): Promise<void> {
  for await (const ids of findMessages(call, parseSearch(call, query))) await action(ids);
}

function requireQuery({ query }: PeerCall): string {
  const text = (query.get("query") ?? "").trim();
  if (text === "") throw badRequest("Error: no search query");
  return text;
}

/** Returns an item of search results, in which an empty list of reply addresses is null like the others. */
function withoutReplyTo(listed: Parameters<typeof toMailpitSummary>[0]): MailpitSummary {
  const summary = toMailpitSummary(listed);
  return summary.ReplyTo?.length === 0 ? { ...summary, ReplyTo: null } : summary;
}
