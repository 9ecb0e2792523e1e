/** Members of requests to AWS APIs, read from JSON or from a form. */
import { isJsonObject, type JsonObject } from "./json-body.ts";

/** Error of a member: `malformed` has the wrong type, `validation` is missing or violates a constraint. */
export class MemberError extends Error {
  override readonly name: string = "MemberError";
  readonly kind: "malformed" | "validation";

  constructor(kind: MemberError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Returns the error for a value that is missing or violates a constraint, in the words of the AWS service framework. */
export function constraintError(path: string, constraint: string, value: "null" | "" = ""): MemberError {
  const shown = value === "" ? "Value" : `Value ${value}`;
  const text = `1 validation error detected: ${shown} at '${path}' failed to satisfy constraint: ${constraint}`;
  return new MemberError("validation", text);
}

/** Returns a string that may be absent; throws `malformed` for another type. */
export function textAt(parent: JsonObject, name: string): string | null {
  return read(parent[name] ?? null, isText);
}

/** Returns a string; throws `validation` when it is absent. */
export function requiredText(parent: JsonObject, name: string, path: string): string {
  return present(textAt(parent, name), path, name);
}

/** Returns an object that may be absent (null); throws `malformed` for another type. */
export function objectAt(parent: JsonObject, name: string): JsonObject | null {
  const value = parent[name] ?? null;
  // The Query protocol writes an empty structure as an empty string.
  return value === "" ? {} : read(value, isJsonObject);
}

/** Returns an object; throws `validation` when it is absent. */
export function requiredObject(parent: JsonObject, name: string, path: string): JsonObject {
  return present(objectAt(parent, name), path, name);
}

/** Returns a list of strings, empty when it is absent; throws `malformed` for another type. */
export function textsAt(parent: JsonObject, name: string): readonly string[] {
  return listAt(parent, name, isText);
}

/** Returns a list of objects, empty when it is absent; throws `malformed` for another type. */
export function objectsAt(parent: JsonObject, name: string): readonly JsonObject[] {
  return listAt(parent, name, isJsonObject);
}

function listAt<Item>(parent: JsonObject, name: string, isItem: (value: unknown) => value is Item): readonly Item[] {
  // The Query protocol writes an empty list as an empty string.
  const value = parent[name] ?? [];
  const list = value === "" ? [] : value;
  if (!Array.isArray(list) || !list.every(isItem)) throw malformed();
  return list;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function read<Value>(value: unknown, isType: (value: unknown) => value is Value): Value | null {
  if (value !== null && !isType(value)) throw malformed();
  return value;
}

function present<Value>(value: Value | null, path: string, name: string): Value {
  if (value !== null) return value;
  throw constraintError(memberPath(path, name), "Member must not be null", "null");
}

/** Returns the path of a member as errors show it: `content.simple.subject`. */
export function memberPath(path: string, name: string): string {
  const member = name.charAt(0).toLowerCase() + name.slice(1);
  return path === "" ? member : `${path}.${member}`;
}

function malformed(): MemberError {
  return new MemberError("malformed", "The request body cannot be parsed.");
}
