/** JSON bodies of mail providers. */
import { readJsonBody } from "../../core/read-json.ts";

/** JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns the JSON value of a body; undefined for anything that is not JSON in UTF-8. Throws `body_too_large` beyond the
 * limits of all bodies.
 */
export function readJson(body: Uint8Array): unknown {
  return readJsonBody(body, () => undefined);
}

/** Returns the JSON object of a body or text; undefined for anything else. Throws as {@link readJson}. */
export function readJsonObject(body: Uint8Array | string): JsonObject | undefined {
  const value = readJson(typeof body === "string" ? Buffer.from(body) : body);
  return isJsonObject(value) ? value : undefined;
}

/** Returns whether a JSON value is an object, not an array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a string unchanged, any other JSON value as JSON. */
export function plainText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the members of an object as {@link plainText}; null is an empty text. */
export function plainTexts(object: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, value === null ? "" : plainText(value)]),
  );
}

/** Returns whether a member is absent or null. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}
