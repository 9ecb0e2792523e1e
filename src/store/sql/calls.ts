import type { Query } from "./query.ts";

/** Names of the methods of a class that are queries. */
export type QueryName<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends (...parameters: never[]) => Query<unknown> ? Name : never;
}[keyof Rows] &
  string;

/** Methods of a class of queries, as promises of their results. */
export type Calls<Rows, Name extends QueryName<Rows>> = {
  readonly [Method in Name]: Rows[Method] extends (...parameters: infer Parameters) => Query<infer Result>
    ? (...parameters: Parameters) => Promise<Result>
    : never;
};

/** Executes a method by its name. */
export type Call = (method: string, parameters: readonly unknown[]) => Promise<unknown>;

/** Returns methods of a class of queries, which are executed elsewhere by their names. */
export function callsOf<Rows, Name extends QueryName<Rows>>(names: readonly Name[], call: Call): Calls<Rows, Name> {
  const methods = names.map((name) => [
    name,
    async (...parameters: readonly unknown[]) => await call(name, parameters),
  ]);
  return Object.fromEntries(methods) as Calls<Rows, Name>;
}

/** Returns the query that a method of an object returns. */
export function queryOf(rows: object, method: string, parameters: readonly unknown[]): Query<unknown> {
  const query = rows[method as keyof typeof rows] as (...given: readonly unknown[]) => Query<unknown>;
  return query.apply(rows, [...parameters]);
}
