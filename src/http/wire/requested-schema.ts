/** Schemas of what requests may contain, which is more than the schemas of their values say. */
import { aliases, asNumber, build, numbered, orNull, type SchemaShape, type WireSchema } from "../../core/schema.ts";

/** Schema of the empty string, which is the same as an absent value. */
export const emptyText: SchemaShape = { type: "string", maxLength: 0 };

/**
 * Returns the schema of what the decoder of requests accepts: null is the same as an absent member, and "" too for strings
 * and enums, so that a required text is not empty. Enums in any letter case are not described.
 */
export function asRequested({ properties, items, anyOf, additionalProperties, ...rest }: SchemaShape): SchemaShape {
  const members = Object.entries(properties ?? {}).map(([name, property]) => {
    const own = asRequested(property);
    return [name, rest.required?.includes(name) === true ? notEmpty(own) : orAbsent(own)] as const;
  });
  return {
    ...(rest[numbered] === true ? withNumbers(rest) : withSafeIntegers(withoutEmptyList(rest))),
    ...(properties !== undefined && { properties: Object.fromEntries(members) }),
    ...(items !== undefined && { items: elementsOf(rest, asRequested(items)) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(asRequested) }),
    ...(additionalProperties !== undefined && { additionalProperties: valuesOf(additionalProperties) }),
  };
}

/** Returns a schema with further required members: names, or `a.b` for the member of a member. */
export function withRequired(schema: SchemaShape, names: readonly string[]): SchemaShape {
  if (schema.anyOf !== undefined) return { ...schema, anyOf: schema.anyOf.map((one) => withRequired(one, names)) };
  if (schema.properties === undefined) return schema;
  const properties = Object.entries(schema.properties).map(([name, property]) => {
    const inner = names.flatMap((one) => (one.startsWith(`${name}.`) ? [one.slice(name.length + 1)] : []));
    return [name, inner.length === 0 ? property : withRequired(property, inner)] as const;
  });
  const own = names.filter((name) => !name.includes("."));
  return { ...schema, required: [...(schema.required ?? []), ...own], properties: Object.fromEntries(properties) };
}

/**
 * Returns the schema of what an operation accepts that reads its body itself: null is the same as an absent member, and
 * unknown members are errors.
 */
export function asRead({ properties, items, anyOf, required = [], ...rest }: SchemaShape): SchemaShape {
  const members = Object.entries(properties ?? {}).map(([name, property]) => {
    const own = asRead(property);
    return [name, required.includes(name) ? own : withNull(own)] as const;
  });
  const others = Object.entries(rest[aliases] ?? {}).map(([alias, name]) => {
    const own = asRead(properties?.[name] ?? {});
    return [alias, { ...withNull(own), description: `Same as \`${name}\`.` }] as const;
  });
  const whole = {
    ...withSafeIntegers(rest),
    ...(required.length > 0 && { required }),
    ...(properties !== undefined && {
      properties: Object.fromEntries([...members, ...others]),
      additionalProperties: false,
    }),
    ...(items !== undefined && { items: asRead(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(asRead) }),
  };
  if (rest[asNumber] === undefined) return whole;
  const { minimum, maximum } = rest[asNumber];
  return { anyOf: [whole, build.integer({ minimum, maximum })] };
}

/** Whole numbers of requests are those that JavaScript holds exactly. */
function withSafeIntegers(schema: SchemaShape): SchemaShape {
  if (schema.type !== "integer") return schema;
  return { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, ...schema };
}

function withoutEmptyList({ required = [], ...rest }: SchemaShape): SchemaShape {
  return required.length > 0 ? { ...rest, required } : rest;
}

/** Returns the schema of an enum whose members may be given by their number, as the .NET library does. */
function withNumbers({ enum: members = [], ...rest }: SchemaShape): SchemaShape {
  const positions = Array.from(members.keys(), String);
  const number = build.integer({ minimum: 0, maximum: members.length - 1 });
  return { anyOf: [{ enum: members }, { enum: positions }, number], ...rest };
}

/** Elements that are absent are passed over, except of arrays that must have some. */
function elementsOf({ minItems = 0 }: SchemaShape, items: SchemaShape): SchemaShape {
  return minItems > 0 ? notEmpty(items) : orAbsent(items);
}

function valuesOf(schema: SchemaShape | boolean): SchemaShape | boolean {
  return typeof schema === "object" ? orAbsent(asRequested(schema)) : schema;
}

function notEmpty(schema: SchemaShape): SchemaShape {
  return schema.type === "string" ? { minLength: 1, ...schema } : schema;
}

/** Returns the schema of a value, null, or "" where that is the same as no value and no value of the schema. */
function orAbsent(schema: SchemaShape): SchemaShape {
  const [own = schema] = schema.anyOf ?? [];
  if (acceptsEmpty(own) || (own.type !== undefined && own.type !== "string")) return withNull(schema);
  const { anyOf: choices = [schema], ...rest } = schema.anyOf === undefined ? {} : schema;
  return withNull({ ...rest, anyOf: [...choices, emptyText] });
}

/** Returns whether the keywords of a text allow the empty one. */
function acceptsEmpty({ enum: members, minLength = 0, pattern = "", format }: SchemaShape): boolean {
  return members === undefined && minLength === 0 && format === undefined && new RegExp(pattern).test("");
}

function withNull(schema: SchemaShape): SchemaShape {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined) return orNull(schema as WireSchema<unknown>);
  const acceptsNull = anyOf.some(({ type }) => type === "null");
  return acceptsNull ? schema : { ...rest, anyOf: [...anyOf, { type: "null" }] };
}
