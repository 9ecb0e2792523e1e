import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { unobservedTasks } from "../../core/background-tasks.ts";
import { decodeBytes } from "../../mime/body-content.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { bounceMessage } from "./simulate-replies.ts";
import { createBodyAnalyser } from "../services/reading/body-analyser.ts";
import { forwardMessage, replyToMessage } from "./reply-to-message.ts";
import { inspectStored } from "../services/inspection/inspect-stored.ts";
import { traceMessage } from "./list-messages.ts";

const account = { keyId: "test", server: null };
const sender = "friend@verified.example";
const large = Buffer.from(`From: ${sender}\r\nSubject: Large\r\n\r\n${"a line of text\r\n".repeat(10_000)}`);
/** Small mail with more parts than are parsed on the main thread. */
const manyParts = Buffer.from(
  `From: ${sender}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\n\r\na\r\n".repeat(200)}`,
);
const small = Buffer.from(`From: ${sender}\r\nSubject: Small\r\n\r\nHello\r\n`);

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

/** Executes the request for a stored mail and returns the kinds of inspections that the worker executed. */
async function inspectionsOf(raw: Buffer, request: (id: string) => Promise<unknown>): Promise<readonly string[]> {
  const id = await api.deliver(server, { raw, mailFrom: sender });
  const inspect = vi.spyOn(api.context.inspector, "inspect");
  await request(id);
  const kinds = inspect.mock.calls.map(([, { kind }]) => kind);
  inspect.mockRestore();
  return kinds;
}

const attachments = [{ fileName: "a.bin", content: Buffer.alloc(100_000).toString("base64") }];
const to = "a@verified.example";

describe("operations on large mails", () => {
  test.each<[string, readonly string[], (id: string) => Promise<unknown>]>([
    ["traceMessage", ["outline"], (id) => traceMessage(api.context, account, id)],
    [
      "replyToMessage",
      ["replyRecipients", "compose"],
      (id) => replyToMessage(api.context, account, { id, fields: { text: "Yes" }, repeatKey: null }),
    ],
    [
      "forwardMessage",
      ["compose"],
      (id) => forwardMessage(api.context, account, { id, fields: { to }, repeatKey: null }),
    ],
    ["bounceMessage", ["compose"], (id) => bounceMessage(api.context, account, { id, fields: {} })],
  ])("reads a large mail in the inspector's process: %s", async (_name, kinds, request) => {
    expect(await inspectionsOf(large, request)).toEqual(kinds);
    expect(await inspectionsOf(manyParts, request)).toEqual(kinds);
    expect(await inspectionsOf(small, request)).toEqual([]);
  });

  test("composes a reply with large attachments to a small mail", async () => {
    const reply = (id: string): Promise<unknown> =>
      replyToMessage(api.context, account, { id, fields: { attachments }, repeatKey: null });
    expect(await inspectionsOf(small, reply)).toEqual(["compose"]);
  });
});

test("inspectStored returns the same in either process", async () => {
  const id = await api.deliver(server, { raw: manyParts });
  const inspection = { kind: "outline" } as const;
  const there = await inspectStored(api.context, { id, sizeBytes: manyParts.length, inspection }, { key: "k" });
  expect(there.children).toHaveLength(200);
  vi.spyOn(api.context.store, "getRaw").mockResolvedValue(small);
  const here = await inspectStored(api.context, { id, sizeBytes: small.byteLength, inspection }, { key: "k" });
  expect(here.children).toEqual([]);
});

test.each(["base64", "quoted-printable", "uuencode", "identity"] as const)(
  "the body analyser decodes large content in %s in its process, byte for byte",
  async (transferEncoding) => {
    const analyser = createBodyAnalyser({ clock: new FakeClock(), tasks: unobservedTasks });
    const raw = Buffer.from(`in front ${"YWJjZGVm=3D\r\n".repeat(50_000)}`);
    for (const bodyEnd of [1000, raw.byteLength]) {
      const part = { bodyStart: 9, bodyEnd, transferEncoding };
      const expected = Buffer.from(decodeBytes(raw, part));
      const decoded = await analyser.decode({ raw: new Uint8Array(raw), part }, { key: "k" });
      expect(Buffer.compare(decoded, expected)).toBe(0);
    }
    await analyser.close();
  },
);

test("the body analyser rejects a decoding past its waiting limit", async () => {
  const analyser = createBodyAnalyser({ clock: new FakeClock(), tasks: unobservedTasks });
  const raw = Buffer.alloc(70_000, "=41");
  const part = { bodyStart: 0, bodyEnd: raw.byteLength, transferEncoding: "quoted-printable" } as const;
  const requests = Array.from({ length: 502 }, () =>
    analyser.decode({ raw, part }, { key: "k" }).then(
      ({ byteLength }) => byteLength,
      ({ code }: { code: string }) => code,
    ),
  );
  expect(await requests[501]).toBe("too_many_requests");
  await analyser.close();
});
