import { ConnectionError } from "./errors.ts";

/** Longest event that is read; those of the service have some hundred characters. */
const eventLengthMax = 1_048_576;

/** Yields the data of each event of a stream (WHATWG HTML §9.2). Throws a `ConnectionError` when the stream breaks. */
export async function* readEvents(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string, void, undefined> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffer = "";
  try {
    for (;;) {
      const { done, value } = await read(reader);
      if (done) return;
      buffer += decoder.decode(value, { stream: true }).replaceAll("\r\n", "\n");
      const events = buffer.split("\n\n");
      buffer = events.pop() ?? "";
      if (buffer.length > eventLengthMax) throw new ConnectionError("The event stream has an event without end");
      yield* events.map(dataOf).filter((data) => data !== null);
    }
  } finally {
    // The stream has already failed, or is no longer read.
    await reader.cancel().catch(() => undefined);
  }
}

async function read(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> {
  try {
    return await reader.read();
  } catch (cause) {
    throw new ConnectionError("The connection of the event stream broke", { cause });
  }
}

/** Lines of comments and other fields are left out; an event without data is none. */
function dataOf(event: string): string | null {
  const lines = event.split("\n").filter((line) => line.startsWith("data:"));
  return lines.length === 0 ? null : lines.map((line) => line.slice("data:".length).replace(/^ /, "")).join("\n");
}
