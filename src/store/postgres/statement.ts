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

/** Numbers the parameters of a statement that has names for them, as in `:name`. Casts (`::`) are left alone. */
export function bind(text: string, values: Readonly<Record<string, unknown>>): BoundStatement {
  const { sql, names } = numbered(text);
  return { sql, parameters: names.map((name) => values[name]) };
}

function numbered(text: string): Numbered {
  const before = known.get(text);
  if (before !== undefined) return before;
  const names: string[] = [];
  const sql = text.replaceAll(/(?<!:):([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  if (known.size >= knownCountMax) known.clear();
  known.set(text, { sql, names });
  return { sql, names };
}
