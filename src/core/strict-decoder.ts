/** Decodes values strictly by their schema: wrong types, wrong values and unknown members are field errors. */
import type { FieldCode } from "./errors.ts";
import { FieldCollector } from "./field-collector.ts";
import { suggestion } from "./nearest-name.ts";
import { aliases, asNumber, refined, refusal, type SchemaShape, type WireSchema } from "./schema.ts";

/** Length at which names of members are cut in field errors. */
const nameLengthMax = 64;

/** Place of a value in a body, at which refinements of schemas add field errors. */
export class Place {
  readonly #path: string;
  readonly #errors: FieldCollector;
  /** Members of the object, or items of the array, that were decoded before this one. */
  readonly siblings: unknown;
  /** Names of the members of the value that are neither absent nor null, also of those that are wrong. */
  names: readonly string[] = [];

  constructor(path: string, errors: FieldCollector, siblings: unknown) {
    this.#path = path;
    this.#errors = errors;
    this.siblings = siblings;
  }

  /** Adds a field error. */
  fail(description: string, code: FieldCode = "invalid"): undefined {
    this.#errors.add({ field: this.#path === "" ? "body" : this.#path, description, code });
  }

  /** Returns the place of a member. */
  member(name: string, siblings?: unknown): Place {
    const at = name.slice(0, nameLengthMax);
    return new Place(this.#path === "" ? at : `${this.#path}.${at}`, this.#errors, siblings);
  }

  /** Returns the place of an item. */
  item(at: number, siblings: unknown): Place {
    return new Place(`${this.#path}[${String(at)}]`, this.#errors, siblings);
  }
}

/**
 * Decodes a body by its schema; null is an absent member. Texts must not be empty. Throws a 400 that names every wrong and
 * unknown member.
 */
export function decodeStrictly<Value>(schema: WireSchema<Value>, body: unknown): Value {
  const errors = new FieldCollector();
  const decoded = decode(schema, body, new Place("", errors, undefined));
  errors.finish();
  return decoded as Value;
}

/** Returns the decoded value; undefined after a field error. */
function decode(shape: SchemaShape, value: unknown, place: Place): unknown {
  const decoded =
    shape.anyOf !== undefined
      ? decode(choiceOf(shape.anyOf, value), value, place)
      : shape.enum !== undefined
        ? (shape.enum.find((name) => name === value) ??
          place.fail(`Must be one of ${shape.enum.join(", ")}`, "unknown"))
        : decoders[shape.type ?? "object"]?.(shape, value, place);
  const refine = shape[refined] as ((value: unknown, place: Place) => unknown) | undefined;
  return decoded === undefined || refine === undefined ? decoded : refine(decoded, place);
}

/** Returns the choice for the type of a value; of several texts, any text of the longest length. */
function choiceOf(choices: readonly SchemaShape[], value: unknown): SchemaShape {
  if (choices.every(({ type }) => type === "string")) {
    return { type: "string", maxLength: Math.max(...choices.map(({ maxLength = Infinity }) => maxLength)) };
  }
  const type = Array.isArray(value) ? "array" : typeof value;
  return choices.find((one) => one.type === type) ?? choices[0] ?? {};
}

const decoders: Readonly<Record<string, (shape: SchemaShape, value: unknown, place: Place) => unknown>> = {
  string: decodeText,
  boolean: (shape, value, place) => {
    const isValid = typeof value === "boolean" && (shape.const ?? value) === value;
    return isValid
      ? value
      : place.fail(`Must be true${shape.const === true ? ", or absent" : " or false"}`, "invalid_type");
  },
  integer: (shape, value, place) => decodeNumber(shape, value, place),
  number: (shape, value, place) => decodeNumber(shape, value, place),
  array: decodeArray,
  object: decodeObject,
};

function decodeText({ maxLength = Infinity, pattern, ...shape }: SchemaShape, value: unknown, place: Place): unknown {
  if (typeof value !== "string") return place.fail("Must be a string", "invalid_type");
  if (value === "") return place.fail("Must not be empty", "required");
  if (value.length > maxLength) return place.fail(`Must have at most ${String(maxLength)} characters`, "too_long");
  if (pattern === undefined || new RegExp(pattern, "u").test(value)) return value.toWellFormed();
  const { text = `Must match ${pattern}`, code = "invalid" } = shape[refusal] ?? {};
  return place.fail(text, code);
}

function decodeNumber({ type, minimum, maximum }: SchemaShape, value: unknown, place: Place): unknown {
  const isWhole = type === "integer";
  const isValid = typeof value === "number" && (!isWhole || Number.isSafeInteger(value));
  if (isValid && value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity)) return value;
  const kind = isWhole ? "whole number" : "number";
  return place.fail(`Must be a ${kind} from ${String(minimum)} to ${String(maximum)}`, "out_of_range");
}

function decodeArray(shape: SchemaShape, value: unknown, place: Place): unknown {
  const { items = {}, minItems = 0, maxItems = Infinity } = shape;
  if (!Array.isArray(value)) return place.fail("Must be an array", "invalid_type");
  if (value.length < minItems) return place.fail("Must not be empty", "required");
  if (value.length > maxItems) return place.fail(`Must have at most ${String(maxItems)} items`, "too_many");
  const decoded: unknown[] = [];
  for (const [at, item] of value.entries()) {
    const one = decode(items, item, place.item(at, decoded));
    if (one !== undefined) decoded.push(one);
  }
  if (decoded.length < minItems) return undefined;
  const isRepeated = shape.uniqueItems === true && new Set(decoded).size < decoded.length;
  return isRepeated ? place.fail("Must name each item once") : decoded;
}

function decodeObject(shape: SchemaShape, value: unknown, place: Place): unknown {
  const { properties = {}, required: [first = ""] = [], [asNumber]: bounds } = shape;
  if (typeof value === "number" && bounds !== undefined) {
    const number = decode(properties[first] ?? {}, value, place);
    return number === undefined ? undefined : { [first]: number, ...bounds.others };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return place.fail("Must be an object", "invalid_type");
  }
  const given = new Map(Object.entries(value).filter(([, member]) => member !== null));
  const { additionalProperties: values } = shape;
  return typeof values === "object" ? decodeRecord(values, given, place) : decodeMembers(shape, given, place);
}

/** Decodes the members of an object whose names are free. */
function decodeRecord(values: SchemaShape, given: ReadonlyMap<string, unknown>, place: Place): unknown {
  const entries = Array.from(given, ([name, value]) => [name, decode(values, value, place.member(name))] as const);
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
}

/** Decodes the members in the order of the schema, under their names or further ones. */
function decodeMembers(shape: SchemaShape, given: ReadonlyMap<string, unknown>, place: Place): unknown {
  const { properties = {}, required = [], [aliases]: others = {} } = shape;
  const names = Object.keys(properties);
  const ownNames = new Map([...Object.entries(others), ...names.map((name) => [name, name] as const)]);
  place.names = [...given.keys()].map((name) => ownNames.get(name) ?? name);
  for (const name of given.keys()) {
    if (!ownNames.has(name)) place.member(name).fail(unknownText(name, names), "unknown");
  }
  const decoded: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const forms = [name, ...Object.keys(others).filter((alias) => others[alias] === name)];
    const [own, other] = forms.filter((form) => given.has(form));
    if (other !== undefined) place.member(other).fail(`Is the same member as ${String(own)}`);
    if (own === undefined) {
      if (required.includes(name)) place.member(name).fail("Is required", "required");
      continue;
    }
    const member = decode(property, given.get(own), place.member(own, decoded));
    if (member !== undefined) decoded[name] = member;
  }
  return required.every((name) => name in decoded) ? decoded : undefined;
}

function unknownText(name: string, names: readonly string[]): string {
  return `Is unknown${suggestion(name, names) || `; known are ${names.join(", ")}`}`;
}
