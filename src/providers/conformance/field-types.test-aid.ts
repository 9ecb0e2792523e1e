/** Tables of the names and JSON types of the members of a payload, and the comparison of a value with one. */

/**
 * Path → types. Paths are `a.b` for members of objects and `a[]` for elements of arrays (`a[].b`). Types are `string`,
 * `integer`, `number`, `boolean`, `null`, `object`, `array`, several of them separated by `|`; `map` is an object with any
 * names, whose members are not compared. A `?` at the end: the member may be absent.
 */
export type FieldTypes = Readonly<Record<string, string>>;

/**
 * Returns the differences between a value and a table, sorted: missing members, members that the table lacks, other types.
 * Members of the topmost object with one of `extraNames` are not compared.
 */
export function fieldDifferences(
  value: unknown,
  table: FieldTypes,
  extraNames: readonly string[] = [],
): readonly string[] {
  const found = new Map<string, Set<string>>();
  collect(value, "", { found, table, extraNames });
  const wrong = Array.from(found).flatMap(([path, types]) => {
    const allowed = allowedTypes(table, path);
    if (allowed === null) return [`${path}: not in the table (${[...types].join("|")})`];
    const others = Array.from(types).filter((type) => !isAllowed(type, allowed));
    return others.map((type) => `${path}: ${type} instead of ${allowed.join("|")}`);
  });
  const missing = Object.entries(table).flatMap(([path, types]) =>
    !types.endsWith("?") && !found.has(path) && isParentFound(path, value) ? [`${path}: missing`] : [],
  );
  return [...wrong, ...missing].toSorted();
}

function allowedTypes(table: FieldTypes, path: string): readonly string[] | null {
  return Object.hasOwn(table, path) ? (table[path] ?? "").replace(/\?$/, "").split("|") : null;
}

interface Collecting {
  readonly found: Map<string, Set<string>>;
  readonly table: FieldTypes;
  readonly extraNames: readonly string[];
}

function collect(value: unknown, path: string, collecting: Collecting): void {
  const { found, table, extraNames } = collecting;
  if (path !== "") found.set(path, (found.get(path) ?? new Set()).add(typeOf(value)));
  if (allowedTypes(table, path)?.includes("map") === true) return;
  if (Array.isArray(value)) for (const one of value) collect(one, `${path}[]`, collecting);
  else if (path === "") {
    for (const [name, member] of membersOf(value)) if (!extraNames.includes(name)) collect(member, name, collecting);
  } else for (const [name, member] of membersOf(value)) collect(member, `${path}.${name}`, collecting);
}

function membersOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (Number.isInteger(value)) return "integer";
  return typeof value;
}

function isAllowed(type: string, allowed: readonly string[]): boolean {
  if (allowed.includes(type)) return true;
  return (type === "integer" && allowed.includes("number")) || (type === "object" && allowed.includes("map"));
}

/** Members of an absent optional object, and elements of an empty array, are not missing. */
function isParentFound(path: string, value: unknown): boolean {
  const parent = path.replace(/(?:\.[^.[\]]+|\[\])$/, "");
  if (parent === path) return true;
  const holders = valuesAt(parent, value);
  return path.endsWith("[]") ? holders.some((one) => Array.isArray(one) && one.length > 0) : holders.length > 0;
}

function valuesAt(path: string, value: unknown): readonly unknown[] {
  let values: readonly unknown[] = [value];
  for (const step of path.split(/\.|(?=\[\])/)) {
    values = values.flatMap((one) => {
      if (step === "[]") return Array.isArray(one) ? (one as readonly unknown[]) : [];
      const member = typeof one === "object" && one !== null ? (one as Record<string, unknown>)[step] : undefined;
      return member === undefined ? [] : [member];
    });
  }
  return values;
}
