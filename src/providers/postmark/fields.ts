import { isUtf8 } from "node:buffer";
import { Problem } from "../../core/errors.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import type { ProviderRequest } from "../provider.ts";
import { invalidField, rejection, texts } from "./errors.ts";

/**
 * Members of a JSON object by name, regardless of letter case; null and "" are absent. Methods throw a rejection
 * with code 403 for members of another type.
 */
export class Fields {
  readonly #members: ReadonlyMap<string, unknown>;

  constructor(object: JsonObject) {
    this.#members = new Map(Object.entries(object).map(([name, value]) => [name.toLowerCase(), value]));
  }

  /** Returns whether a member is present, also when it is null or "". */
  has(name: string): boolean {
    return this.#members.has(name.toLowerCase());
  }

  /** Returns a member as it is; null for an absent one. */
  value(name: string): unknown {
    const value = this.#members.get(name.toLowerCase()) ?? null;
    return value === "" ? null : value;
  }

  /** Returns a string; null for an absent one. */
  text(name: string): string | null {
    const value = this.value(name);
    if (value !== null && typeof value !== "string") throw invalidField(name);
    return value;
  }

  /** Returns a boolean; null for an absent one. */
  flag(name: string): boolean | null {
    const value = this.value(name);
    if (value !== null && typeof value !== "boolean") throw invalidField(name);
    return value;
  }

  /** Returns the objects of an array; none for an absent one. */
  objects(name: string): readonly Fields[] {
    const value = this.value(name) ?? [];
    if (!Array.isArray(value) || !value.every(isJsonObject)) throw invalidField(name);
    return value.map((one) => new Fields(one));
  }

  /** Returns an object; null for an absent one. An empty array is an empty object, as PHP writes it. */
  object(name: string): JsonObject | null {
    const value = this.value(name);
    if (Array.isArray(value) && value.length === 0) return {};
    if (value !== null && !isJsonObject(value)) throw invalidField(name);
    return value;
  }
}

/** Reads a JSON body; throws a rejection with code 402, or the problem of another media type. */
export function readBody({ body, headers }: ProviderRequest): unknown {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!["application/json", "text/json", "text/x-json"].includes(type)) throw new Problem("unsupported_media_type");
  const value = isUtf8(body) ? readJson(body) : undefined;
  if (value === undefined) throw rejection(402, texts.invalidJson);
  return value;
}

/** Reads a JSON body that is an object. */
export function readFields(request: ProviderRequest): Fields {
  const value = readBody(request);
  if (!isJsonObject(value)) throw rejection(403, "The request body must be a JSON object.");
  return new Fields(value);
}
