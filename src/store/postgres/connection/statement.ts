/** Statement and its parameters, in the order of their numbers. */
export interface BoundStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

interface Numbered {
  readonly sql: string;
  readonly names: readonly string[];
}

/** Cache of numbered statements; they are few, because they are built from constants. */
const known = new Map<string, Numbered>();
const knownCountMax = 1000;

/**
 * Numbers the named parameters (`:name`) of a statement; casts (`::`) stay. Parameters are sent in the order of the
 * given values: the library copies its buffer for each large one, so large values belong at the end. The same statement
 * must always come with the same names.
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
