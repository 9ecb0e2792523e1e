import { referred, type SchemaShape } from "../../core/schema.ts";

/** Returns the schemas with an `$id` among these and in them, by their id, in its alphabetical order. */
export function componentsOf(schemas: readonly SchemaShape[]): Readonly<Record<string, SchemaShape>> {
  const found = new Map<string, SchemaShape>();
  for (const schema of schemas) collect(found, schema);
  const sorted = Array.from(found).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([id, { $id, ...schema }]) => [$id ?? id, schema]));
}

function collect(found: Map<string, SchemaShape>, schema: SchemaShape): void {
  const { $id, [referred]: target, properties = {}, items, anyOf = [], additionalProperties: values } = schema;
  if ($id !== undefined) {
    if (found.has($id)) return;
    found.set($id, schema);
  }
  for (const one of [target, items, values, ...anyOf, ...Object.values(properties)]) {
    if (typeof one === "object") collect(found, one);
  }
}
