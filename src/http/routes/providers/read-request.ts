import { unauthenticatedBodyBytesMax } from "../../../core/arrival-rate.ts";
import { Problem } from "../../../core/errors.ts";
import { readJsonAhead } from "../../../core/read-json.ts";
import { readForm, type FormFields } from "../../../core/read-form.ts";
import type { Provider, ProviderMethod, ProviderRequest } from "../../../providers/provider.ts";
import { readKey } from "../../auth.ts";
import { isGzipped } from "../../read-body.ts";
import type { ProviderCall } from "../../route.ts";
import { parseJsonBody } from "../../wire/json-body.ts";

/** Returns a provider's request before its body was read. `prefix` is the part of the path that is not the provider's. */
export function requestWithoutBody(
  { headers, path, params, url, isEncrypted }: ProviderCall,
  {
    provider,
    method,
    prefix,
  }: { readonly provider: Provider; readonly method: ProviderMethod; readonly prefix: string },
): ProviderRequest {
  const { readKey: readOwn = ({ authorization }) => readKey(authorization) ?? null } = provider;
  const fields = fieldsOfQuery(url);
  return {
    method,
    headers,
    path: path.slice(prefix.length),
    params,
    url,
    isEncrypted,
    body: new Uint8Array(),
    form: [],
    fields,
    key: readOwn(headers, fields),
  };
}

/**
 * Returns the request with its body; small bodies with their fields. Rejects with `body_too_large`,
 * with `unsupported_media_type` for a content coding other than gzip, and for a small
 * body with `unsupported_media_type` or a 400 on `body`.
 */
export async function withBody(
  request: ProviderRequest,
  call: ProviderCall,
  bytesMax: number,
): Promise<ProviderRequest> {
  const { "content-encoding": coding = "identity" } = request.headers;
  if (coding.toLowerCase() !== "identity" && !isGzipped(request)) {
    throw new Problem("unsupported_media_type", { text: "No content coding except gzip is supported" });
  }
  const body = await call.readBody(bytesMax);
  if (bytesMax > unauthenticatedBodyBytesMax) {
    await readJsonAhead(body);
    return { ...request, body };
  }
  const form = readFields(body, request.headers["content-type"]);
  return { ...request, body, form, fields: [...request.fields, ...form] };
}

function fieldsOfQuery(url: string): FormFields {
  const mark = url.indexOf("?");
  return mark === -1 ? [] : readForm(url.slice(mark + 1));
}

function readFields(bytes: Uint8Array, contentType = ""): FormFields {
  if (bytes.byteLength === 0) return [];
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return readForm(bytes);
  if (contentType === "") throw new Problem("unsupported_media_type");
  const body = parseJsonBody(bytes, contentType);
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "string" || typeof value === "number" ? [[name, String(value)] as const] : [],
  );
}
