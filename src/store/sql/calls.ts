import type { Query } from "./query.ts";

/** Names of the methods of a class that are queries. */
export type QueryName<Rows> = {
  [Name in keyof Rows]: Rows[Name] extends (...parameters: never[]) => Query<unknown> ? Name : never;
}[keyof Rows] &
  string;

/** Methods of a class of queries, as promises of their results. */
export type Calls<Rows> = {
  readonly [Method in QueryName<Rows>]: Rows[Method] extends (...parameters: infer Parameters) => Query<infer Result>
    ? (...parameters: Parameters) => Promise<Result>
    : never;
};

/** Executes a method by its name. */
export type Call = (method: string, parameters: readonly unknown[]) => Promise<unknown>;

/** Returns the methods of a class of queries, which are executed elsewhere by their names. */
export function callsOf<Rows extends object>(rows: Rows, call: Call): Calls<Rows> {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(rows)).filter((name) => name !== "constructor");
  const methods = names.map((name) => [
    name,
    async (...parameters: readonly unknown[]) => await call(name, parameters),
  ]);
  return Object.fromEntries(methods) as Calls<Rows>;
}

/** Returns methods whose calls pass through a function. */
export function passingCalls<Methods extends object>(
  methods: Methods,
  pass: <Result>(call: () => Promise<Result>) => Promise<Result>,
): Methods {
  const passing = Object.entries(methods).map(
    ([name, method]: [string, (...given: readonly unknown[]) => Promise<unknown>]) => [
      name,
      async (...given: readonly unknown[]) => await pass(async () => await method(...given)),
    ],
  );
  return Object.fromEntries(passing) as Methods;
}

/** Functions that are called with the parameters of methods that have ended. */
type AfterCalls<Methods> = {
  readonly [Name in keyof Methods]?: Methods[Name] extends (...parameters: infer Parameters) => Promise<unknown>
    ? (...parameters: Parameters) => void
    : never;
};

/** Returns methods of which some call a function when they have ended, with a result or an error. */
export function withAfterCalls<Methods extends object>(methods: Methods, after: AfterCalls<Methods>): Methods {
  const replaced = Object.entries(after).map(([name, given]: [string, unknown]) => {
    const end = given as (...parameters: readonly unknown[]) => void;
    const method = methods[name as keyof Methods] as (...parameters: readonly unknown[]) => Promise<unknown>;
    return [
      name,
      async (...parameters: readonly unknown[]) => await method(...parameters).finally(() => end(...parameters)),
    ];
  });
  return { ...methods, ...Object.fromEntries(replaced) } as Methods;
}

/** Verbs with which the names of queries begin that change nothing. */
const readingVerbs = /^(?:count|find|get|has|is|list|measure|next|read|walk)/;

/** Whether a query only reads, which its name says. */
export function isReading(method: string): boolean {
  return readingVerbs.test(method);
}

/** Returns the query that a method of an object returns. */
export function queryOf(rows: object, method: string, parameters: readonly unknown[]): Query<unknown> {
  const query = rows[method as keyof typeof rows] as (...given: readonly unknown[]) => Query<unknown>;
  return query.apply(rows, [...parameters]);
}
