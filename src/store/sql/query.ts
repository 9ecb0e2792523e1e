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

/** Executes a query at once. The query may handle the error of a statement, or clean up after it. */
export function runAtOnce<Result>(query: Query<Result>, execute: (statement: Statement) => readonly unknown[]): Result {
  let step = query.next();
  while (step.done !== true) step = resumed(query, execute, step.value);
  return step.value;
}

function resumed<Result>(
  query: Query<Result>,
  execute: (statement: Statement) => readonly unknown[],
  statement: Statement,
): IteratorResult<Statement, Result> {
  let rows: readonly unknown[];
  try {
    rows = execute(statement);
  } catch (error) {
    return query.throw(error);
  }
  return query.next(rows);
}

/** As {@link runAtOnce}, one statement after the other. */
export async function run<Result>(
  query: Query<Result>,
  execute: (statement: Statement) => Promise<readonly unknown[]>,
): Promise<Result> {
  let step = query.next();
  while (step.done !== true) {
    const resume = await execute(step.value).then(
      (rows) => () => query.next(rows),
      (error: unknown) => () => query.throw(error),
    );
    step = resume();
  }
  return step.value;
}

/** Query without statements of its own. */
export function* computed<Result>(body: () => Result): Query<Result> {
  yield* [];
  return body();
}
