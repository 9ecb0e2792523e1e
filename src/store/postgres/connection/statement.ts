/** A statement and its parameters, in the order of their numbers. */
export interface BoundStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

interface Numbered {
  readonly sql: string;
  readonly names: readonly string[];
}

/** Texts that were numbered before; they are few, for they are put together from constants. */
const known = new Map<string, Numbered>();
const knownCountMax = 1000;

/**
 * Numbers the parameters of a statement that has names for them, as in `:name`. Casts (`::`) are left alone. They are
 * sent in the order in which the values are given: the library copies what it has gathered for each large one, so that
 * these belong at the end. One text always comes with the same names.
 */
export function bind(text: string, values: Readonly<Record<string, unknown>>): BoundStatement {
  const { sql, names } = numbered(text, values);
  return { sql, parameters: names.map((name) => values[name]) };
}

function numbered(text: string, values: Readonly<Record<string, unknown>>): Numbered {
  const before = known.get(text);
  if (before !== undefined) return before;
  const used = new Set([...text.matchAll(parameter)].map(([, name]) => name));
  const names = Object.keys(values).filter((name) => used.has(name));
  const sql = text.replaceAll(parameter, (_, name: string) => `$${names.indexOf(name) + 1}`);
  if (known.size >= knownCountMax) known.clear();
  known.set(text, { sql, names });
  return { sql, names };
}

const parameter = /(?<!:):([a-z]\w*)/gi;
