import type { IncomingMessage } from "node:http";
import type { ByteHold } from "../core/byte-budget.ts";
import { Problem } from "../core/errors.ts";
import { readForm, type FormFields } from "../providers/form.ts";
import { readBody } from "./read-body.ts";
import type { Call, ProviderCall } from "./route.ts";
import { parseJsonBody } from "./wire/json-body.ts";

/** Far above the size of an SMS with its callback. */
const formBytesMax = 64 * 1024;

/**
 * Reads the fields of a provider's request: those of its query, then those of its form or the strings and numbers of
 * its JSON object. Rejects with `body_too_large`, with `unsupported_media_type`, or with a 400 on `body`.
 */
export async function toProviderCall(request: IncomingMessage, call: Call, hold: ByteHold): Promise<ProviderCall> {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  const inQuery = mark === -1 ? [] : readForm(target.slice(mark + 1));
  const form = readFields(await readBody(request, { bytesMax: formBytesMax, hold }), request.headers["content-type"]);
  return {
    ...call,
    form,
    fields: [...inQuery, ...form],
    url: call.context.settings.publicUrl() + target,
  };
}

function readFields(bytes: Uint8Array, contentType = ""): FormFields {
  if (bytes.byteLength === 0) return [];
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return readForm(Buffer.from(bytes).toString("utf8"));
  if (contentType === "") throw new Problem("unsupported_media_type");
  const body = parseJsonBody(bytes, contentType);
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : [],
  );
}
