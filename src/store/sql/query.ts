/** Queries that run on both databases: generators of statements, for a driver that executes them at once or later. */

/** Statement with parameters `$1`, `$2`, …. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Query that yields statements, gets their rows, and returns a result. */
export type Query<Result> = Generator<Statement, Result, readonly unknown[]>;

/** Executes one statement; to be used with `yield*`. */
export function* rowsOf<Row>(sql: string, values: readonly unknown[] = []): Query<readonly Row[]> {
  return (yield { sql, values }) as readonly Row[];
}

/** Executes a query at once. */
export function runAtOnce<Result>(query: Query<Result>, execute: (statement: Statement) => readonly unknown[]): Result {
  let step = query.next();
  while (step.done !== true) step = query.next(execute(step.value));
  return step.value;
}

/** Executes a query, one statement after the other. */
export async function run<Result>(
  query: Query<Result>,
  execute: (statement: Statement) => Promise<readonly unknown[]>,
): Promise<Result> {
  let step = query.next();
  while (step.done !== true) step = query.next(await execute(step.value));
  return step.value;
}

/** Query without statements of its own. */
export function* computed<Result>(body: () => Result): Query<Result> {
  yield* [];
  return body();
}
