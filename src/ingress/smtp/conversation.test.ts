import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits, type Limits } from "../../core/limits.ts";
import type { FaultOutcome } from "../../core/fault.ts";
import { cut } from "../../testing/chunks.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { faultDecision } from "../../testing/fault-decisions.ts";
import { RecordingLog, RecordingMetrics, RecordingOperations } from "../../testing/smtp-test-server.ts";
import { ByteBudget } from "../../core/byte-budget.ts";
import { Conversation, errorsInARowMax } from "./conversation.ts";
import type { Peer } from "./peer.ts";
import { Session } from "./session.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

class RecordingPeer implements Peer {
  readonly written: string[] = [];
  readonly faults: unknown[] = [];
  isPaused = false;
  isEnded = false;
  tlsCount = 0;
  resetCount = 0;
  finishedCount = 0;
  keepsUp = true;

  send(wire: string): boolean {
    this.written.push(wire);
    return this.keepsUp;
  }
  pause(): void {
    this.isPaused = true;
  }
  resume(): void {
    this.isPaused = false;
  }
  startTls(): void {
    this.tlsCount += 1;
  }
  reset(): void {
    this.resetCount += 1;
    this.isEnded = true;
  }
  end(wire: string): void {
    if (wire !== "") this.written.push(wire);
    this.isEnded = true;
  }
  fail(fault: unknown): void {
    this.faults.push(fault);
  }
  finished(): void {
    this.finishedCount += 1;
  }
}

function setUp(limits: Partial<Limits> = {}) {
  const operations = new RecordingOperations();
  const budget = new ByteBudget(1e6);
  const log = new RecordingLog();
  const metrics = new RecordingMetrics();
  const tls = { secureContext: () => undefined, startTlsFor: () => "refused" as const };
  const clock = new FakeClock();
  const shared = { hostname: "mx.test", ...tls, log, metrics, clock };
  const context = {
    ...shared,
    limits: { ...defaultLimits, ...limits },
    operations,
    budget,
    delayed: new Set<Session>(),
  };
  const peer = new RecordingPeer();
  const conversation = new Conversation(new Session(context, "192.0.2.1"), peer);
  return { operations, budget, log, metrics, clock, peer, conversation };
}

async function settled(conversation: Conversation): Promise<void> {
  do await nextTurn();
  while (conversation.isBusy);
}

/** Returns a copy in memory of its own, as chunks of sockets have; other buffers are never freed. */
function ownMemory(chunk: Uint8Array): Buffer<ArrayBuffer> {
  const own = Buffer.allocUnsafeSlow(chunk.length);
  own.set(chunk);
  return own;
}

/** Returns the replies and stored mails for a client that sends these chunks, and the memory in use afterwards. */
async function outcome(chunks: readonly Buffer[], waits: boolean, fault: readonly FaultOutcome[] = []) {
  const { conversation, peer, operations, budget, log } = setUp({ messageBytesMax: 60, commandLineBytesMax: 50 });
  let occurrenceCount = 0;
  operations.faultAt = (occurrence) => {
    const then = fault[occurrenceCount];
    occurrenceCount += 1;
    return then === undefined || Object.keys(then).length === 0 ? null : faultDecision(occurrence, then);
  };
  conversation.greet();
  for (const chunk of chunks) {
    conversation.take(ownMemory(chunk));
    if (waits) await settled(conversation);
  }
  conversation.endInput();
  await settled(conversation);
  conversation.close();
  expect(peer.faults).toEqual([]);
  expect(budget.bytesUsed).toBe(0);
  expect(peer.finishedCount).toBe(1);
  expect(
    log.lines.filter(
      (line) => line.level === "error" && !String(line.fields["err"]).includes("fails for this address"),
    ),
  ).toEqual([]);
  const mails = operations.arrivals.map((arrival) => ({
    ...arrival,
    raw: Buffer.from(arrival.raw).toString("latin1"),
  }));
  return { replies: peer.written.join(""), mails, hasEnded: peer.isEnded };
}

const lines = [
  ["HELO x\r\n", "EHLO x\n", "RSET\r\n", "NOOP\n", "VRFY x\r\n", "HELP\r\n", "EXPN x\r\n", "\r\n", "\r", "\n", "."],
  ["RCPT TO:<nobody@x>\r\n", "RCPT TO:<broken@x>\r\n", "RCPT TO:<c@d>\r\n", "BDAT 0 LAST\r\n", "BDAT 3\r\nabc"],
  ["AUTH PLAIN AGFiY2QxMjM0AHNlY3JldA==\r\n", "AUTH LOGIN\r\n", "YWJjZDEyMzQ=\r\n", "c2VjcmV0\r\n", "*\r\n"],
  ["MAIL FROM:<a@b>\r\n", "STARTTLS\r\n", `${"x".repeat(48)}\r\n`, `NOOP ${"x".repeat(60)}\r\n`],
].flat();
const transactions = [
  "EHLO client.example\r\nMAIL FROM:<a@b.example> SIZE=20\r\nRCPT TO:<c@d.example>\r\nDATA\r\n",
  "MAIL FROM:<>\r\nRCPT TO:<later@d.example>\r\n",
  "RSET\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<c@d.example>\r\nBDAT 5\r\na\r\n.\nBDAT 2 LAST\r\n\r\n",
  "DATA\r\n",
  "..x\r\n.\r\n",
  "Subject: x\r\n\r\nbody\n.\n..\r\n.\r\n",
];
const lastWords = ["QUIT\r\n", "GET / HTTP/1.1\r\n", "BDAT x\r\n", "AUTH PLAIN AHRocm90dGxlZAB4\r\n"];
const utterance = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...transactions) },
  { weight: 4, arbitrary: fc.constantFrom(...lines) },
  { weight: 1, arbitrary: fc.constantFrom(...lastWords) },
  { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 10 }) },
);

const fault = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.constantFrom<FaultOutcome[]>({ reply: { code: 451 } }, { reply: { code: 550 } }, { delayMs: 0 }),
  fc.constantFrom<FaultOutcome[]>({ reply: { code: 421 } }, { loseReply: true }, { tls: "refuse" }),
);

describe("Conversation", () => {
  test("produces the same replies and mails for any division into chunks and any delay", async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(utterance, { maxLength: 14 }),
        sizes,
        fc.option(fc.array(fault, { maxLength: 30 }), { nil: [] }),
        async (utterances, chunkSizes, faults) => {
          const bytes = Buffer.from(utterances.join(""));
          const expected = await outcome([Buffer.from(bytes)], false, faults);
          expect(await outcome(cut(bytes, chunkSizes), false, faults)).toEqual(expected);
          expect(await outcome(cut(bytes, chunkSizes), true, faults)).toEqual(expected);
          expect(await outcome(cut(bytes, [1]), false, faults)).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("accepts any bytes without throwing, leaking memory or writing anything but replies", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 1, max: 60 }), async (bytes, size) => {
        const { replies } = await outcome(cut(Buffer.from(bytes), [size]), false);
        expect(replies).toMatch(/^(?:[2-5]\d\d[ -][ -~]*\r\n)+$/);
      }),
    );
  });

  test("frees the memory of chunks that it has read, that of content after the mail is stored", async () => {
    const { conversation, operations } = setUp();
    const commands = ownMemory(Buffer.from("EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n"));
    const [content, end] = [ownMemory(Buffer.from("Subject: x\r\n\r\nbody\r\n")), ownMemory(Buffer.from(".\r\n"))];
    conversation.take(commands);
    expect(commands.buffer.byteLength).toBe(0);
    conversation.take(content);
    expect(content.buffer.byteLength).toBeGreaterThan(0);
    conversation.take(end);
    await settled(conversation);
    expect([content.buffer.byteLength, end.buffer.byteLength]).toEqual([0, 0]);
    expect(operations.arrivals.map(({ raw }) => Buffer.from(raw).toString())).toEqual(["Subject: x\r\n\r\nbody\r\n"]);
  });

  test("keeps a chunk of commands and content, and the pool of Node", async () => {
    const { conversation } = setUp();
    const mixed = ownMemory(Buffer.from("EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<c@d.example>\r\nBDAT 3 LAST\r\nabc"));
    const pooled = Buffer.from("NOOP\r\n");
    conversation.take(mixed);
    await settled(conversation);
    conversation.take(pooled);
    expect(mixed.toString()).toMatch(/abc$/);
    expect(pooled.toString()).toBe("NOOP\r\n");
  });

  test("answers a pipelined batch with one write", () => {
    const { conversation, peer } = setUp();
    conversation.take(Buffer.from("EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<a@b>\r\nRCPT TO:<c@b>\r\nDATA\r\n"));
    expect(peer.written).toHaveLength(1);
    expect(peer.written[0]?.match(/^\d{3} /gm)).toEqual(["250 ", "250 ", "250 ", "250 ", "354 "]);
  });

  test("pauses the client only while an operation is pending and more bytes arrive", async () => {
    const { conversation, peer } = setUp();
    conversation.take(Buffer.from("EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<later@b>\r\n"));
    expect(peer.isPaused).toBe(false);
    conversation.take(Buffer.from("NOOP\r\n"));
    expect(peer.isPaused).toBe(true);
    await settled(conversation);
    expect(peer.isPaused).toBe(false);
    expect(peer.written.join("")).toMatch(/250 2\.1\.5 [^]*250 2\.0\.0 Ok\r\n$/);
  });

  test("stops reading while the send buffer is full, and continues afterwards", () => {
    const { conversation, peer } = setUp();
    peer.keepsUp = false;
    conversation.take(Buffer.from("NOOP\r\n".repeat(5000)));
    const lengthAtStall = peer.written.join("").length;
    expect(lengthAtStall).toBeLessThan(20_000);
    expect(peer.isPaused).toBe(true);
    conversation.take(Buffer.from("NOOP\r\n"));
    expect(peer.written.join("")).toHaveLength(lengthAtStall);
    peer.keepsUp = true;
    conversation.drained();
    expect(peer.isPaused).toBe(false);
    expect(peer.written.join("").split("\r\n")).toHaveLength(5001 + 1);
  });

  test("closes after errorsInARowMax rejected commands in a row; a successful command resets the count", () => {
    const { conversation, peer, metrics } = setUp();
    conversation.take(Buffer.from(`${"X\r\n".repeat(errorsInARowMax - 1)}NOOP\r\n`));
    conversation.take(Buffer.from("X\r\n".repeat(errorsInARowMax - 1)));
    expect(peer.isEnded).toBe(false);
    conversation.take(Buffer.from("X\r\nNOOP\r\n"));
    expect(peer.isEnded).toBe(true);
    expect(peer.written.at(-1)).toBe("500 5.5.2 Error: command not recognized\r\n421 4.7.0 Error: too many errors\r\n");
    expect(metrics.refusals.at(-1)).toBe("too_many_errors");
  });

  test("accepts a command line of the maximum length and rejects all of a line that is a byte longer", () => {
    const { conversation, peer } = setUp({ commandLineBytesMax: 20 });
    conversation.take(Buffer.from(`NOOP ${"x".repeat(13)}\r\n`));
    conversation.take(Buffer.from(`NOOP ${"x".repeat(14)}\rQUIT\r\nNOOP\r\n`));
    expect(peer.written.join("").split("\r\n")).toEqual([
      "250 2.0.0 Ok",
      "500 5.5.2 Error: line too long",
      "250 2.0.0 Ok",
      "",
    ]);
  });

  test("closes when the client starts a TLS handshake on a port without implicit TLS", () => {
    const { conversation, peer } = setUp();
    conversation.take(Buffer.from([0x16, 0x03, 0x01]));
    expect(peer.isEnded).toBe(true);
    expect(peer.written.join("")).toMatch(/^421 4\.7\.0 /);
  });

  test("frees the content when a session or a connection ends", () => {
    for (const leave of ["timeOut", "endInput", "close"] as const) {
      const { conversation, budget } = setUp();
      conversation.take(Buffer.from("EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<a@b>\r\nDATA\r\nsome content"));
      expect(budget.bytesUsed).toBe(12);
      conversation[leave]();
      expect(budget.bytesUsed).toBe(0);
    }
  });

  test("finishes only after the mail of a disconnected client is stored", async () => {
    const { conversation, peer, budget, operations } = setUp();
    const commit = Promise.withResolvers<void>();
    operations.beforeCommit = () => commit.promise;
    conversation.take(Buffer.from("EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<a@b>\r\nDATA\r\nx\r\n.\r\n"));
    conversation.close();
    expect(peer.finishedCount).toBe(0);
    expect(budget.bytesUsed).toBe(3);
    commit.resolve();
    await settled(conversation);
    expect(peer.finishedCount).toBe(1);
    expect(budget.bytesUsed).toBe(0);
    expect(operations.arrivals).toHaveLength(1);
  });

  test("closes the session after an unexpected error without throwing", () => {
    const { conversation, peer, metrics } = setUp();
    metrics.refused = () => {
      throw new Error("told to fail");
    };
    conversation.take(Buffer.from("X\r\n"));
    expect(peer.faults).toHaveLength(1);
  });

  test.each<FaultOutcome>([{ delayMs: 1000 }, { delayMs: 1000, reply: { code: 451 } }, { delayMs: 1000, drop: true }])(
    "holds no content while %j delays the reply to it",
    async (then) => {
      const { conversation, operations, budget, clock } = setUp();
      operations.faultAt = (occurrence) => (occurrence.stage === "after-data" ? faultDecision(occurrence, then) : null);
      conversation.take(Buffer.from("EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n"));
      conversation.take(Buffer.from("content"));
      expect(budget.bytesUsed).toBe(7);
      conversation.take(Buffer.from("\r\n.\r\n"));
      while (clock.appointmentCount === 0) await nextTurn();
      expect([conversation.isBusy, budget.bytesUsed]).toEqual([true, 0]);
      clock.advance(1000);
      await settled(conversation);
      expect(clock.appointmentCount).toBe(0);
    },
  );
});
