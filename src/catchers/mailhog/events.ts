import type { Change } from "../../core/change.ts";
import { decodeMessageId, type MessageId } from "../../core/ids.ts";
import { readHeads } from "../../operations/messages/read-conversation.ts";
import { streamJson } from "../json-stream.ts";
import { openChanges } from "../mailbox.ts";
import { type CatcherRoute, catcherRoutes, type CatcherSubscriber } from "../catcher.ts";
import { readStructure } from "../received-message.ts";
import { contentOf } from "./content.ts";
import { messageSegments, readRaw } from "./mail.ts";

/** Size of a mail whose bytes are in its event; larger ones have empty contents there. */
const wholeBytesMax = 1024 * 1024;
const noBytes = new Uint8Array();

const keepAlive = Buffer.from("keepalive: \n\n");

/** `GET /api/v1/events`: each message that the server receives, as a Server-Sent Event. */
export const eventRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  "GET /api/v1/events": async (call) => {
    const headers = { "content-type": "text/event-stream", "cache-control": "no-cache" };
    if (call.isHead) return { status: 200, headers, body: null };
    call.holdEventStream();
    // Before the response begins, so that no message is missed afterwards.
    const changes = await openChanges(call);
    return { status: 200, headers, body: null, stream: writeEvents(readArrivals(call, changes)) };
  },
});

async function* writeEvents(arrivals: AsyncIterable<string | null>): AsyncGenerator<Uint8Array, void> {
  // Flushes the header section.
  yield keepAlive;
  for await (const text of arrivals) yield text === null ? keepAlive : Buffer.from(`data: ${text}\n\n`);
}

/** Yields each message that the server receives, as JSON. Ends when the subscriber disconnects. */
export async function* streamArrivals(subscriber: CatcherSubscriber): AsyncGenerator<string, void> {
  for await (const text of readArrivals(subscriber, await openChanges(subscriber))) if (text !== null) yield text;
}

/** Yields the messages of changes as JSON; null from time to time, to keep connections open. */
async function* readArrivals(
  subscriber: CatcherSubscriber,
  changes: AsyncIterable<Change | null>,
): AsyncGenerator<string | null, void> {
  for await (const change of changes) {
    if (change === null) yield null;
    if (change?.kind !== "received" || change.id === null) continue;
    if (decodeMessageId(change.id).direction !== "Received") continue;
    const text = await readArrival(subscriber, change.id);
    if (text !== undefined) yield text;
  }
}

/** Returns a message as JSON; undefined when it no longer exists. */
async function readArrival(subscriber: CatcherSubscriber, id: MessageId): Promise<string | undefined> {
  const { context, principal, signal } = subscriber;
  const { value: head } = await readHeads({ ...context, gone: signal() }, principal, [id]).next();
  if (head === undefined) return undefined;
  const { message } = head.detail;
  const host = context.settings.mailDomain;
  const structure = await readStructure(subscriber, id);
  const raw = head.sizeBytes > wholeBytesMax ? noBytes : await readRaw(context, id);
  if (structure === undefined || raw === undefined) return undefined;
  const empty = { head: noBytes, body: noBytes, sizeBytes: head.sizeBytes, parts: null };
  const content = raw === noBytes ? empty : contentOf(raw, structure.root);
  const chunks = await Array.fromAsync(streamJson(messageSegments({ id, message, raw, content, host })));
  return Buffer.concat(chunks).toString("utf8");
}
