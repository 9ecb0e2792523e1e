/**
 * Decodes request bodies in every dialect of the official libraries: property names in any letter case, null and "" for
 * absent, enum members by name (any case) and where their schema says so by number, unknown properties. Throws a 400 that
 * names the fields it cannot decode.
 */
import type { FieldProblem } from "../../core/errors.ts";
import { FieldCollector } from "../../core/field-collector.ts";
import { numbered, type SchemaShape, type WireSchema } from "../../core/schema.ts";

/** Value being decoded, with its path in the body ("" for the body itself) and the errors found so far. */
interface Subject {
  readonly value: unknown;
  readonly path: string;
  readonly errors: FieldCollector;
}

/**
 * Checks the values of the members that could be decoded, and throws their field errors. `wrong` has the fields with
 * decoding errors: what depends on them cannot be checked.
 */
export type ValueCheck<Value> = (value: Partial<Value>, wrong: ReadonlySet<string>) => void;

const propertyNames = new WeakMap<SchemaShape, ReadonlyMap<string, string>>();

/**
 * Decodes a body by its schema. Members that are absent or null, and strings and enums that are "", are left out, except
 * null when the schema allows it. Such elements are left out too, except of arrays that must have elements, where they are
 * errors. An absent or null body is an empty one. Takes time linear in the body. Throws `invalid_request` with the errors
 * of all fields. `check` is called only when there are such errors, so that the response reports wrong values beside
 * them; without them, the operation checks the values.
 */
export function decodeBody<Value>(schema: WireSchema<Value>, body: unknown, check?: ValueCheck<Value>): Value {
  const errors = new FieldCollector();
  const decoded = decodeObject({ value: body ?? {}, path: "", errors }, schema);
  const wrong = errors.wrongFields;
  if (wrong.length > 0 && decoded !== undefined && check !== undefined) {
    // Invalid elements were left out, which changes the positions of the others.
    const isPartialArray = (name: string): boolean => wrong.some((field) => field.startsWith(`${name}[`));
    const members = Object.entries(decoded).filter(([name]) => !isPartialArray(name));
    errors.collectOthers(() => {
      check(Object.fromEntries(members) as Partial<Value>, new Set(wrong));
    });
  }
  errors.finish();
  return decoded as Value;
}

function decode(shape: SchemaShape, subject: Subject): unknown {
  if (shape.anyOf !== undefined) return decodeChoice(shape.anyOf, subject);
  if (isAbsent(subject.value, shape)) return undefined;
  if (shape.enum !== undefined) return decodeEnum(shape.enum, subject, shape[numbered] === true);
  return (decoders[shape.type ?? "object"] ?? decodeObject)(subject, shape);
}

const decoders: Readonly<Record<string, (subject: Subject, shape: SchemaShape) => unknown>> = {
  string: decodeString,
  boolean: decodeBoolean,
  integer: decodeInteger,
  number: decodeNumber,
  array: decodeArray,
  object: decodeObject,
};

/** Decodes a value by the first choice; further ones are null, or other forms of the same type. */
function decodeChoice(choices: readonly SchemaShape[], subject: Subject): unknown {
  if (subject.value === null && choices.some(({ type }) => type === "null")) return null;
  return decode(choices[0] ?? {}, subject);
}

function decodeString(subject: Subject): string | undefined {
  return typeof subject.value === "string" ? subject.value.toWellFormed() : addError(subject, "Must be a string");
}

function decodeBoolean(subject: Subject): boolean | undefined {
  return typeof subject.value === "boolean" ? subject.value : addError(subject, "Must be true or false");
}

function decodeInteger(subject: Subject): number | undefined {
  const { value } = subject;
  return typeof value === "number" && Number.isSafeInteger(value) ? value : addError(subject, "Must be a whole number");
}

function decodeNumber(subject: Subject): number | undefined {
  return typeof subject.value === "number" ? subject.value : addError(subject, "Must be a number");
}

function decodeEnum(members: readonly string[], subject: Subject, isNumbered: boolean): string | undefined {
  const { value } = subject;
  const isText = typeof value === "string" || (isNumbered && typeof value === "number");
  const text = isText ? String(value).toLowerCase() : "";
  const found = members.find(
    (member, position) => member.toLowerCase() === text || (isNumbered && String(position) === text),
  );
  return found ?? addError(subject, `Must be one of ${members.join(", ")}`);
}

function decodeArray(subject: Subject, shape: SchemaShape): readonly unknown[] | undefined {
  const { items = {}, minItems = 0 } = shape;
  if (!Array.isArray(subject.value)) return addError(subject, "Must be an array");
  return subject.value
    .map((value: unknown, position) => {
      const element = { ...subject, value, path: `${subject.path}[${String(position)}]` };
      return minItems > 0 && isAbsent(value, items) ? addError(element, "Must not be empty") : decode(items, element);
    })
    .filter((value) => value !== undefined);
}

function decodeObject(subject: Subject, shape: SchemaShape): Record<string, unknown> | undefined {
  const { value, path, errors } = subject;
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return addError(subject, "Must be an object");
  if (typeof shape.additionalProperties === "object") return decodeRecord(subject, value, shape.additionalProperties);
  const given = foldNames(shape, value as Record<string, unknown>);
  const decoded: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(shape.properties ?? {})) {
    const at = path === "" ? name : `${path}.${name}`;
    const own = given.get(name);
    const result = decode(member, { value: own, path: at, errors });
    if (result !== undefined) decoded[name] = result;
    else if (shape.required?.includes(name) === true && isAbsent(own, member)) {
      errors.add({ field: at, description: "Is required", code: "required" });
    }
  }
  return decoded;
}

/** Decodes an object with any names, in their own spelling. */
function decodeRecord({ path, errors }: Subject, value: object, shape: SchemaShape): Record<string, unknown> {
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    return [name, decode(shape, { value: member, path: `${path}.${name}`, errors })] as const;
  });
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

/** Returns the known members by their own names. An exact spelling takes precedence, then the last one. */
function foldNames(shape: SchemaShape, value: Record<string, unknown>): ReadonlyMap<string, unknown> {
  const names = namesOf(shape);
  const given = new Map<string, unknown>();
  const exact = new Set<string>();
  for (const [key, member] of Object.entries(value)) {
    const name = names.get(key) ?? names.get(key.toLowerCase());
    if (name === undefined || (exact.has(name) && key !== name)) continue;
    if (key === name) exact.add(name);
    given.set(name, member);
  }
  return given;
}

function namesOf(shape: SchemaShape): ReadonlyMap<string, string> {
  const known = propertyNames.get(shape);
  if (known !== undefined) return known;
  const names = new Map(Object.keys(shape.properties ?? {}).map((name) => [name.toLowerCase(), name]));
  propertyNames.set(shape, names);
  return names;
}

/** "" is a value of the wrong type where neither strings nor names are expected. */
function isAbsent(value: unknown, shape: SchemaShape): boolean {
  const { type, enum: members } = shape.anyOf?.[0] ?? shape;
  return value === undefined || value === null || (value === "" && (type === "string" || members !== undefined));
}

function addError(subject: Subject, description: string): undefined {
  const field: FieldProblem = { field: subject.path === "" ? "body" : subject.path, description, code: "invalid_type" };
  subject.errors.add(field);
}
