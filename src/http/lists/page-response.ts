import type { Page } from "../../core/criteria.ts";
import { type HttpResponse, jsonType } from "../http-response.ts";
import { type Call, type Success, type KeyCall, withSignal } from "../route.ts";
import { joinItems, messageChunks } from "../wire/message-json.ts";
import { summarySchema } from "../../core/message.ts";
import { nextPageUrl, restOfPageUrl } from "../wire/page-query.ts";
import { listOf } from "../../core/schema.ts";
import { summariesOf } from "../../operations/services/reading/stored-detail.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { openMessages } from "../../operations/services/reading/get-message.ts";
import { smallResponseBytesMax } from "../response-memory.ts";

/** A page of summaries as operations return it. */
interface SummaryPageBytes {
  readonly json: Uint8Array;
  readonly hasMore: boolean;
  readonly total: number | null;
  readonly cursor: number;
}

/**
 * Returns 200 with a page of summaries: `Link` to the next page, if any (RFC 8288), `X-Total-Count` if the number is
 * known, and the server's last sequence number in `X-Cursor`.
 */
export function pageResponse(call: Call, page: Page, found: SummaryPageBytes): HttpResponse {
  const headers = listHeaders();
  headers["x-cursor"] = String(found.cursor);
  if (found.total !== null) headers["x-total-count"] = String(found.total);
  if (found.hasMore) headers["link"] = `<${nextPageUrl(call.path, call.query, page)}>; rel="next"`;
  return { status: 200, headers, body: call.encodeList(found.json, call.headers["user-agent"]) };
}

/** Header fields of pages of summaries, for the OpenAPI document. */
export const pageHeaders: Readonly<Record<"link" | "x-total-count", string>> = {
  link: 'URL of the next page with `rel="next"` (RFC 8288), where there is one.',
  "x-total-count": "How many messages there are over all pages, where that is known without counting.",
};

/** Success of routes that return {@link pageResponse}, for the OpenAPI document. */
export const pageSuccess: Success = {
  status: 200,
  description: "One page of summaries, newest first.",
  schema: listOf(summarySchema),
  headers: {
    ...pageHeaders,
    "x-cursor": "The server's last change that this response shows; give it back as `after` for what comes after.",
  },
};

/** Returns 200 with a complete list of few items. */
export function listResponse(call: Call, items: readonly unknown[]): HttpResponse {
  return {
    status: 200,
    headers: listHeaders(),
    body: call.encodeList(joinItems(items), call.headers["user-agent"]),
  };
}

/** Members of the success of a {@link linkedListResponse} beside its schema. */
export const nextPageSuccess: Partial<Success> = { headers: { link: pageHeaders.link } };

/** Returns 200 with a page of a list, and `Link` to the next page (RFC 8288), false for none. */
export function linkedListResponse(call: Call, items: readonly unknown[], next: string | false): HttpResponse {
  const response = listResponse(call, items);
  return next === false ? response : { ...response, headers: { ...response.headers, link: `<${next}>; rel="next"` } };
}

function listHeaders(): Record<string, string> {
  return { "content-type": jsonType, vary: "user-agent" };
}

const comma = Buffer.from(",");
const noBytes = Buffer.alloc(0);

/**
 * Returns 200 with the full messages of a page. Ends the page before the message whose stored size would exceed
 * `fullPageBytesMax`, but not before the second; `Link` then continues with the messages older than the last one.
 * Messages that were deleted since the search are left out.
 */
export async function fullPageResponse(call: KeyCall, page: Page, found: SummaryPageBytes): Promise<HttpResponse> {
  const ids = summariesOf(found).map(({ id }) => id);
  const { shown, sizeBytes } = await fitting(call, ids);
  const response = pageResponse(call, page, { ...found, json: noBytes });
  const last = shown.at(-1);
  const link =
    last === undefined || shown.length === ids.length
      ? {}
      : { link: `<${restOfPageUrl(call.path, call.query, last)}>; rel="next"` };
  const headers = { ...response.headers, ...link };
  const chunks = writePage(call, shown);
  if (sizeBytes <= smallResponseBytesMax) return { ...response, headers, body: await Array.fromAsync(chunks) };
  await call.room.reserve(smallResponseBytesMax);
  return { ...response, headers, body: null, stream: chunks };
}

/** Returns the first messages of a page, as many as its byte budget allows. */
async function fitting(
  { context }: KeyCall,
  ids: readonly MessageId[],
): Promise<{ readonly shown: readonly MessageId[]; readonly sizeBytes: number }> {
  const [first] = ids;
  if (first === undefined) return { shown: ids, sizeBytes: 0 };
  const sizes = await context.store.measureMessages(decodeMessageId(first).server, ids);
  let sizeBytes = 0;
  let count = 0;
  for (const size of sizes) {
    if (count > 0 && sizeBytes + size > context.limits.fullPageBytesMax) break;
    sizeBytes += size;
    count += 1;
  }
  return { shown: ids.slice(0, count), sizeBytes };
}

/** Writes one message at a time. Waits for memory without a timeout, since the response has started. */
async function* writePage(call: KeyCall, ids: readonly MessageId[]): AsyncGenerator<Uint8Array, void> {
  const [head = noBytes, , tail = noBytes] = call.encodeList(noBytes, call.headers["user-agent"]);
  const { room } = call;
  const patient = { ...withSignal(call), room: { reserve: async (bytes: number) => room.reserve(bytes, true) } };
  yield head;
  let isFirst = true;
  for await (const opened of openMessages(patient, call.principal, ids)) {
    if (!isFirst) yield comma;
    isFirst = false;
    for (const chunk of messageChunks(opened)) yield* inChunks(chunk);
    room.resize(0);
  }
  yield tail;
}

const chunkBytes = 256 * 1024;

function* inChunks(bytes: Buffer): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}
