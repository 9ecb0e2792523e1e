import type { MessageId } from "../../core/ids.ts";
import { parseQuery } from "../../core/search/parse-query.ts";
import { isTimeZone } from "../../core/search/query-values.ts";
import type { SearchExpression } from "../../core/search/search-expression.ts";
import { findMessages } from "../mailbox.ts";
import type { CatcherCall } from "../catcher.ts";
import { badRequest } from "../read-json.ts";

/** Returns the expression of a query in the language of Mailpit. Throws a 400 for one that is too long. */
export function parseSearch({ context, query }: CatcherCall, text: string): SearchExpression {
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
  call: CatcherCall,
  query: string,
  action: (ids: readonly MessageId[]) => Promise<void>,
): Promise<void> {
  for await (const ids of findMessages(call, parseSearch(call, query))) await action(ids);
}

/** Returns the query of a search. Throws a 400 without one. */
export function requireQuery({ query }: CatcherCall): string {
  const text = (query.get("query") ?? "").trim();
  if (text === "") throw badRequest("Error: no search query");
  return text;
}
