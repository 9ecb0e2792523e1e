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

const none: JsonObject = {};

/** Returns an object that may be absent (null); throws `malformed` for another type. */
export function objectAt(parent: JsonObject, name: string): JsonObject | null {
  const value = parent[name] ?? null;
  // The Query protocol writes an empty structure as an empty string.
  if (value === "") return none;
  if (value !== null && !isJsonObject(value)) throw malformed();
  return value;
}

/** Returns an object; throws `validation` when it is absent. */
export function requiredObject(parent: JsonObject, name: string, path: string): JsonObject {
  const value = objectAt(parent, name);
  if (value === null) throw missing(path, name);
  return value;
}

/** Returns a string that may be absent; throws `malformed` for another type. */
export function textAt(parent: JsonObject, name: string): string | null {
  const value = parent[name] ?? null;
  if (value !== null && typeof value !== "string") throw malformed();
  return value;
}

/** Returns a string; throws `validation` when it is absent. */
export function requiredText(parent: JsonObject, name: string, path: string): string {
  const value = textAt(parent, name);
  if (value === null) throw missing(path, name);
  return value;
}

/** Returns a list, empty when it is absent; throws `malformed` for another type. */
export function listAt(parent: JsonObject, name: string): readonly unknown[] {
  const value = parent[name] ?? [];
  // The Query protocol writes an empty list as an empty string.
  if (value === "") return [];
  if (!Array.isArray(value)) throw malformed();
  return value as readonly unknown[];
}

/** Returns a list of strings, empty when it is absent. */
export function textsAt(parent: JsonObject, name: string): readonly string[] {
  return listAt(parent, name).map((value) => {
    if (typeof value !== "string") throw malformed();
    return value;
  });
}

/** Returns a list of objects, empty when it is absent. */
export function objectsAt(parent: JsonObject, name: string): readonly JsonObject[] {
  return listAt(parent, name).map((value) => {
    if (!isJsonObject(value)) throw malformed();
    return value;
  });
}

function missing(path: string, name: string): MemberError {
  return constraintError(memberPath(path, name), "Member must not be null", "null");
}

/** Returns the path of a member as errors show it: `content.simple.subject`. */
export function memberPath(path: string, name: string): string {
  const member = name.charAt(0).toLowerCase() + name.slice(1);
  return path === "" ? member : `${path}.${member}`;
}

function malformed(): MemberError {
  return new MemberError("malformed", "The request body cannot be parsed.");
}
