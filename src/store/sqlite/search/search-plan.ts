import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { ServerId } from "../../../core/ids.ts";
import { flagBits } from "../../../core/marks.ts";
import type { Direction } from "../../../core/message.ts";
import { matchingTags } from "../../../core/search/build-expression.ts";
import { hasTerm, occurringTerms, requiredTerms } from "../../../core/search/search-expression.ts";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import { writeExpression, type ExpressionSql } from "../../search/expression-sql.ts";
import { narrowSearch, ofKeys, termsOf, type TextCondition } from "../../signatures/text-condition.ts";
import type { ServerPosition } from "../../records/server-position.ts";
import type { Statements } from "../connection/connection.ts";
import type { IdRange } from "../../page-bounds.ts";
import { keyRoles } from "../messages/key-roles.ts";
import { selectCandidates } from "./compared-rows.ts";
import { CandidateFinder, type CandidateDependencies, type CandidateScope } from "./candidates.ts";
import { bodyParameter, sqliteExpressions, sourceOf, type RowSource } from "./expression-dialect.ts";

/** Statement that is prepared when it is first used. */
type Prepared = () => StatementSync;

/**
 * Statements of a search over the ids from `:first` to `:last` of `:epoch`, newest first. They return (id, content, verdict);
 * a null verdict means that the parameters of bodies decide.
 */
export interface SearchPlan {
  /** Rows that may match. */
  readonly rows: Prepared;
  /** Rows that match or may match when no body contains any term. */
  readonly rowsWithoutBodies: Prepared;
  /** The only row of a range, whether it matches or not. */
  readonly row: Prepared;
  /** Rows of candidates that may match; see {@link selectCandidates}. */
  readonly rowsOfCandidates: Prepared;
  /** Returns the `count` of the matches, at most `:limit`; absent where bodies decide, and for searches that are no counts. */
  readonly count?: Prepared;
  /** Returns the id that follows `:skip` rows of the range. */
  readonly boundary: Prepared;
  /** Returns a row when the range has more rows than are compared instead of using the text index; absent for all messages. */
  readonly manyRows?: Prepared;
  /** Returns the `count` of the messages of the range with the flag "seen"; absent unless every match is without it. */
  readonly seenCount?: Prepared;
  /** Rows that are compared instead of all; undefined for all messages. */
  readonly source: RowSource | undefined;
  /** Writes what the statements need when one is first used: many searches without a match use none. */
  readonly sql: () => PlannedSql;
  /** Finder of candidates by the text index; undefined where it does not help. */
  readonly finder: CandidateFinder | undefined;
  /** Whether the candidates of {@link finder} include all matches, so that no other row is compared. */
  readonly isNarrowedByTexts: boolean;
}

/** Expression in SQL; the parameters of bodies are null, because no body is known. */
export interface PlannedSql extends Pick<ExpressionSql, "conditionWithoutBodies"> {
  readonly condition: string;
  readonly parameters: Readonly<Record<string, SQLInputValue>>;
  /** Terms of bodies, and the parameters that tell whether a body contains them. */
  readonly bodyTerms: readonly { readonly parameter: string; readonly pattern: Buffer }[];
  /**
   * Parameter of the only term of a body with which a message matches whose verdict without it is null; null where the
   * statements must decide.
   */
  readonly bodyDecides: 0 | 1 | null;
}

/** Expression in one server. */
export interface PlannedSearch {
  readonly server: ServerId;
  readonly direction: Direction;
  readonly expression: SearchExpression;
  readonly epoch: number;
  /** Whether its matches are only counted. */
  readonly isCount: boolean;
}

/** Up to this many terms, the bodies of all candidates are read. */
const simpleTermCountMax = 2;
/** Up to this many rows of a source, or unread messages, are compared one by one instead of using the text index. */
const sourceRowCountFew = 100;

/** Plans a search: over the rows of a condition that every match meets and that has an index, or over all messages. */
export function planSearch(
  dependencies: CandidateDependencies,
  { server, direction, expression, epoch, isCount }: PlannedSearch,
): SearchPlan {
  const { statements } = dependencies;
  const tags = hasTerm(expression, "tagged", "tag", "tagText") ? tagsOf(statements, epoch) : [];
  const source = sourceOf(expression, tags);
  const sql = once(() =>
    planSql(writeExpression(sqliteExpressions, expression, { server, direction, tags }), expression, source),
  );
  const selectRows = (where: string): string => writeRows({ condition: sql().condition, where, source });
  const {
    condition: indexed,
    keys: otherKeys,
    isNarrowedByTexts,
  } = narrowSearch(expression, (term) => ofKeys(matchingTags(term, tags).map((key) => ({ role: "tag", key }))));
  const wanted = {
    condition: indexed,
    ...comparedBodies(expression, indexed, sql),
    otherKeys,
  };
  const finder = termsOf(indexed).length === 0 ? undefined : CandidateFinder.of(dependencies, wanted);
  const fromRange = `from ${source === undefined ? "subject where" : `${source.from} and`} ${inRange}`;
  const prepare = (write: () => string): Prepared => once(() => statements.recent(write()));
  return {
    rows: prepare(() => selectRows(`(${sql().condition}) is not 0`)),
    rowsWithoutBodies: prepare(() => selectRows(`(${sql().conditionWithoutBodies()}) is not 0`)),
    row: prepare(() => writeRows({ condition: sql().condition, where: "1", source: undefined })),
    rowsOfCandidates: prepare(() => selectCandidates(sql().condition, sql().conditionWithoutBodies())),
    ...(isCount &&
      sql().bodyTerms.length === 0 && {
        count: prepare(
          () => `select count(*) as count from (${selectRows(`(${sql().condition}) is 1`)} limit :limit + 0)`,
        ),
      }),
    boundary: prepare(() => `select id ${fromRange} order by id desc limit 1 offset :skip`),
    ...(source !== undefined && {
      manyRows: prepare(() => `select 1 ${fromRange} limit 1 offset ${sourceRowCountFew}`),
    }),
    ...(source === undefined &&
      requiresUnseen(expression) && {
        seenCount: prepare(() => `select count(*) as count from mark where flags & ${seenBits} <> 0 and ${inRange}`),
      }),
    source,
    sql,
    finder,
    isNarrowedByTexts,
  };
}

function planSql(written: ExpressionSql, expression: SearchExpression, source: RowSource | undefined): PlannedSql {
  const { wholeCondition: condition, conditionWithoutBodies, values } = written;
  const bodyTerms = written.bodyTerms.map((term, n) => ({ parameter: bodyParameter(n), pattern: Buffer.from(term) }));
  const unknownBodies = Object.fromEntries(bodyTerms.map(({ parameter }) => [parameter, null]));
  const parameters = { ...values, ...source?.parameters, ...unknownBodies };
  return { condition, conditionWithoutBodies, parameters, bodyTerms, bodyDecides: decidingBody(expression) };
}

/**
 * Returns the number of messages of a range with the flag "seen" where matches have it not; undefined elsewhere. Counting
 * marks, which are deleted with their messages, takes a tenth of the time of comparing the messages.
 */
export function countSeen({ seenCount }: SearchPlan, range: IdRange, epoch: number): number | undefined {
  return seenCount === undefined ? undefined : Number(seenCount().get({ epoch, ...range })?.["count"]);
}

/** Returns a function that makes a value when it is first called. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Returns whether so few messages in a scope meet a condition that every match meets that comparing them is faster than the text index. */
export function hasFewRows(
  { manyRows, seenCount, source }: SearchPlan,
  { epoch, range, direction }: CandidateScope,
  { receivedCount, sentCount }: ServerPosition,
): boolean {
  if (manyRows !== undefined) return manyRows().get({ ...source?.parameters, ...range, epoch }) === undefined;
  if (seenCount === undefined) return false;
  const messageCount = direction === "Sent" ? sentCount : receivedCount;
  return messageCount - Number(seenCount().get({ epoch, ...range })?.["count"]) <= sourceRowCountFew;
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

/** Returns the terms of bodies that candidates may contain, where telling it pays: where many match by other texts. */
function comparedBodies(
  expression: SearchExpression,
  indexed: TextCondition,
  sql: () => PlannedSql,
): { readonly bodies?: readonly string[] } {
  if (termsOf(indexed).length <= simpleTermCountMax || requiresBody(expression)) return {};
  const { bodyTerms } = sql();
  return bodyTerms.length === 0 ? {} : { bodies: bodyTerms.map(({ pattern }) => pattern.toString()) };
}

function requiresBody(expression: SearchExpression): boolean {
  return requiredTerms(expression).some((term) => term.kind === "text" && term.field === "body");
}

/** Returns the outcome of the only term of a body that decides; null when there are several. */
function decidingBody(expression: SearchExpression): 0 | 1 | null {
  const [only, ...others] = occurringTerms(expression).filter(
    ({ term }) => term.kind === "text" && term.field === "body",
  );
  if (only === undefined || others.length > 0) return null;
  return only.isNegated ? 0 : 1;
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
