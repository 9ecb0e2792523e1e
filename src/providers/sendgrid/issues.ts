import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { sendGridError, type SendGridError, type SendGridErrorName } from "./errors.ts";

/** Errors reported for one request. */
export const errorCountMax = 100;

/** JSON types as the API names them. */
export type JsonType = "string" | "object" | "array" | "integer" | "boolean";

/** Errors found while a request is read, in the order of its fields; further ones than {@link errorCountMax} are dropped. */
export class Issues {
  readonly #errors: SendGridError[] = [];

  /** Errors found so far. */
  get errors(): readonly SendGridError[] {
    return this.#errors;
  }

  /** Adds an error. */
  add(name: SendGridErrorName, field: string | null, value?: string): void {
    if (this.#errors.length < errorCountMax) this.#errors.push(sendGridError(name, field, value));
  }

  /** Adds the error of a value of another type. */
  addType(expected: JsonType, field: string | null, value: unknown): void {
    this.add("invalidType", field, `${expected}, given: ${typeName(value)}`);
  }

  /** Returns an object; undefined for an absent one, and with an error for another type. */
  object(value: unknown, field: string): JsonObject | undefined {
    if (isJsonObject(value)) return value;
    if (value !== undefined) this.addType("object", field, value);
    return undefined;
  }

  /** Returns an array; undefined for an absent one, and with an error for another type. */
  array(value: unknown, field: string): readonly unknown[] | undefined {
    if (Array.isArray(value)) return value as readonly unknown[];
    if (value !== undefined) this.addType("array", field, value);
    return undefined;
  }

  /** Returns a string; undefined for an absent one, and with an error for another type. */
  string(value: unknown, field: string): string | undefined {
    if (typeof value === "string") return value;
    if (value !== undefined) this.addType("string", field, value);
    return undefined;
  }

  /** Returns the string members of an object; with the named error when a value is not a string. */
  strings(value: unknown, field: string, error: SendGridErrorName): Readonly<Record<string, string>> {
    const members = Object.entries(this.object(value, field) ?? {});
    if (!members.every(([, member]) => typeof member === "string")) this.add(error, field);
    // Without a prototype, so that `__proto__` is a name like any other.
    const result = Object.create(null) as Record<string, string>;
    for (const [name, member] of members) if (typeof member === "string") result[name] = member;
    return result;
  }
}

/** Returns the type of a JSON value as the API names it. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : typeof value;
}
