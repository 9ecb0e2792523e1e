import { Problem } from "../core/errors.ts";
import { readJsonBody, readJsonBodyInTurns } from "../core/read-json.ts";
import type { PeerCall } from "./peer.ts";

/** Form of a member of an object. */
interface MemberForm<T> {
  /** Returns undefined for a value of another type. */
  readonly read: (value: unknown) => T | undefined;
  /** Type in words. */
  readonly wanted: string;
}

/** JSON object of a request. Names are compared without letter case, as Go's decoder does. */
export class JsonObject {
  readonly #values: ReadonlyMap<string, unknown>;

  private constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values;
  }

  /** Returns a value as an object; undefined when it is none. */
  static of(value: unknown): JsonObject | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return new JsonObject(new Map(Object.entries(value).map(([name, one]) => [name.toLowerCase(), one])));
  }

  /** Returns a string; "" when it is absent or null. Throws a 400 for another type, as all readers do. */
  text(name: string): string {
    const read = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
    return this.#member(name, "", { read, wanted: "a string" });
  }

  /** Returns a boolean; false when it is absent or null. */
  flag(name: string): boolean {
    const read = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);
    return this.#member(name, false, { read, wanted: "a boolean" });
  }

  /** Returns an integer; 0 when it is absent or null. */
  integer(name: string): number {
    const read = (value: unknown): number | undefined =>
      typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
    return this.#member(name, 0, { read, wanted: "an integer" });
  }

  /** Returns a number; 0 when it is absent or null. */
  number(name: string): number {
    const read = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
    return this.#member(name, 0, { read, wanted: "a number" });
  }

  /** Returns a list of strings; empty when it is absent or null. */
  texts(name: string): readonly string[] {
    const read = (value: unknown): readonly string[] | undefined =>
      Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;
    return this.#member(name, [], { read, wanted: "a list of strings" });
  }

  /** Returns an object; an empty one when it is absent or null. */
  object(name: string): JsonObject {
    const read = (value: unknown): JsonObject | undefined => JsonObject.of(value);
    return this.#member(name, new JsonObject(new Map()), { read, wanted: "an object" });
  }

  /** Returns a list of objects; empty when it is absent or null. */
  objects(name: string): readonly JsonObject[] {
    const read = (value: unknown): readonly JsonObject[] | undefined => {
      if (!Array.isArray(value)) return undefined;
      const objects = value.map((one) => JsonObject.of(one));
      return objects.every((one) => one !== undefined) ? objects : undefined;
    };
    return this.#member(name, [], { read, wanted: "a list of objects" });
  }

  /** Returns the strings of an object, by their names as written. */
  textsByName(name: string): readonly (readonly [string, string])[] {
    const read = (value: unknown): readonly (readonly [string, string])[] | undefined => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      const entries = Object.entries(value as Readonly<Record<string, unknown>>);
      return entries.every((entry): entry is [string, string] => typeof entry[1] === "string") ? entries : undefined;
    };
    return this.#member(name, [], { read, wanted: "an object of strings" });
  }

  #member<T>(name: string, fallback: T, { read, wanted }: MemberForm<T>): T {
    const value = this.#values.get(name.toLowerCase());
    if (value === undefined || value === null) return fallback;
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
export async function readObject(call: Pick<PeerCall, "readBody">, bytesMax: number): Promise<JsonObject> {
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
