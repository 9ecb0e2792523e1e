import { keyRoute } from "../rows.ts";
import type { Change } from "../../../core/events.ts";
import { invalidField } from "../../../core/errors.ts";
import { streamChanges } from "../../../operations/messages/stream-changes.ts";
import { serverParameter } from "../../lists/page-request.ts";
import type { Call, KeyRoute } from "../../route.ts";
import { requireServer } from "../../wire/page-query.ts";
import { build } from "../../../core/schema.ts";

/** Comment that is sent periodically, so that proxies do not close an idle stream. */
const heartbeat = Buffer.from(":\n\n");
/**
 * Sets the reconnection time of browsers to a second, and flushes the header section through proxies that wait for a
 * first byte.
 */
const greeting = Buffer.from("retry: 1000\n\n");

/** `GET /api/events`: a server's changes as Server-Sent Events (WHATWG HTML §9.2), resumed by `Last-Event-ID`. */
export const streamEventsRoute: KeyRoute = keyRoute("streamEvents", "GET /api/events", {
  summary: "Follow the changes of a server as Server-Sent Events, without gaps or repetitions.",
  query: [
    serverParameter,
    {
      name: "after",
      description:
        "Only changes after this one (`X-Cursor`, or an event's id); the header `Last-Event-ID` takes precedence.",
      schema: build.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    },
  ],
  returns: [
    {
      status: 200,
      description:
        "Events `received`, `sent`, `deleted`, `emptied` and `failed`; their ids are sequence numbers of the server.",
      contentType: "text/event-stream",
    },
  ],
  problems: ["gone"],
  respond: async (call) => {
    const server = requireServer(call.query);
    const afterSequence = lastSeen(call);
    call.holdEventStream();
    const signal = call.signal();
    const stream = await streamChanges(call.context, call.principal, {
      server,
      afterSequence,
      gone: signal,
      isOpen: call.isOpen,
    });
    const headers = { "content-type": "text/event-stream; charset=utf-8", "x-cursor": String(stream.startsAfter) };
    return { status: 200, headers, body: null, stream: writeEvents(stream.changes) };
  },
});

function lastSeen({ headers, query }: Call): number | null {
  const header = headers["last-event-id"];
  const text = (typeof header === "string" ? header : "") || (query.get("after") ?? "");
  if (text === "") return null;
  const sequence = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(sequence)) return sequence;
  throw invalidField("after", "Must be the id of an event", "out_of_range");
}

async function* writeEvents(changes: AsyncIterable<Change | null>): AsyncGenerator<Uint8Array, void> {
  yield greeting;
  for await (const change of changes) {
    yield change === null ? heartbeat : toEvent(change);
  }
}

function toEvent(change: Change): Uint8Array {
  const { sequence, kind } = change;
  return Buffer.from(`id: ${String(sequence)}\nevent: ${kind}\ndata: ${JSON.stringify(change)}\n\n`);
}
