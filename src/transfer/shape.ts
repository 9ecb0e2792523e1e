/** Validation of JSON values; errors name the path within the value. */
import { referred, type SchemaShape, type WireSchema } from "../core/schema.ts";
import { decodeStrictBase64 } from "../core/text-encodings.ts";

/** Validator: returns the value unchanged or throws {@link ShapeError}. `at` is its path, such as `detail.message.to[3]`. */
export type Shape<Value> = (value: unknown, at: string) => Value;

/** Error about a value that does not have the required shape. */
export class ShapeError extends Error {
  override readonly name: string = "ShapeError";
}

/** Throws {@link ShapeError} with a message that begins with the path. */
export function refuse(at: string, why: string): never {
  throw new ShapeError(at === "" ? why : `${at} ${why}`);
}

/** Any string. */
export const text: Shape<string> = (value, at) => (typeof value === "string" ? value : refuse(at, "must be a string"));

/** Returns the shape of strings of 1 to `lengthMax` UTF-16 units. */
export function shortText(lengthMax: number): Shape<string> {
  return (value, at) => {
    const given = text(value, at);
    return given.length > 0 && given.length <= lengthMax ? given : refuse(at, `must have 1 to ${lengthMax} characters`);
  };
}

/** Returns the shape of strings that match a pattern; `what` describes them in errors. */
export function textLike(pattern: RegExp, what: string): Shape<string> {
  return (value, at) => (pattern.test(text(value, at)) ? (value as string) : refuse(at, `must be ${what}`));
}

/** Non-negative number. */
export const amount: Shape<number> = (value, at) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0
    ? value
    : refuse(at, "must be a number of at least 0");

/** Non-negative integer. */
export const count: Shape<number> = (value, at) =>
  Number.isSafeInteger(value) && Number(value) >= 0
    ? (value as number)
    : refuse(at, "must be a whole number of at least 0");

/** Returns the shape of integers from 0 to `max`. */
export function countUpTo(max: number): Shape<number> {
  return (value, at) => (count(value, at) <= max ? (value as number) : refuse(at, `must be at most ${max}`));
}

/** Returns the shape of an enumeration. */
export function oneOf<const Value extends string>(values: readonly Value[]): Shape<Value> {
  return (value, at) =>
    values.includes(value as Value) ? (value as Value) : refuse(at, `must be one of ${values.join(", ")}`);
}

/** JSON text. */
export const json: Shape<string> = (value, at) => {
  try {
    JSON.parse(text(value, at));
    return value as string;
  } catch (error) {
    return error instanceof SyntaxError ? refuse(at, "must be JSON") : refuse(at, "must be a text");
  }
};

/** Shape of a boolean. */
export const flag: Shape<boolean> = (value, at) =>
  typeof value === "boolean" ? value : refuse(at, "must be true or false");

/** Returns the shape of a value or null. */
export function nullable<Value>(shape: Shape<Value>): Shape<Value | null> {
  return (value, at) => (value === null ? null : shape(value, at));
}

/** Shape of a member that may be absent. */
export type OptionalShape<Value> = Shape<Value> & { readonly isOptional: true };

/** Type of the values of a shape. */
export type ShapeValue<Own> = Own extends Shape<infer Value> ? Value : never;

type Shapes = Readonly<Record<string, Shape<unknown>>>;
type OptionalName<Own extends Shapes> = {
  [Name in keyof Own]: Own[Name] extends OptionalShape<unknown> ? Name : never;
}[keyof Own];
type RecordOf<Own extends Shapes> = {
  readonly [Name in Exclude<keyof Own, OptionalName<Own>>]: ShapeValue<Own[Name]>;
} & {
  readonly [Name in OptionalName<Own>]?: ShapeValue<Own[Name]>;
};

/** Returns the shape of an optional member. */
export function optional<Value>(shape: Shape<Value>): OptionalShape<Value> {
  // An absent member stays absent.
  const read: Shape<Value> = (value, at) => (value === undefined ? (undefined as Value) : shape(value, at));
  return Object.assign(read, { isOptional: true as const });
}

/** Returns the shape of a list. */
export function list<Value>(shape: Shape<Value>): Shape<readonly Value[]> {
  return (value, at) => {
    if (!Array.isArray(value)) return refuse(at, "must be a list");
    for (const [index, item] of value.entries()) shape(item, `${at}[${index}]`);
    return value as readonly Value[];
  };
}

/** Returns the shape of an object with these members and no others. */
export function record<Own extends Shapes>(shapes: Own): Shape<RecordOf<Own>> {
  const known = Object.entries(shapes);
  return (value, at) => {
    const inside = at === "" ? "" : `${at}.`;
    const given = objectOf(value, at);
    for (const [name, shape] of known) shape(Object.hasOwn(given, name) ? given[name] : undefined, inside + name);
    const unknown = Object.keys(given).find((name) => !Object.hasOwn(shapes, name));
    if (unknown !== undefined) refuse(`${inside}${unknown.slice(0, 100)}`, "is not a known member");
    return value as RecordOf<Own>;
  };
}

function valuesOf(shape: Shape<unknown>): Shape<unknown> {
  return (value, at) => {
    for (const [name, member] of Object.entries(objectOf(value, at))) shape(member, `${at}.${name.slice(0, 100)}`);
    return value;
  };
}

function objectOf(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse(at, "must be an object");
  return value as Readonly<Record<string, unknown>>;
}

/**
 * Returns the shape of the values of a schema: types, members and names of enumerations. Formats, patterns and bounds are not
 * compared; numbers are at least 0.
 */
export function shapeOf<Value>(schema: WireSchema<Value>): Shape<Value> {
  return shapeOfKeywords(schema) as Shape<Value>;
}

function shapeOfKeywords(schema: SchemaShape): Shape<unknown> {
  const { [referred]: target, anyOf: [choice] = [], enum: names, properties, required = [], items } = schema;
  if (target !== undefined) return shapeOfKeywords(target);
  // The only choice beside a schema is null, see `orNull`.
  if (choice !== undefined) return nullable(shapeOfKeywords(choice));
  if (names !== undefined) return oneOf(names);
  if (items !== undefined) return list(shapeOfKeywords(items));
  if (properties !== undefined) {
    const shapes = Object.entries(properties).map(([name, own]) => {
      const shape = shapeOfKeywords(own);
      return [name, required.includes(name) ? shape : optional(shape)] as const;
    });
    return record(Object.fromEntries(shapes));
  }
  if (typeof schema.additionalProperties === "object") return valuesOf(shapeOfKeywords(schema.additionalProperties));
  return (schema.type !== undefined && shapesByType[schema.type]) || anything;
}

const anything: Shape<unknown> = (value) => value;

const shapesByType: Readonly<Record<string, Shape<unknown>>> = {
  string: text,
  integer: count,
  number: amount,
  boolean: flag,
};

/** Base64 with padding (RFC 4648 §4). */
export const bytes: Shape<string> = (value, at) => {
  const given = text(value, at);
  return decodeStrictBase64(given) !== null ? given : refuse(at, "must be base64");
};
