import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { ServerId } from "../../../core/ids.ts";
import { flagBits } from "../../../core/marks.ts";
import type { Direction } from "../../../core/message.ts";
import { matchingTags } from "../../../core/search/criteria-expression.ts";
import { hasTerm, occurringTerms, requiredTerms } from "../../../core/search/search-expression.ts";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import { hasText, narrowExpression, ofKeys, oneOf, termsOf } from "../../signatures/text-condition.ts";
import type { NarrowedSearch, TextCondition } from "../../signatures/text-condition.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import type { Statements } from "../connection/connection.ts";
import { keyRoles } from "../messages/key-roles.ts";
import { selectCandidates } from "./candidate-rows.ts";
import { CandidateFinder, type CandidateDependencies, type CandidateScope } from "./candidates.ts";
import { writeExpression, type BodyTerm } from "./expression-sql.ts";
import { sourceOf, type RowSource } from "./row-source.ts";

/**
 * Statements of a search over the ids from `:first` to `:last` of `:epoch`, newest first. They return (id, content, verdict);
 * a null verdict means that the parameters of bodies decide.
 */
export interface ExpressionPlan {
  /** Rows that may match. */
  readonly rows: StatementSync;
  /** Rows that match or may match when no body contains any term. */
  readonly rowsWithoutBodies: StatementSync;
  /** The only row of a range, whether it matches or not. */
  readonly row: StatementSync;
  /** Rows of candidates that may match; see {@link selectCandidates}. */
  readonly rowsOfCandidates: StatementSync;
  /** Returns the `count` of the matches, at most `:limit`; absent where bodies decide, and for searches that are no counts. */
  readonly count?: StatementSync;
  /** Returns the id that follows `:skip` rows of the range. */
  readonly boundary: StatementSync;
  /** Returns a row when the range has more rows than are compared instead of using the text index; absent for all messages. */
  readonly manyRows?: StatementSync;
  /** Returns the `count` of the messages of the range with the flag "seen"; absent unless every match is without it. */
  readonly seenCount?: StatementSync;
  readonly parameters: Readonly<Record<string, SQLInputValue>>;
  readonly bodyTerms: readonly BodyTerm[];
  /** Values of the parameters of bodies that are not known. */
  readonly unknownBodies: Readonly<Record<string, null>>;
  /** Finder of candidates by the text index; undefined where it does not help. */
  readonly finder: CandidateFinder | undefined;
  /** Whether the candidates of {@link finder} include all matches, so that no other row is compared. */
  readonly isNarrowedByTexts: boolean;
}

/** Expression in one server. */
export interface PlannedExpression {
  readonly server: ServerId;
  readonly direction: Direction;
  readonly expression: SearchExpression;
  readonly epoch: number;
  /** Whether its matches are only counted. */
  readonly isCount: boolean;
}

/** Up to this many rows of a source, or unread messages, are compared one by one instead of using the text index. */
const sourceRowCountFew = 100;

/** Plans a search: over the rows of a condition that every match meets and that has an index, or over all messages. */
export function planExpression(
  dependencies: CandidateDependencies,
  { server, direction, expression, epoch, isCount }: PlannedExpression,
): ExpressionPlan {
  const { statements } = dependencies;
  const tags = hasTerm(expression, "tagged", "tag", "tagText") ? tagsOf(statements, epoch) : [];
  const { condition, parameters, bodyTerms } = writeExpression(expression, { server, direction, tags });
  const source = sourceOf(expression, tags);
  const selectRows = (where: string): string => writeRows({ condition, where, source });
  const withoutBodies = condition.replaceAll(/:body\d+/g, "0");
  const { condition: indexed, keys: otherKeys, isNarrowedByTexts } = indexedTexts(expression, tags);
  const bodies = bodyTerms.map(({ pattern }) => pattern.toString());
  const wanted = { condition: indexed, bodies, subject: requiredSubject(expression), requiredKeys: [], otherKeys };
  const finder = termsOf(indexed).length === 0 ? undefined : CandidateFinder.of(dependencies, wanted);
  const idsOfRange = `select id from ${source === undefined ? "subject where" : `${source.from} and`} ${inRange}`;
  const matches = selectRows(`(${condition}) is 1`);
  return {
    rows: statements.prepare(selectRows(`(${condition}) is not 0`)),
    rowsWithoutBodies: statements.prepare(selectRows(`(${withoutBodies}) is not 0`)),
    row: statements.prepare(writeRows({ condition, where: "1", source: undefined })),
    rowsOfCandidates: statements.prepare(selectCandidates(condition, withoutBodies)),
    ...(isCount &&
      bodyTerms.length === 0 && {
        count: statements.prepare(`select count(*) as count from (${matches} limit :limit + 0)`),
      }),
    boundary: statements.prepare(`${idsOfRange} order by id desc limit 1 offset :skip`),
    ...(source !== undefined && { manyRows: statements.prepare(`${idsOfRange} limit 1 offset ${sourceRowCountFew}`) }),
    ...(source === undefined &&
      requiresUnseen(expression) && {
        seenCount: statements.get(`select count(*) as count from mark where flags & ${seenBits} <> 0 and ${inRange}`),
      }),
    parameters: { ...parameters, ...source?.parameters },
    bodyTerms,
    unknownBodies: Object.fromEntries(bodyTerms.map(({ parameter }) => [parameter, null])),
    finder,
    isNarrowedByTexts,
  };
}

/** Returns whether so few messages in a scope meet a condition that every match meets that comparing them is faster than the text index. */
export function hasFewRows(
  { manyRows, seenCount, parameters }: ExpressionPlan,
  { epoch, range, direction }: CandidateScope,
  { receivedCount, sentCount }: ServerPosition,
): boolean {
  if (manyRows !== undefined) return manyRows.get({ ...parameters, ...range, epoch }) === undefined;
  if (seenCount === undefined) return false;
  const messageCount = direction === "Sent" ? sentCount : receivedCount;
  return messageCount - Number(seenCount.get({ epoch, ...range })?.["count"]) <= sourceRowCountFew;
}

const inRange = "epoch = :epoch and id between :first and :last";

function writeRows(rows: {
  readonly condition: string;
  readonly where: string;
  readonly source: RowSource | undefined;
}): string {
  const { condition, where, source } = rows;
  const from =
    source === undefined
      ? "subject s"
      : `(select id from ${source.from} and ${inRange}) a cross join subject s on s.id = a.id`;
  return `select s.id, s.content, (${condition}) as verdict from ${from}
    where s.epoch = :epoch and s.id between :first and :last and ${where}
    order by ${source === undefined ? "s" : "a"}.id desc`;
}

const seenBits = flagBits(["seen"]);

/** Returns whether every match is without the flag "seen". */
function requiresUnseen(expression: SearchExpression): boolean {
  if (expression.kind === "and") return expression.of.some(requiresUnseen);
  return expression.kind === "not" && expression.of.kind === "flag" && expression.of.flag === "seen";
}

/** Returns a term that the subject of every match contains; null where there is none. */
function requiredSubject(expression: SearchExpression): string | null {
  const terms = requiredTerms(expression).flatMap((term) =>
    term.kind === "text" && term.field === "subject" ? [term.term] : [],
  );
  return terms.find((term) => term !== "") ?? null;
}

/**
 * Returns what every match meets, as far as the index knows; else the terms of bodies of which a match contains one, unless it
 * matches without any.
 */
function indexedTexts(
  expression: SearchExpression,
  tags: readonly string[],
): NarrowedSearch & { readonly isNarrowedByTexts: boolean } {
  const narrowed = narrowExpression(expression, (term) =>
    ofKeys(matchingTags(term, tags).map((key) => ({ role: "tag", key }))),
  );
  if (termsOf(narrowed.condition).length > 0) return { ...narrowed, isNarrowedByTexts: true };
  const bodies = occurringTerms(expression).flatMap(({ term, isNegated }): readonly TextCondition[] =>
    term.kind !== "text" || term.field !== "body" || isNegated ? [] : [hasText("body", term.term)],
  );
  return { condition: oneOf(bodies), keys: [], isNarrowedByTexts: false };
}

/** Returns the tags of the messages, also those of providers. Reads one row for each. */
function tagsOf(statements: Statements, epoch: number): readonly string[] {
  const next = `(select min(address) from address where epoch = :epoch and role = ${keyRoles.tag} and address >`;
  const rows = statements
    .get(
      `with recursive t (tag) as (
         select min(address) from address where epoch = :epoch and role = ${keyRoles.tag}
         union all select ${next} t.tag) from t where t.tag is not null)
       select tag from t where tag is not null`,
    )
    .all({ epoch });
  return rows.map((row) => String(row["tag"]));
}
