import { expect, test } from "vitest";
import { readEvents } from "./change-stream.ts";

const stream = (chunks: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });

test("reports the name of every event and no comment, wherever the stream is split", async () => {
  const whole = 'retry: 1000\n\nid: 1\nevent: received\ndata: {"x":"é"}\n\n:\n\nid: 2\nevent: deleted\ndata: {}\n\n';
  for (const size of [1, 2, 7, whole.length]) {
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.slice(at * size, (at + 1) * size),
    );
    const names: string[] = [];
    await readEvents(stream(chunks), (name) => names.push(name));
    expect(names).toEqual(["received", "deleted"]);
  }
});
