/** Parser of server-sent events (WHATWG HTML §9.2) in a fetched body; EventSource cannot send the session header. */

/** Calls `onEvent` with the name of each event; resolves at the end of the stream, rejects when it breaks. */
export async function readEvents(body: ReadableStream<Uint8Array>, onEvent: (name: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("event: ")) onEvent(line.slice("event: ".length));
    }
  }
}
