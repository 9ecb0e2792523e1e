import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { type MessageId, parseMessageId } from "../../core/ids.ts";
import { findSection } from "../../mime/structure/header-lines.ts";
import { inMemoryContent } from "../../store/raw-content.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { createStructureReader, readMailHead } from "./open-mail.ts";

const caller = { key: "k" };
const header = "From: a@x.example\r\nSubject: Parts\r\n\r\n";
const small = Buffer.from(`${header}Hello\r\n`);
const large = Buffer.from(`${header}${"a line of text\r\n".repeat(150_000)}`);

let api: HttpTestServer;
let server: TestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => api[Symbol.asyncDispose]());

async function deliver(raw: Buffer): Promise<MessageId> {
  const id = parseMessageId(await api.deliver(server, { raw }));
  if (id === undefined) throw new Error("the id is invalid");
  return id;
}

describe("readMailHead", () => {
  const headOf = async (raw: Buffer): Promise<string> => {
    const head = await readMailHead(api.context, await deliver(raw));
    return Buffer.from(head ?? []).toString("latin1");
  };

  test("returns the header section with its empty line", async () => {
    expect(await headOf(small)).toMatch(/Subject: Parts\r\n\r\n$/);
    expect(await headOf(Buffer.from("Subject: x\n\nbody"))).toMatch(/Subject: x\n\n$/);
    expect(await headOf(Buffer.from("Subject: x\r\n"))).toMatch(/Subject: x\r\n(\r\n)?$/);
  });

  test("reads only the first bytes of a large mail", async () => {
    const id = await deliver(large);
    let readCount = 0;
    const original = (await api.context.store.openRaw(id)) ?? inMemoryContent(small);
    vi.spyOn(api.context.store, "openRaw").mockResolvedValue({
      ...original,
      read: (range = { first: 0, last: Infinity }) => {
        readCount += range.last - range.first + 1;
        return original.read(range);
      },
    });
    const head = await readMailHead(api.context, id);
    expect(Buffer.from(head ?? []).toString("latin1")).toMatch(/Subject: Parts\r\n\r\n$/);
    expect(readCount).toBe(16 * 1024);
  });

  test("returns a header section above 16 KiB whole, and one above the limit up to the limit", async () => {
    const { headerBytesMax } = api.context.limits;
    const long = (bytes: number): Buffer => Buffer.from(`X: ${"x".repeat(bytes)}\r\nSubject: y\r\n\r\nbody`);
    expect(await headOf(long(40_000))).toMatch(/Subject: y\r\n\r\n$/);
    expect(await headOf(long(headerBytesMax))).toHaveLength(headerBytesMax);
  });

  test("returns undefined for a message that does not exist", async () => {
    const id = await deliver(small);
    await api.context.store.deleteMessage(id);
    expect(await readMailHead(api.context, id)).toBeUndefined();
    expect(await createStructureReader(api.context).read(id, caller)).toBeUndefined();
  });
});

describe("a structure reader", () => {
  test("reads small mails on this thread, and large ones once on the inspector's", async () => {
    const inspect = vi.spyOn(api.context.inspector, "inspect");
    const reader = createStructureReader(api.context);
    const [smallId, largeId] = [await deliver(small), await deliver(large)];
    expect((await reader.read(smallId, caller))?.root.lineCount).toBe(1);
    expect(inspect).not.toHaveBeenCalled();
    const structure = await reader.read(largeId, caller);
    expect(structure?.root).toMatchObject({ type: "text", subtype: "plain", lineCount: 150_000 });
    expect(structure?.root.parameters.get("charset")).toBe("us-ascii");
    expect(await reader.read(largeId, caller)).toBe(structure);
    expect(inspect).toHaveBeenCalledTimes(1);
  });

  test("forgets a message that was deleted", async () => {
    const reader = createStructureReader(api.context);
    const id = await deliver(large);
    await reader.read(id, caller);
    await api.context.store.deleteMessage(id);
    expect(await reader.read(id, caller)).toBeUndefined();
  });

  test("has sections whose offsets are those of the raw mail", async () => {
    const id = await deliver(small);
    const raw = Buffer.from((await api.context.store.getRaw(id)) ?? []);
    const structure = await createStructureReader(api.context).read(id, caller);
    const text = structure && findSection(structure, { part: [], text: "TEXT" });
    expect(raw.toString("latin1", text?.start, text?.end)).toBe("Hello\r\n");
  });
});
