import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteBudget } from "../../core/byte-budget.ts";
import { cut } from "../../testing/chunks.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";
import { expectLinearCpu } from "../../testing/cpu-growth.test-aid.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { DotReader, OctetReader, Throttle, ThrottledReader } from "./content-readers.ts";
import { MailBuffer } from "./mail-buffer.ts";

interface Read {
  /** Null before the end of the content. */
  readonly mail: string | null;
  /** Bytes after the end. */
  readonly rest: string;
}

function readAll(chunks: readonly Buffer[]): Read {
  const kept: Buffer[] = [];
  const reader = new DotReader({
    isExcessive: false,
    add: (source, start, end) => kept.push(Buffer.from(source.subarray(start, end))),
  });
  let rest = "";
  for (const chunk of chunks) {
    const next = reader.isComplete ? 0 : reader.read(chunk, 0);
    rest += chunk.toString("latin1", next);
  }
  return { mail: reader.isComplete ? Buffer.concat(kept).toString("latin1") : null, rest };
}

/** Reference implementation over the complete stream: RFC 5321 §4.5.2, and one of two dots after a bare LF. */
function readAtOnce(stream: string): Read {
  const end = `\r\n${stream}`.indexOf("\r\n.\r\n");
  if (end === -1) return { mail: null, rest: "" };
  const content = stream.slice(0, end);
  const mail = `\r\n${content}`.replaceAll(/\r\n\.|(?<!\r)\n\.(?=\.)/g, (dotted) => dotted.slice(0, -1));
  return { mail: mail.slice(2), rest: stream.slice(end + 3) };
}

const terminated = (mail: string): string => (mail === "" || mail.endsWith("\r\n") ? mail : `${mail}\r\n`);

const pieces = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("\r", "\n", ".", "\r\n", "\r\n.", "\r\n.\r", "\r\n..") },
    fc.string({ maxLength: 5 }),
    fc.string({ unit: codePoint, maxLength: 3 }).map((text) => Buffer.from(text).toString("latin1")),
  ),
  { maxLength: 30 },
);

describe("DotReader", () => {
  test("reads the content of RFC 5321 §4.5.2 for any division into chunks", () => {
    fc.assert(
      fc.property(pieces, fc.array(fc.nat({ max: 8 })), (texts, sizes) => {
        const stream = Buffer.from(texts.join(""), "latin1");
        const expected = readAtOnce(stream.toString("latin1"));
        expect(readAll([stream])).toEqual(expected);
        expect(readAll(cut(stream, sizes))).toEqual(expected);
        expect(readAll(cut(stream, [1]))).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  const stuffings: readonly [string, (lines: string) => string][] = [
    // Without two dots after a bare LF, which this rule leaves alone.
    ["CRLF", (lines) => lines.replaceAll("\r\n.", "\r\n..")],
    ["CRLF or LF", (lines) => lines.replaceAll("\n.", "\n..")],
  ];
  test.each(stuffings)("reverses dot-stuffing after each %s", (name, stuff) => {
    fc.assert(
      fc.property(pieces, fc.array(fc.integer({ min: 1, max: 9 })), (texts, sizes) => {
        const mail = terminated(texts.join(""));
        fc.pre(name !== "CRLF" || !/(?<!\r)\n\.\./.test(mail));
        const stream = `${stuff(`\r\n${mail}`).slice(2)}.\r\n`;
        expect(readAll(cut(Buffer.from(stream, "latin1"), sizes))).toEqual({ mail, rest: "" });
      }),
    );
  });

  test("keeps a single dot after a bare LF", () => {
    const stream = Buffer.from("a\n.b\n.\nc\n.\r\n.\r\n");
    for (const sizes of [[stream.length], [1], [2], [3]]) {
      expect(readAll(cut(stream, sizes))).toEqual({ mail: "a\n.b\n.\nc\n.\r\n", rest: "" });
    }
  });

  test.each([
    ["\n.\n", "x\n.\nMAIL FROM:<evil@b.example>\n"],
    ["\n.\r\n", "x\n.\r\nMAIL FROM:<evil@b.example>\r\n"],
    ["\r.\r", "x\r.\rMAIL FROM:<evil@b.example>\r"],
    ["\r.\r\n", "x\r.\r\nMAIL FROM:<evil@b.example>\r\n"],
    ["\r\n.\n", "x\r\n.\nMAIL FROM:<evil@b.example>\r\n"],
    ["\r\n.\r", "x\r\n.\rMAIL FROM:<evil@b.example>\r\n"],
    ["\n\r.\r\n", "x\n\r.\r\nMAIL FROM:<evil@b.example>\r\n"],
    ["\r\r\n.\r\r\n", "x\r\r\n.\r\r\nMAIL FROM:<evil@b.example>\r\n"],
    ["\r\n.\r\0\n", "x\r\n.\r\0\nMAIL FROM:<evil@b.example>\r\n"],
    ["\r\n\0.\r\n", "x\r\n\0.\r\nMAIL FROM:<evil@b.example>\r\n"],
    ["\r\n .\r\n", "x\r\n .\r\nMAIL FROM:<evil@b.example>\r\n"],
    ["\r\n. \r\n", "x\r\n. \r\nMAIL FROM:<evil@b.example>\r\n"],
    ["\x8d\x8a.\x8d\x8a", "x\x8d\x8a.\x8d\x8aMAIL FROM:<evil@b.example>\r\n"],
  ])("does not end at %j, and keeps everything after it in the mail", (_, smuggled) => {
    for (const sizes of [[smuggled.length + 5], [1], [2], [3]]) {
      const { mail, rest } = readAll(cut(Buffer.from(`${smuggled}\r\n.\r\nQUIT\r\n`, "latin1"), sizes));
      expect(mail).toContain("MAIL FROM:<evil@b.example>");
      expect(rest).toBe("QUIT\r\n");
    }
  });

  test("accepts empty content", () => {
    expect(readAll([Buffer.from(".\r\nNOOP")])).toEqual({ mail: "", rest: "NOOP" });
    expect(readAll([Buffer.from("\r\n.\r\n")])).toEqual({ mail: "\r\n", rest: "" });
  });

  test.each(["\r\n.a", "\n.a", "\n..a"])("takes time linear in the bytes when every line is %j", (line) => {
    const chunk = Buffer.from(line.repeat(16 * 1024));
    expectLinearCpu((count) => {
      const reader = new DotReader({ isExcessive: false, add: () => undefined });
      for (let read = 0; read < count; read += 1) expect(reader.read(chunk, 0)).toBe(chunk.length);
    }, 10);
  });

  test("stops reading once the sink is excessive", () => {
    let seen = 0;
    const reader = new DotReader({
      get isExcessive() {
        return seen > 5;
      },
      add: (_source, start, end) => {
        seen += end - start;
      },
    });
    expect(reader.isComplete).toBe(false);
    reader.read(Buffer.from("123456"), 0);
    expect(reader.isComplete).toBe(true);
  });
});

describe("OctetReader", () => {
  test("reads exactly the declared number of octets of any value", () => {
    let kept = "";
    const reader = new OctetReader(7, {
      isExcessive: false,
      add: (source, start, end) => {
        kept += source.toString("latin1", start, end);
      },
    });
    expect(reader.read(Buffer.from("XXa\r\n"), 2)).toBe(5);
    expect(reader.isComplete).toBe(false);
    expect(reader.read(Buffer.from(".\r\n\0NOOP\r\n"), 0)).toBe(4);
    expect(reader.isComplete).toBe(true);
    expect(kept).toBe("a\r\n.\r\n\0");
  });

  test("is complete at once for zero octets", () => {
    expect(new OctetReader(0, null).isComplete).toBe(true);
  });

  test("reads and drops a chunk without a sink", () => {
    const reader = new OctetReader(4, null);
    expect(reader.read(Buffer.from("QUITNOOP"), 0)).toBe(4);
    expect(reader.isComplete).toBe(true);
  });
});

/** Reads one chunk to its end and returns the bytes, the time that it took, and the number of pauses. */
function readSlowly(bytes: Buffer, bytesPerSecond: number) {
  const clock = new FakeClock();
  const content = new MailBuffer(1e6, new ByteBudget(1e6));
  const reader = new ThrottledReader(new OctetReader(bytes.length, content), new Throttle(bytesPerSecond, clock));
  let offset = 0;
  let pauseCount = 0;
  while (!reader.isComplete) {
    offset = reader.read(bytes, offset);
    if (reader.isComplete) break;
    pauseCount += 1;
    clock.advance(reader.pauseMs);
  }
  return { read: content.toBytes(), elapsedMs: clock.monotonicMs(), pauseCount };
}

describe("ThrottledReader", () => {
  test("reads every byte in order, not faster than the rate, with at most four pauses a second", () => {
    const rate = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 1_000_000 }));
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 3000 }), rate, (content, bytesPerSecond) => {
        const bytes = Buffer.from(content);
        const { read, elapsedMs, pauseCount } = readSlowly(bytes, bytesPerSecond);
        expect(read).toEqual(bytes);
        const exactMs = (bytes.length * 1000) / bytesPerSecond;
        expect(elapsedMs).toBeGreaterThanOrEqual(Math.floor(exactMs));
        expect(elapsedMs).toBeLessThanOrEqual(exactMs + Math.max(1000 / bytesPerSecond, 250) + pauseCount + 1);
        expect(pauseCount).toBeLessThanOrEqual(elapsedMs / 250 + 1);
      }),
      { numRuns: 300 },
    );
  });

  test("reads the rest at once when the limit is lifted", () => {
    const throttle = new Throttle(1, new FakeClock());
    const reader = new ThrottledReader(new OctetReader(100, null), throttle);
    expect(reader.read(Buffer.alloc(100), 0)).toBe(0);
    throttle.lift();
    expect(reader.read(Buffer.alloc(100), 0)).toBe(100);
    expect(reader.isComplete).toBe(true);
  });
});
