/** Batches: https://developers.google.com/workspace/gmail/api/guides/batch */
import { readForm } from "../../core/read-form.ts";
import { decodeBytes } from "../../mime/body-content.ts";
import type { Part } from "../../mime/part.ts";
import type { OpenHandler } from "../kit/endpoints.ts";
import { dispatch, innerRequest } from "../kit/dispatch.ts";
import { reasonOf } from "../kit/errors.ts";
import { jsonResponse, type ProviderMethod, type ProviderRequest, type ProviderResponse } from "../provider.ts";
import { invalidArgument } from "./errors.ts";
import { readHeaders } from "./payload.ts";
import { gmail, readKey } from "./provider.ts";
import { partsOf } from "./request.ts";

/** Most requests of a batch. */
const requestCountMax = 100;

/** Responds to the requests of a batch one after the other; each needs a token, its own or else that of the batch. */
export const respondToBatch: OpenHandler = async ({ request, services }) => {
  const { whole, parts } = partsOf(request);
  if (parts.length === 0) throw invalidArgument("Failed to parse batch request, error: 0 items");
  if (parts.length > requestCountMax)
    throw invalidArgument(`The batch request has more than ${requestCountMax} calls.`);
  const boundary = `batch_${crypto.randomUUID()}`;
  const responses: Buffer[] = [];
  for (const part of parts) {
    const inner = requestOf(whole, part, request);
    const response = inner === undefined ? unreadable() : await dispatch(inBatch, inner, services);
    responses.push(partOf(contentIdOf(whole, part), boundary, response));
  }
  const bytes = Buffer.concat([...responses, Buffer.from(`--${boundary}--\r\n`)]);
  return { status: 200, body: { contentType: `multipart/mixed; boundary=${boundary}`, bytes } };
};

/** Endpoints that requests of a batch may call. */
const inBatch = { ...gmail, endpoints: gmail.endpoints.filter(({ path }) => path.startsWith("/gmail/")) };

function unreadable(): ProviderResponse {
  return jsonResponse(400, {
    error: { code: 400, message: "Failed to parse the request", status: "INVALID_ARGUMENT" },
  });
}

const requestLine = /^(GET|POST|PUT|PATCH|DELETE) (\S+)(?: HTTP\/\d(?:\.\d)?)?\r?\n/;

/** Returns the request in a part; undefined when it is none. */
function requestOf(whole: Uint8Array, part: Part, outer: ProviderRequest): ProviderRequest | undefined {
  const content = Buffer.from(decodeBytes(whole, part));
  const [line, method, target = ""] = requestLine.exec(content.toString("latin1", 0, 8192)) ?? [];
  // The URL may be that of the service or of Google.
  const [path = "", query = ""] = target.slice(Math.max(0, target.indexOf("/gmail/v1/"))).split("?", 2);
  if (line === undefined) return undefined;
  const { fields, bodyStart } = readHeaders(content, line.length);
  const own = Object.fromEntries(fields.map(([name, text]) => [name.toLowerCase(), text]));
  const { authorization } = outer.headers;
  const headers = { ...(authorization !== undefined && { authorization }), ...own };
  const parts = { method: method as ProviderMethod, headers, path, url: target, query };
  const key = readKey(own, readForm(query)) ?? outer.key;
  return innerRequest(outer, { ...parts, body: content.subarray(bodyStart), key });
}

function contentIdOf(whole: Uint8Array, { headerStart, headerEnd }: Part): string | undefined {
  const { fields } = readHeaders(whole.subarray(0, headerEnd), headerStart);
  return fields.find(([name]) => name.toLowerCase() === "content-id")?.[1];
}

function partOf(
  contentId: string | undefined,
  boundary: string,
  { status, headers = {}, body }: ProviderResponse,
): Buffer {
  const content = body === null ? Buffer.alloc(0) : body.text === undefined ? body.bytes : Buffer.from(body.text);
  const type = body === null ? {} : { "Content-Type": body.contentType };
  const own = Object.entries({ ...headers, ...type, "Content-Length": content.length });
  const head = [
    `--${boundary}`,
    "Content-Type: application/http",
    ...(contentId === undefined ? [] : [`Content-ID: <response-${contentId.replaceAll(/^<|>$/g, "")}>`]),
    "",
    `HTTP/1.1 ${status} ${reasonOf(status)}`,
    ...own.map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ];
  return Buffer.concat([Buffer.from(head.join("\r\n")), content, Buffer.from("\r\n")]);
}
