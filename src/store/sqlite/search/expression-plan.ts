import type { SQLInputValue, StatementSync } from "node:sqlite";
import type { KeyCriterion } from "../../../core/criteria.ts";
import type { ServerId } from "../../../core/ids.ts";
import type { Direction } from "../../../core/message.ts";
import { matchingTags } from "../../../core/search/matching-tags.ts";
import { hasTerm, occurringTerms, requiredTerms } from "../../../core/search/search-expression.ts";
import type { SearchExpression } from "../../../core/search/search-expression.ts";
import { hasText, narrowExpression, ofKeys, oneOf, termsOf } from "../../signatures/text-condition.ts";
import type { NarrowedSearch, TextCondition } from "../../signatures/text-condition.ts";
import type { Statements } from "../connection/connection.ts";
import { keyRoles } from "../messages/key-roles.ts";
import { selectCandidates } from "./candidate-rows.ts";
import { CandidateFinder, type CandidateDependencies } from "./candidates.ts";
import { writeExpression, type BodyTerm } from "./expression-sql.ts";

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
  /** Returns the id that follows `:skip` rows of the range. */
  readonly boundary: StatementSync;
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
}

/** Plans a search: over the index of a key that every match has, or over all messages. */
export function planExpression(
  dependencies: CandidateDependencies,
  { server, direction, expression, epoch }: PlannedExpression,
): ExpressionPlan {
  const { statements } = dependencies;
  const tags = hasTerm(expression, "tagged", "tag", "tagText") ? tagsOf(statements, epoch) : [];
  const { condition, parameters, bodyTerms } = writeExpression(expression, { server, direction, tags });
  const key = requiredKey(expression, tags);
  const selectRows = (where: string): StatementSync =>
    statements.prepare(writeRows({ condition, where, role: key?.role }));
  const withoutBodies = condition.replaceAll(/:body\d+/g, "0");
  const { condition: indexed, keys: otherKeys, isNarrowedByTexts } = indexedTexts(expression, tags);
  const requiredKeys = key === undefined ? [] : [key];
  const bodies = bodyTerms.map(({ pattern }) => pattern.toString());
  const wanted = { condition: indexed, bodies, subject: requiredSubject(expression), requiredKeys, otherKeys };
  const finder = termsOf(indexed).length === 0 ? undefined : CandidateFinder.of(dependencies, wanted);
  const range = "epoch = :epoch and id between :first and :last";
  const ofKey =
    key === undefined ? "subject where" : `address where role = ${keyRoles[key.role]} and address = :required and`;
  return {
    rows: selectRows(`(${condition}) is not 0`),
    rowsWithoutBodies: selectRows(`(${withoutBodies}) is not 0`),
    row: selectRows("1"),
    rowsOfCandidates: statements.prepare(selectCandidates(condition, withoutBodies)),
    boundary: statements.prepare(`select id from ${ofKey} ${range} order by id desc limit 1 offset :skip`),
    parameters: { ...parameters, ...(key !== undefined && { required: key.key }) },
    bodyTerms,
    unknownBodies: Object.fromEntries(bodyTerms.map(({ parameter }) => [parameter, null])),
    finder,
    isNarrowedByTexts,
  };
}

function writeRows({
  condition,
  where,
  role,
}: {
  readonly condition: string;
  readonly where: string;
  readonly role: KeyCriterion["role"] | undefined;
}): string {
  const inRange = "epoch = :epoch and id between :first and :last";
  const [source, order] =
    role === undefined
      ? ["subject s", "s.id"]
      : [
          `(select id from address where role = ${keyRoles[role]} and address = :required and ${inRange}) a
           cross join subject s on s.id = a.id`,
          "a.id",
        ];
  return `select s.id, s.content, (${condition}) as verdict from ${source}
    where s.epoch = :epoch and s.id between :first and :last and ${where} order by ${order} desc`;
}

/** Returns a key that every match has: of an address, of a label, or of a tag with only one spelling. */
function requiredKey(expression: SearchExpression, tags: readonly string[]): KeyCriterion | undefined {
  for (const term of requiredTerms(expression)) {
    if (term.kind === "key") return { role: term.role, key: term.key };
    if (term.kind !== "tag") continue;
    const [only, other] = matchingTags(term, tags);
    if (only !== undefined && other === undefined) return { role: "tag", key: only };
  }
  return undefined;
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
