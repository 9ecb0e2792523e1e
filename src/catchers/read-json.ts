/** JSON of requests, decoded by schemas. */
import { Problem } from "../core/errors.ts";
import { readJsonBodyInTurns } from "../core/read-json.ts";
import { build, type OptionalProperty, type WireSchema } from "../core/schema.ts";
import { decodeBody } from "../http/wire/request-decoder.ts";
import type { CatcherCall } from "./catcher.ts";

/** Member that is a string. */
export const text: OptionalProperty<string> = build.optional(build.string());

/** Member that is a list of strings. */
export const texts: OptionalProperty<readonly string[]> = build.optional(build.array(build.string()));

/** Returns a 400 with a text. */
export function badRequest(message: string): Problem {
  return new Problem("invalid_request", { text: message });
}

/** Returns the JSON of a request by its schema, whatever its Content-Type. Rejects as {@link decodeJson} does. */
export async function readBody<Body>(
  call: Pick<CatcherCall, "readBody" | "context">,
  schema: WireSchema<Body>,
  bytesMax: number = call.context.limits.jsonBodyBytesMax,
): Promise<Body> {
  return decodeJson(await call.readBody(bytesMax), schema);
}

/**
 * Decodes JSON as {@link decodeBody} does; bytes that are not UTF-8 become U+FFFD. Rejects with a 400 for anything else, and
 * with `body_too_large` beyond the limits of all bodies.
 */
export async function decodeJson<Body>(bytes: Uint8Array, schema: WireSchema<Body>): Promise<Body> {
  return decodeBody(schema, await readJsonBodyInTurns(bytes, rejectSyntax, { replacesInvalid: true }));
}

function rejectSyntax(): never {
  throw badRequest("The body is not valid JSON");
}
