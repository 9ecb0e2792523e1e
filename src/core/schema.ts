/** JSON Schemas (2020-12) that types, the decoder of requests, the OpenAPI document and imports are derived from. */

declare const described: unique symbol;

/** Marks the schema of an enum whose members may be given by their number. */
export const numbered: unique symbol = Symbol("numbered");

/** Further names of members in requests, for their names. */
export const aliases: unique symbol = Symbol("aliases");

/** Bounds of the number that requests may give instead of an object. */
export const asNumber: unique symbol = Symbol("asNumber");

/** Schema that a reference refers to. */
export const referred: unique symbol = Symbol("referred");

/** A JSON Schema whose values are `Value`. */
export interface WireSchema<out Value> extends SchemaShape {
  /** Carries the type; never set. */
  readonly [described]?: Value;
}

/** Keywords of a schema that requests are decoded by. */
export interface SchemaShape {
  readonly $id?: string;
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaShape>>;
  readonly required?: readonly string[];
  readonly items?: SchemaShape;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly SchemaShape[];
  /** Schema of the values of a record; true for an object with any properties. */
  readonly additionalProperties?: SchemaShape | boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly [numbered]?: true;
  readonly [referred]?: SchemaShape;
  readonly [aliases]?: Readonly<Record<string, string>>;
  readonly [asNumber]?: Readonly<Record<"minimum" | "maximum", number>>;
}

/** Keywords beside those that a builder sets, such as `description` and `minimum`. */
type Keywords = Readonly<Record<string, unknown>> & Pick<SchemaShape, typeof aliases | typeof asNumber>;

/** A property that may be absent. */
export interface OptionalProperty<out Value> {
  readonly optional: WireSchema<Value>;
}

type Properties = Readonly<Record<string, WireSchema<unknown> | OptionalProperty<unknown>>>;
type OptionalNames<Own extends Properties> = {
  [Name in keyof Own]: Own[Name] extends OptionalProperty<unknown> ? Name : never;
}[keyof Own];
/** Type of the values of a schema. */
export type ValueOf<Property> =
  Property extends OptionalProperty<infer Value> ? Value : Property extends WireSchema<infer Value> ? Value : never;
type ObjectOf<Own extends Properties> = {
  readonly [Name in Exclude<keyof Own, OptionalNames<Own>>]: ValueOf<Own[Name]>;
} & { readonly [Name in OptionalNames<Own>]?: ValueOf<Own[Name]> };

/** Builders of schemas, one for each type. */
interface Builders {
  /** Builds the schema of any JSON value. */
  readonly any: (keywords?: Keywords) => WireSchema<unknown>;
  readonly anyOf: <Choice extends WireSchema<unknown>>(
    choices: readonly Choice[],
    keywords?: Keywords,
  ) => WireSchema<ValueOf<Choice>>;
  readonly array: <Item>(items: WireSchema<Item>, keywords?: Keywords) => WireSchema<readonly Item[]>;
  readonly boolean: (keywords?: Keywords) => WireSchema<boolean>;
  readonly enum: <const Member extends string>(members: readonly Member[], keywords?: Keywords) => WireSchema<Member>;
  /** Builds an object with any properties, which are not validated. */
  readonly freeObject: <Value>(keywords?: Keywords) => WireSchema<Value>;
  readonly integer: (keywords?: Keywords) => WireSchema<number>;
  readonly number: (keywords?: Keywords) => WireSchema<number>;
  readonly object: <Own extends Properties>(properties: Own, keywords?: Keywords) => WireSchema<ObjectOf<Own>>;
  readonly optional: <Value>(schema: WireSchema<Value>) => OptionalProperty<Value>;
  readonly record: <Value>(
    value: WireSchema<Value>,
    keywords?: Keywords,
  ) => WireSchema<Readonly<Record<string, Value>>>;
  /** Builds the schema of texts, also of those with a brand. */
  readonly string: <Text extends string = string>(keywords?: Keywords) => WireSchema<Text>;
}

/** Builds schemas. Every call returns a new object. */
export const build: Builders = {
  any: (keywords) => ({ ...keywords }),
  anyOf: (choices, keywords) => ({ anyOf: choices, ...keywords }),
  array: (items, keywords) => ({ type: "array", items, ...keywords }),
  boolean: (keywords) => ({ type: "boolean", ...keywords }),
  enum: (members, keywords) => ({ enum: members, ...keywords }),
  freeObject: (keywords) => ({ type: "object", properties: {}, additionalProperties: true, ...keywords }),
  integer: (keywords) => ({ type: "integer", ...keywords }),
  number: (keywords) => ({ type: "number", ...keywords }),
  object: (properties, keywords) => {
    const schemas = Object.entries(properties).map(
      ([name, one]) => [name, isOptional(one) ? one.optional : one] as const,
    );
    const required = Object.entries(properties).flatMap(([name, one]) => (isOptional(one) ? [] : [name]));
    return {
      type: "object",
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(schemas),
      ...keywords,
    };
  },
  optional: (schema) => ({ optional: schema }),
  record: (value, keywords) => ({ type: "object", additionalProperties: value, ...keywords }),
  string: (keywords) => ({ type: "string", ...keywords }),
};

function isOptional(property: WireSchema<unknown> | OptionalProperty<unknown>): property is OptionalProperty<unknown> {
  return "optional" in property;
}

/** A type without brands and mutability, which JSON does not have; every member with whether it may be absent. */
type Plain<Value> = Value extends string
  ? Value extends { readonly __brand: string }
    ? string
    : Value
  : Value extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]-?: readonly [object extends Pick<Value, Key> ? "?" : "!", Plain<Value[Key]>] }
      : Value;

/** `unknown` when both types describe the same JSON values, else `never`. */
type Same<One, Other> = [Plain<One>] extends [Plain<Other>]
  ? [Plain<Other>] extends [Plain<One>]
    ? unknown
    : never
  : never;

/** Names a type for a schema; the result accepts only schemas that describe exactly that type. */
export function schemaOf<Value>(): <Described>(
  schema: WireSchema<Described> & Same<Described, Value>,
) => WireSchema<Value> {
  return (schema) => schema as SchemaShape;
}

/** Returns a schema that refers to one with an `$id`, instead of repeating it. */
export function refer<Value>(schema: WireSchema<Value>, keywords?: Keywords): WireSchema<Value> {
  return { $ref: `#/components/schemas/${schema.$id ?? ""}`, [referred]: schema, ...keywords };
}

/** Returns the schema of a value or null. */
export function orNull<Value>(schema: WireSchema<Value>, keywords?: Keywords): WireSchema<Value | null> {
  return { anyOf: [schema, { type: "null" }], ...keywords };
}

/** Returns the schema of an enum whose members requests may give by their number, from 0. */
export function byNumberToo<Member extends string>(schema: WireSchema<Member>): WireSchema<Member> {
  return { ...schema, [numbered]: true };
}

/**
 * Returns the schema of a list: the array of the default dialect, so that generated clients can index it. Official
 * libraries get the same array as `items` of an object (see `list-encoder.ts`).
 */
export function listOf(schema: WireSchema<unknown>): WireSchema<unknown> {
  return build.array(refer(schema));
}
