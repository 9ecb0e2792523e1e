import type { Principal } from "../../core/api-key.ts";
import { givenCriteria } from "../../core/criteria.ts";
import { criteriaExpression, anyText } from "../../core/search/build-expression.ts";
import { similarOperator, type QueryConjunct } from "../../core/search/parse-query.ts";
import {
  explainedValue,
  nearestMessageCountMax,
  type FailedCriterion,
  type SearchExplanation,
} from "../../core/search-explanation.ts";
import type { Context } from "../context.ts";
import type { SearchQuery } from "../services/search/read-query.ts";
import { explanationOf, nearMissOf, readArrivals, type UnmetSearch } from "./arrivals.ts";

/**
 * Explains why a search with a query found too little: compares the newest messages that arrived while it waited, or shortly
 * before, with each of its parts. Reads at most `explainedMessageCountMax` ids for each.
 */
export async function explainQuery(
  context: Context,
  principal: Principal,
  search: UnmetSearch & { readonly query: SearchQuery },
): Promise<SearchExplanation> {
  const arrivals = await readArrivals(context, principal, search);
  const failed = new Map<string, FailedCriterion[]>();
  for (const part of arrivals.summaries.length === 0 ? [] : partsOf(search)) {
    const matching = await arrivals.matching(part.expression);
    const failure = failedPart(part);
    for (const { id } of arrivals.summaries) {
      if (!matching.has(id)) failed.set(id, [...(failed.get(id) ?? []), failure]);
    }
  }
  const nearest = arrivals.summaries
    .flatMap((summary) => {
      const parts = failed.get(summary.id);
      return parts === undefined ? [] : [{ summary, parts }];
    })
    .toSorted((one, other) => one.parts.length - other.parts.length)
    .slice(0, nearestMessageCountMax)
    .map(({ summary, parts }) => nearMissOf(summary, parts));
  return explanationOf(arrivals, nearest, search);
}

/** Returns the criteria as one part, if there are any, and the parts of the query. */
function partsOf({ criteria, query }: UnmetSearch & { readonly query: SearchQuery }): readonly QueryConjunct[] {
  if (givenCriteria(criteria).length === 0) return query.conjuncts;
  return [{ text: "criteria", expression: criteriaExpression(criteria) }, ...query.conjuncts];
}

function failedPart({ text, expression }: QueryConjunct): FailedCriterion {
  const similar = similarOperator(text);
  const isText = JSON.stringify(expression) === JSON.stringify(anyText(text));
  const hint = isText && similar !== undefined ? `searched as text; did you mean ${similar}:?` : null;
  return { criterion: "q", expected: explainedValue(text), actual: [], hint };
}
