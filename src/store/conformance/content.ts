import { expect, test } from "vitest";
import type { MessageId } from "../../core/ids.ts";
import { draft } from "./drafts.ts";
import { makeServer, textOf, useStore, type OpenStore } from "./setup.ts";

/**
 * Content of messages: stored and read to the byte, whole and in ranges. `chunkBytes` is the size from which the store divides
 * content, of all stores by default.
 */
export function describeContent(
  open: OpenStore,
  { chunkBytes = 4 * 1024 * 1024 }: { readonly chunkBytes?: number } = {},
): void {
  const largeBytes = chunkBytes * 1.25;
  const store = useStore(open);

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["one byte", Buffer.from([0])],
    ["every byte", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ["what looks compressed", Buffer.from("28b52ffd2000010000", "hex")],
    ["a megabyte that compresses well", Buffer.alloc(1_000_000, "abc")],
    [
      "a megabyte that does not",
      Buffer.from(Uint32Array.from({ length: 250_000 }, (_, n) => n * 2_654_435_761).buffer),
    ],
  ])("returns raw and detail byte for byte: %s", async (_name, bytes) => {
    const server = await makeServer(store());
    const message = draft(server, { raw: bytes, detail: bytes });
    await store().addMessages([message]);
    expect(Buffer.compare((await store().getRaw(message.id)) ?? Buffer.from("none"), bytes)).toBe(0);
    expect(Buffer.compare((await store().getDetail(message.id)) ?? Buffer.from("none"), bytes)).toBe(0);
    const { detail, raw } = (await store().getContent(message.id)) ?? { detail: Buffer.from("none"), raw: null };
    expect(Buffer.compare(detail, bytes)).toBe(0);
    if (raw !== null) expect(Buffer.compare(raw, bytes)).toBe(0);
  });

  test("returns detail and raw of a small message by one read, and nothing for none", async () => {
    const server = await makeServer(store());
    const [mail, empty] = [draft(server, { raw: "mail", detail: "detail" }), draft(server, { raw: "", detail: "sms" })];
    await store().addMessages([mail]);
    await store().addMessages([empty]);
    const textsOf = async (id: MessageId) => {
      const content = await store().getContent(id);
      return content && [textOf(content.detail), content.raw && textOf(content.raw)];
    };
    expect(await textsOf(mail.id)).toEqual(["detail", "mail"]);
    expect(await textsOf(empty.id)).toEqual(["sms", ""]);
    expect(await textsOf(draft(server).id)).toBeUndefined();
  });

  test.each([
    ["small", Buffer.alloc(100_000, "small ")],
    ["large, compressible", Buffer.alloc(6_000_000, "0123456789abcdef\r\n")],
    ["large, incompressible", Buffer.from(noise(largeBytes))],
    ["large, in several chunks when packed", Buffer.from(Buffer.from(noise(largeBytes)).toString("base64"))],
    ["empty", Buffer.alloc(0)],
    // With its detail, of 51 bytes, it has 256 KiB.
    ["incompressible, of the size of a column", Buffer.from(noise(256 * 1024 - 51))],
  ])("openRaw yields the raw bytes whole and in ranges: %s", async (_name, raw) => {
    const server = await makeServer(store());
    const message = draft(server, { raw });
    await store().addMessages([message]);
    const content = await store().openRaw(message.id);
    expect(content?.sizeBytes).toBe(raw.length);
    const read = async (first: number, last: number): Promise<Buffer> =>
      Buffer.concat(await Array.fromAsync(content?.read({ first, last }) ?? []));
    expect(Buffer.compare(Buffer.concat(await Array.fromAsync(content?.read() ?? [])), raw)).toBe(0);
    const ranges = [
      [0, 0],
      [raw.length - 1, raw.length - 1],
      [1_048_570, 1_048_580],
      [3, raw.length - 4],
    ] as const;
    for (const [first, last] of ranges.filter(([from, to]) => from >= 0 && to < raw.length)) {
      expect(Buffer.compare(await read(first, last), raw.subarray(first, last + 1))).toBe(0);
    }
    expect(Buffer.compare((await store().getRaw(message.id)) ?? Buffer.from("none"), raw)).toBe(0);
    expect((await store().readMessages(server, null, 1))[0]?.raw.length).toBe(raw.length);
    expect((await store().addMessages([message]))[0]?.outcome).toBe("stored");
  });

  test("openRaw stops with not_found when the message is deleted while it is read", async () => {
    const server = await makeServer(store());
    const message = draft(server, { raw: Buffer.from(noise(8_000_000)) });
    await store().addMessages([message]);
    const content = await store().openRaw(message.id);
    const pieces = content?.read()[Symbol.asyncIterator]();
    expect((await pieces?.next())?.done).toBe(false);
    await store().deleteMessage(message.id);
    await expect(
      (async () => {
        while ((await pieces?.next())?.done === false);
      })(),
    ).rejects.toMatchObject({ code: "not_found" });
    expect(await store().openRaw(message.id)).toBeUndefined();
  });

  test("stores views of a larger buffer and leaves the caller's buffer usable", async () => {
    const server = await makeServer(store());
    const shared = Buffer.from("before|the message itself|after");
    const message = { ...draft(server), raw: shared.subarray(7, 25), detailJson: Buffer.from("{}") };
    await store().addMessages([message]);
    expect(shared.toString()).toBe("before|the message itself|after");
    expect(message.detailJson.toString()).toBe("{}");
    expect(textOf(await store().getRaw(message.id))).toBe("the message itself");
  });
}

/** Returns incompressible bytes, the same in every run. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 1;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}
