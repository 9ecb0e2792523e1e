import { Problem } from "../core/errors.ts";
import { readJsonBody, readJsonBodyInTurns } from "../core/read-json.ts";
import type { CatcherCall } from "./catcher.ts";

/** Reads a value; undefined for one of another type. */
type Read<T> = (value: unknown) => T | undefined;

const readText: Read<string> = (value) => (typeof value === "string" ? value : undefined);
const readFlag: Read<boolean> = (value) => (typeof value === "boolean" ? value : undefined);
const readNumber: Read<number> = (value) => (typeof value === "number" ? value : undefined);
const readInteger: Read<number> = (value) => (Number.isSafeInteger(value) ? readNumber(value) : undefined);

function listOf<T>(read: Read<T>): Read<readonly T[]> {
  return (value) => {
    const items = Array.isArray(value) ? value.map(read) : [undefined];
    return items.every((one) => one !== undefined) ? items : undefined;
  };
}

/** JSON object of a request. Names are compared without letter case, as Go's decoder does. */
export class JsonObject {
  readonly #members: Readonly<Record<string, unknown>>;

  private constructor(members: Readonly<Record<string, unknown>>) {
    this.#members = members;
  }

  /** Returns a value as an object; undefined when it is none. */
  static readonly of: Read<JsonObject> = (value) =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? undefined
      : new JsonObject(value as Readonly<Record<string, unknown>>);

  /** Returns a string; "" when it is absent or null. Throws a 400 for another type, as all readers do. */
  text(name: string): string {
    return this.#read(name, "a string", readText) ?? "";
  }

  /** Returns a boolean; false when it is absent or null. */
  flag(name: string): boolean {
    return this.#read(name, "a boolean", readFlag) ?? false;
  }

  /** Returns an integer; 0 when it is absent or null. */
  integer(name: string): number {
    return this.#read(name, "an integer", readInteger) ?? 0;
  }

  /** Returns a number; 0 when it is absent or null. */
  number(name: string): number {
    return this.#read(name, "a number", readNumber) ?? 0;
  }

  /** Returns a list of strings; empty when it is absent or null. */
  texts(name: string): readonly string[] {
    return this.#read(name, "a list of strings", listOf(readText)) ?? [];
  }

  /** Returns an object; an empty one when it is absent or null. */
  object(name: string): JsonObject {
    return this.#read(name, "an object", JsonObject.of) ?? new JsonObject({});
  }

  /** Returns a list of objects; empty when it is absent or null. */
  objects(name: string): readonly JsonObject[] {
    return this.#read(name, "a list of objects", listOf(JsonObject.of)) ?? [];
  }

  /** Returns the strings of an object, by their names as written. */
  textsByName(name: string): readonly (readonly [string, string])[] {
    const wanted = "an object of strings";
    const object = this.#read(name, wanted, JsonObject.of);
    return Object.entries(object === undefined ? {} : object.#members).map(([own, value]) => {
      const text = readText(value);
      if (text === undefined) throw badRequest(`${name} must be ${wanted}`);
      return [own, text];
    });
  }

  #read<T>(name: string, wanted: string, read: Read<T>): T | undefined {
    const folded = name.toLowerCase();
    // The last one of names that differ in letter case counts.
    const value = Object.entries(this.#members).findLast(([own]) => own.toLowerCase() === folded)?.[1];
    if (value === undefined || value === null) return undefined;
    const result = read(value);
    if (result === undefined) throw badRequest(`${name} must be ${wanted}`);
    return result;
  }
}

/** Returns a 400 with a text. */
export function badRequest(text: string): Problem {
  return new Problem("invalid_request", { text });
}

/** Returns the JSON object of a request, whatever its Content-Type. Throws a 400 when it is none. */
export async function readObject(call: Pick<CatcherCall, "readBody">, bytesMax: number): Promise<JsonObject> {
  const bytes = await call.readBody(bytesMax);
  return objectOf(await readJsonBodyInTurns(bytes, rejectSyntax, { replacesInvalid: true }));
}

/** Returns the JSON object in UTF-8. Throws a 400 for anything else, and `body_too_large` beyond the limits of all bodies. */
export function parseObject(bytes: Uint8Array): JsonObject {
  return objectOf(readJsonBody(bytes, rejectSyntax, { replacesInvalid: true }));
}

function rejectSyntax(): never {
  throw badRequest("The body is not valid JSON");
}

function objectOf(value: unknown): JsonObject {
  const object = JsonObject.of(value);
  if (object === undefined) throw badRequest("The body must be a JSON object");
  return object;
}
