/** JSON Schemas (2020-12) that types, the decoder of requests, the OpenAPI document and imports are derived from. */
import type { FieldCode } from "./errors.ts";

declare const described: unique symbol;

/** Marks the schema of an enum whose members may be given by their number. */
export const numbered: unique symbol = Symbol("numbered");

/** Further names of members in requests, for their names. */
export const aliases: unique symbol = Symbol("aliases");

/** Bounds of the number that requests may give instead of an object: its first required member; `others` are further ones. */
export const asNumber: unique symbol = Symbol("asNumber");

/** Text of the field error of a text that does not match its pattern. */
export const refusal: unique symbol = Symbol("refusal");

/** Function that returns what a decoded value stands for, undefined after a field error; see `strict-decoder.ts`. */
export const refined: unique symbol = Symbol("refined");

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
  readonly const?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly pattern?: string;
  readonly format?: string;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly [numbered]?: true;
  readonly [referred]?: SchemaShape;
  readonly [aliases]?: Readonly<Record<string, string>>;
  readonly [asNumber]?: Readonly<Record<"minimum" | "maximum", number>> & { readonly others?: object };
  readonly [refusal]?: { readonly text: string; readonly code?: FieldCode };
  readonly [refined]?: (value: never, place: never) => unknown;
}

/** Keywords beside those that a builder sets, such as `description` and `minimum`. */
type Keywords = Readonly<Record<string, unknown>> &
  Pick<SchemaShape, typeof aliases | typeof asNumber | typeof refusal | typeof refined>;

/** Keywords of a schema, or its description alone. */
export type SchemaKeywords = Keywords | string;

/** Returns the keywords that a description alone stands for. */
export function keywordsOf(given: SchemaKeywords = {}): Keywords {
  return typeof given === "string" ? { description: given } : given;
}

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
  readonly any: (keywords?: SchemaKeywords) => WireSchema<unknown>;
  readonly anyOf: <Choice extends WireSchema<unknown>>(
    choices: readonly Choice[],
    keywords?: SchemaKeywords,
  ) => WireSchema<ValueOf<Choice>>;
  readonly array: <Item>(items: WireSchema<Item>, keywords?: SchemaKeywords) => WireSchema<readonly Item[]>;
  readonly boolean: (keywords?: SchemaKeywords) => WireSchema<boolean>;
  readonly enum: <const Member extends string>(
    members: readonly Member[],
    keywords?: SchemaKeywords,
  ) => WireSchema<Member>;
  /** Builds an object with any properties, which are not validated. */
  readonly freeObject: <Value>(keywords?: SchemaKeywords) => WireSchema<Value>;
  readonly integer: (keywords?: SchemaKeywords) => WireSchema<number>;
  readonly number: (keywords?: SchemaKeywords) => WireSchema<number>;
  readonly object: <Own extends Properties>(properties: Own, keywords?: SchemaKeywords) => WireSchema<ObjectOf<Own>>;
  readonly optional: <Value>(schema: WireSchema<Value>) => OptionalProperty<Value>;
  /** Builds an object all of whose properties may be absent. */
  readonly partial: <Own extends Readonly<Record<string, WireSchema<unknown>>>>(
    properties: Own,
    keywords?: SchemaKeywords,
  ) => WireSchema<{ readonly [Name in keyof Own]?: ValueOf<Own[Name]> }>;
  readonly record: <Value>(
    value: WireSchema<Value>,
    keywords?: SchemaKeywords,
  ) => WireSchema<Readonly<Record<string, Value>>>;
  /** Builds the schema of texts, also of those with a brand. */
  readonly string: <Text extends string = string>(keywords?: SchemaKeywords) => WireSchema<Text>;
}

/** Builds schemas. Every call returns a new object. */
export const build: Builders = {
  any: (keywords) => keywordsOf(keywords),
  anyOf: (choices, keywords) => ({ anyOf: choices, ...keywordsOf(keywords) }),
  array: (items, keywords) => ({ type: "array", items, ...keywordsOf(keywords) }),
  boolean: (keywords) => ({ type: "boolean", ...keywordsOf(keywords) }),
  enum: (members, keywords) => ({ enum: members, ...keywordsOf(keywords) }),
  freeObject: (keywords) => ({ type: "object", properties: {}, additionalProperties: true, ...keywordsOf(keywords) }),
  integer: (keywords) => ({ type: "integer", ...keywordsOf(keywords) }),
  number: (keywords) => ({ type: "number", ...keywordsOf(keywords) }),
  object: (properties, keywords) => {
    const schemas = Object.entries(properties).map(
      ([name, one]) => [name, isOptional(one) ? one.optional : one] as const,
    );
    const required = Object.entries(properties).flatMap(([name, one]) => (isOptional(one) ? [] : [name]));
    return {
      type: "object",
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(schemas),
      ...keywordsOf(keywords),
    };
  },
  optional: (schema) => ({ optional: schema }),
  partial: (properties, keywords) => ({ type: "object", properties, ...keywordsOf(keywords) }),
  record: (value, keywords) => ({ type: "object", additionalProperties: value, ...keywordsOf(keywords) }),
  string: (keywords) => ({ type: "string", ...keywordsOf(keywords) }),
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
export function refer<Value>(schema: WireSchema<Value>, keywords?: SchemaKeywords): WireSchema<Value> {
  return { $ref: `#/components/schemas/${schema.$id ?? ""}`, [referred]: schema, ...keywordsOf(keywords) };
}

/** Returns the schema of a value or null. */
export function orNull<Value>(schema: WireSchema<Value>, keywords?: SchemaKeywords): WireSchema<Value | null> {
  return { anyOf: [schema, { type: "null" }], ...keywordsOf(keywords) };
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
