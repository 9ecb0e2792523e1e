/** Pages of full messages, written one message at a time. */
import { summariesOf } from "../../operations/services/reading/summaries-of.ts";
import type { Page } from "../../core/criteria.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { openMessages } from "../../operations/services/reading/get-message.ts";
import type { HttpResponse } from "../http-response.ts";
import { smallResponseBytesMax } from "../response-memory.ts";
import { type KeyCall, withSignal } from "../route.ts";
import { messageChunks } from "../wire/message-json.ts";
import { restOfPageUrl } from "../wire/page-query.ts";
import { pageResponse, type SummaryPageBytes } from "./page-response.ts";

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
