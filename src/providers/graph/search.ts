/** Conditions of `$search` (KQL) as search expressions. */
import { parseQuery } from "../../core/search/parse-query.ts";
import type { SearchExpression } from "../../core/search/search-expression.ts";
import { rejection } from "./errors.ts";
import { conditionLengthMax } from "./query.ts";

/** Properties of KQL, and the operators that stand for them. */
const searchOperators: Readonly<Record<string, string>> = {
  participants: "addressed",
  recipients: "recipient",
  attachment: "filename",
};

/** Text in quotes, NOT, or a property with the relation to its value. */
const conditionPattern = /("[^"]*")|\bNOT\s+|\b([A-Za-z]+)(:|>=|<=|>|<|=)/g;

/**
 * Returns the expression of `$search`: `"pizza"`, `"subject:order"`, `"from:bob AND hasAttachment:true"`. Words without a
 * property are found anywhere. Throws a rejection for a value that a property does not take.
 */
export function readSearch(search: string, now: number): SearchExpression {
  const quoted = /^\s*"(.*)"\s*$/s.exec(search)?.[1];
  const query = (quoted ?? search).replaceAll('\\"', '"');
  if (query.length > conditionLengthMax) throw rejection("BadRequest", "Syntax error: the search is too long.");
  const translated = query.replaceAll(conditionPattern, (...[, literal, name, relation]: readonly string[]) =>
    typeof literal === "string" ? literal : typeof name === "string" ? operatorOf(name, relation ?? ":") : "-",
  );
  const { expression, problems } = parseQuery(
    translated.replaceAll("has:true", "has:attachment").replaceAll("has:false", "-has:attachment"),
    { now },
  );
  const [problem] = problems;
  if (problem !== undefined) throw rejection("BadRequest", `Syntax error: ${problem.description}.`);
  return expression;
}

function operatorOf(given: string, relation: string): string {
  const name = given.toLowerCase();
  if (name === "hasattachment" || name === "hasattachments") return "has:";
  const isFrom = relation.startsWith(">") || relation === ":" || relation === "=";
  if (name === "received" || name === "sent") return isFrom ? "after:" : "before:";
  if (name === "size") return relation.startsWith("<") ? "smaller:" : "larger:";
  return `${searchOperators[name] ?? name}:`;
}
