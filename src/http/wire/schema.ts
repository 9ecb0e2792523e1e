/**
 * The one door to TypeBox: schemas that are held against our own types when the project is compiled. Only its types are
 * used. Its builders would load 373 files (85 ms and 20 MB) to write what is plain JSON Schema.
 */
import type { Static, TSchema, TUnsafe, Type } from "typebox";

/** A JSON Schema (2020-12) whose values are `Value`. */
export type WireSchema<Value> = TUnsafe<Value>;

/** What of a schema the decoder of requests looks at. */
export interface SchemaShape {
  readonly $id?: string;
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaShape>>;
  readonly required?: readonly string[];
  readonly items?: SchemaShape;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly SchemaShape[];
}

/** The builders that the interface needs, with TypeBox's names and types. */
type Builders = Pick<
  typeof Type,
  | "Array"
  | "Boolean"
  | "Enum"
  | "Integer"
  | "Null"
  | "Number"
  | "Object"
  | "Optional"
  | "Record"
  | "String"
  | "Union"
  | "Unsafe"
>;

/** Schemas that {@link build} was told an object may lack. */
const optional = new WeakSet<object>();

/** Writes schemas; options are further keywords. Every call answers a new object. */
export const build: Builders = {
  Array: (items: object, options?: object) => ({ type: "array", items, ...options }),
  Boolean: (options?: object) => ({ type: "boolean", ...options }),
  Enum: (values: readonly unknown[], options?: object) => ({ enum: values, ...options }),
  Integer: (options?: object) => ({ type: "integer", ...options }),
  Null: (options?: object) => ({ type: "null", ...options }),
  Number: (options?: object) => ({ type: "number", ...options }),
  Object: (properties: Readonly<Record<string, object>>, options?: object) => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? properties));
    return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
  },
  Optional: (schema: object) => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  Record: (_key: object, value: object, options?: object) => ({
    type: "object",
    patternProperties: { "^.*$": value },
    ...options,
  }),
  String: (options?: object) => ({ type: "string", ...options }),
  Union: (anyOf: readonly object[], options?: object) => ({ anyOf, ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
} as unknown as Builders;

/** Without brands and mutability, which JSON does not have; every member with whether it may be absent. */
type Plain<Value> = Value extends string
  ? Value extends { readonly __brand: string }
    ? string
    : Value
  : Value extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]-?: readonly [object extends Pick<Value, Key> ? "?" : "!", Plain<Value[Key]>] }
      : Value;

/** `unknown` when both types say the same of a JSON value, else `never`. */
type Same<One, Other> = [Plain<One>] extends [Plain<Other>]
  ? [Plain<Other>] extends [Plain<One>]
    ? unknown
    : never
  : never;

/** Names a type for a schema; the result takes only schemas that describe that type, neither more nor less. */
export function schemaOf<Value>(): <Schema extends TSchema>(
  schema: Schema & Same<Static<Schema>, Value>,
) => WireSchema<Value> {
  return (schema) => schema as unknown as WireSchema<Value>;
}

/** Points to a schema that has an `$id`, instead of repeating it. */
export function refer<Value>(schema: WireSchema<Value>): WireSchema<Value> {
  return build.Unsafe<Value>({ $ref: `${shapeOf(schema).$id ?? ""}#` });
}

/** A value or null. */
export function orNull<Schema extends TSchema>(schema: Schema): WireSchema<Static<Schema> | null> {
  return build.Unsafe<Static<Schema> | null>(build.Union([schema, build.Null()]));
}

/**
 * Returns the schema of a list: the array of the default dialect, so that generated clients can index it. Official
 * libraries get the same array as `items` of an object (see `list-encoder.ts`).
 */
export function listOf<Value>(schema: WireSchema<Value>): WireSchema<unknown> {
  return build.Unsafe<unknown>(build.Array(refer(schema)));
}

/** The JSON Schema behind the type. */
export function shapeOf(schema: TSchema): SchemaShape {
  return schema;
}
