import { setImmediate as nextTurn } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits, type Limits } from "../../core/limits.ts";
import type { FaultOutcome } from "../../core/fault.ts";
import { cut } from "../../testing/chunks.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { faultDecision } from "../../testing/fault-decisions.ts";
import { RecordingLog, RecordingMetrics, RecordingOperations } from "../../testing/smtp-test-server.ts";
import { ByteBudget } from "../../core/byte-budget.ts";
import { FakeSocket } from "./fake-socket.test-aid.ts";
import { errorsInARowMax, runSession } from "./run-session.ts";
import { Session } from "./session.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

function setUp(limits: Partial<Limits> = {}) {
  const operations = new RecordingOperations();
  const budget = new ByteBudget(1e6);
  const log = new RecordingLog();
  const metrics = new RecordingMetrics();
  const clock = new FakeClock();
  const tls = {
    secureContext: () => undefined,
    startTlsFor: () => "refused" as const,
    faultySecureContext: () => createSecureContext(),
    onTlsFailure: () => undefined,
    implicitTls: false,
  };
  const shared = { hostname: "mx.test", ...tls, log, metrics, clock };
  const context = {
    ...shared,
    limits: { ...defaultLimits, ...limits },
    operations,
    budget,
    delayed: new Set<Session>(),
  };
  const socket = new FakeSocket();
  const session = new Session({ socket: socket.asSocket(), address: "192.0.2.1" }, context, () => undefined);
  const run = { finishedCount: 0 };
  const count = async (): Promise<void> => {
    await runSession(session);
    run.finishedCount += 1;
  };
  void count();
  return { operations, budget, log, metrics, clock, socket, session, run };
}

/** Waits until the session has done what it can. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
}

/** Sends bytes, and waits until the session has answered them. */
async function hear(socket: FakeSocket, chunk: Buffer | string): Promise<void> {
  socket.take(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
  await settled();
}

/** Returns a copy in memory of its own, as chunks of sockets have; other buffers are never freed. */
function ownMemory(chunk: Uint8Array): Buffer<ArrayBuffer> {
  const own = Buffer.allocUnsafeSlow(chunk.length);
  own.set(chunk);
  return own;
}

/** Returns the replies and stored mails for a client that sends these chunks, and the memory in use afterwards. */
async function outcome(chunks: readonly Buffer[], waits: boolean, fault: readonly FaultOutcome[] = []) {
  const { socket, run, operations, budget, log } = setUp({ messageBytesMax: 60, commandLineBytesMax: 50 });
  let occurrenceCount = 0;
  operations.faultAt = (occurrence) => {
    const then = fault[occurrenceCount];
    occurrenceCount += 1;
    return then === undefined || Object.keys(then).length === 0 ? null : faultDecision(occurrence, then);
  };
  for (const chunk of chunks) {
    socket.take(ownMemory(chunk));
    if (waits) await settled();
  }
  socket.emit("end");
  while (run.finishedCount === 0) await nextTurn();
  expect(budget.bytesUsed).toBe(0);
  expect(
    log.lines.filter(
      (line) => line.level === "error" && !String(line.fields["err"]).includes("fails for this address"),
    ),
  ).toEqual([]);
  const mails = operations.arrivals.map(({ beganAt: _beganAt, ...arrival }) => ({
    ...arrival,
    raw: Buffer.from(arrival.raw).toString("latin1"),
  }));
  return { replies: socket.written.join(""), mails, hasEnded: socket.isEnded };
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

describe("an SMTP session", () => {
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
    const { socket, operations } = setUp();
    const commands = ownMemory(Buffer.from("EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n"));
    const [content, end] = [ownMemory(Buffer.from("Subject: x\r\n\r\nbody\r\n")), ownMemory(Buffer.from(".\r\n"))];
    await hear(socket, commands);
    expect(commands.buffer.byteLength).toBe(0);
    await hear(socket, content);
    expect(content.buffer.byteLength).toBeGreaterThan(0);
    await hear(socket, end);
    expect([content.buffer.byteLength, end.buffer.byteLength]).toEqual([0, 0]);
    expect(operations.arrivals.map(({ raw }) => Buffer.from(raw).toString())).toEqual(["Subject: x\r\n\r\nbody\r\n"]);
  });

  test("keeps a chunk of commands and content, and the pool of Node", async () => {
    const { socket } = setUp();
    const mixed = ownMemory(Buffer.from("EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<c@d.example>\r\nBDAT 3 LAST\r\nabc"));
    const pooled = Buffer.from("NOOP\r\n");
    await hear(socket, mixed);
    await hear(socket, pooled);
    expect(mixed.toString()).toMatch(/abc$/);
    expect(pooled.toString()).toBe("NOOP\r\n");
  });

  test("answers a pipelined batch with one write", async () => {
    const { socket } = setUp();
    await settled();
    await hear(socket, "EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<a@b>\r\nRCPT TO:<c@b>\r\nDATA\r\n");
    expect(socket.written).toHaveLength(2);
    expect(socket.written[1]?.match(/^\d{3} /gm)).toEqual(["250 ", "250 ", "250 ", "250 ", "354 "]);
  });

  test("pauses the client only while an operation is pending and more bytes arrive", async () => {
    const { socket, operations } = setUp();
    const commit = Promise.withResolvers<void>();
    operations.beforeCommit = () => commit.promise;
    await settled();
    await hear(socket, "EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<a@b>\r\nDATA\r\nx\r\n.\r\n");
    expect(socket.isPaused).toBe(false);
    await hear(socket, "NOOP\r\n");
    expect(socket.isPaused).toBe(true);
    commit.resolve();
    await settled();
    expect(socket.isPaused).toBe(false);
    expect(socket.written.join("")).toMatch(/queued as [^]*250 2\.0\.0 Ok\r\n$/);
  });

  test("stops reading while the send buffer is full, and continues afterwards", async () => {
    const { socket } = setUp();
    await settled();
    socket.keepsUp = false;
    await hear(socket, "NOOP\r\n".repeat(5000));
    const lengthAtStall = socket.written.join("").length;
    expect(lengthAtStall).toBeLessThan(20_000);
    await hear(socket, "NOOP\r\n");
    expect(socket.isPaused).toBe(true);
    expect(socket.written.join("")).toHaveLength(lengthAtStall);
    socket.keepsUp = true;
    socket.emit("drain");
    while (socket.isPaused) await nextTurn();
    await settled();
    expect(socket.written.join("").split("\r\n")).toHaveLength(1 + 5001 + 1);
  });

  test("lets others have their turn while a client floods it with commands", async () => {
    const { socket } = setUp();
    await settled();
    socket.take(Buffer.from("NOOP\r\n".repeat(100_000)));
    await nextTurn();
    expect(socket.written.join("").length).toBeLessThan(100_000 * "250 2.0.0 Ok\r\n".length);
    while (socket.written.join("").length < (100_000 + 1) * "250 2.0.0 Ok\r\n".length) await nextTurn();
    socket.destroy();
  });

  test("closes after errorsInARowMax rejected commands in a row; a successful command resets the count", async () => {
    const { socket, metrics } = setUp();
    await hear(socket, `${"X\r\n".repeat(errorsInARowMax - 1)}NOOP\r\n`);
    await hear(socket, "X\r\n".repeat(errorsInARowMax - 1));
    expect(socket.isEnded).toBe(false);
    await hear(socket, "X\r\nNOOP\r\n");
    expect(socket.isEnded).toBe(true);
    expect(socket.written.at(-1)).toBe(
      "500 5.5.2 Error: command not recognized\r\n421 4.7.0 Error: too many errors\r\n",
    );
    expect(metrics.refusals.at(-1)).toBe("too_many_errors");
  });

  test("accepts a command line of the maximum length and rejects all of a line that is a byte longer", async () => {
    const { socket } = setUp({ commandLineBytesMax: 20 });
    await hear(socket, `NOOP ${"x".repeat(13)}\r\n`);
    await hear(socket, `NOOP ${"x".repeat(14)}\rQUIT\r\nNOOP\r\n`);
    expect(socket.written.join("").split("\r\n")).toEqual([
      "220 mx.test ESMTP",
      "250 2.0.0 Ok",
      "500 5.5.2 Error: line too long",
      "250 2.0.0 Ok",
      "",
    ]);
  });

  test("closes when the client starts a TLS handshake on a port without implicit TLS", async () => {
    const { socket } = setUp();
    await hear(socket, Buffer.from([0x16, 0x03, 0x01]));
    expect(socket.isEnded).toBe(true);
    expect(socket.written.join("")).toMatch(/^421 4\.7\.0 /m);
  });

  test("frees the content when a session or a connection ends", async () => {
    for (const leave of ["end", "close"] as const) {
      const { socket, budget } = setUp();
      await hear(socket, "EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<a@b>\r\nDATA\r\nsome content");
      expect(budget.bytesUsed).toBe(12);
      socket.emit(leave);
      await settled();
      expect(budget.bytesUsed).toBe(0);
    }
  });

  test("frees the content of an idle client", async () => {
    const { socket, session, budget, clock } = setUp();
    await hear(socket, "EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<a@b>\r\nDATA\r\nsome content");
    clock.advance(defaultLimits.smtpIdleMsMax);
    session.connection.sweep(clock.monotonicMs());
    await settled();
    expect(budget.bytesUsed).toBe(0);
    expect(socket.written.at(-1)).toBe("421 4.4.2 Error: timeout exceeded\r\n");
  });

  test("finishes only after the mail of a disconnected client is stored", async () => {
    const { socket, run, budget, operations } = setUp();
    const commit = Promise.withResolvers<void>();
    operations.beforeCommit = () => commit.promise;
    await hear(socket, "EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<a@b>\r\nDATA\r\nx\r\n.\r\n");
    socket.destroy();
    await settled();
    expect(run.finishedCount).toBe(0);
    expect(budget.bytesUsed).toBe(3);
    commit.resolve();
    await settled();
    expect(run.finishedCount).toBe(1);
    expect(budget.bytesUsed).toBe(0);
    expect(operations.arrivals).toHaveLength(1);
  });

  test.each<FaultOutcome>([{ delayMs: 1000 }, { delayMs: 1000, reply: { code: 451 } }, { delayMs: 1000, drop: true }])(
    "holds no content while %j delays the reply to it",
    async (then) => {
      const { socket, operations, budget, clock } = setUp();
      operations.faultAt = (occurrence) => (occurrence.stage === "after-data" ? faultDecision(occurrence, then) : null);
      await hear(socket, "EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<c@d.example>\r\nDATA\r\n");
      await hear(socket, "content");
      expect(budget.bytesUsed).toBe(7);
      const replyCount = socket.written.length;
      await hear(socket, "\r\n.\r\n");
      while (clock.appointmentCount === 0) await nextTurn();
      expect([socket.written.length, budget.bytesUsed]).toEqual([replyCount, 0]);
      clock.advance(1000);
      await settled();
      expect(clock.appointmentCount).toBe(0);
    },
  );
});
