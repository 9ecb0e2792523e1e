/** The one door to TypeBox: schemas that are held against our own types when the project is compiled. */
import { Type, type Static, type TSchema, type TUnsafe } from "typebox";

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

/** TypeBox's builder. */
export const build: typeof Type = Type;

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
  return Type.Unsafe<Value>({ $ref: `${shapeOf(schema).$id ?? ""}#` });
}

/** A value or null. */
export function orNull<Schema extends TSchema>(schema: Schema): WireSchema<Static<Schema> | null> {
  return Type.Unsafe<Static<Schema> | null>(Type.Union([schema, Type.Null()]));
}

/** A list: an array, or the same array as `items` of an object (see `list-encoder.ts`). */
export function listOf<Value>(schema: WireSchema<Value>): WireSchema<unknown> {
  const items = Type.Array(refer(schema));
  return Type.Unsafe<unknown>(Type.Union([items, Type.Object({ items })]));
}

/** The JSON Schema behind the type. */
export function shapeOf(schema: TSchema): SchemaShape {
  return schema;
}
