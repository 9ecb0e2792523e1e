import { createSecureContext } from "node:tls";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ByteBudget } from "../../core/byte-budget.ts";
import { defaultLimits } from "../../core/limits.ts";
import { decodeTranscript } from "../../core/transcript.ts";
import { cut } from "../../testing/chunks.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLog, RecordingMetrics, RecordingOperations, SmtpTestServer } from "../../testing/smtp-test-server.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";

import { FakeSocket } from "./fake-socket.test-aid.ts";
import { runSession } from "./run-session.ts";
import { Session } from "./session.ts";

const certificate = throwAwayCertificate();
let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open({ secureContext: certificate.secureContext });
});
afterAll(() => smtp.server.close());

const mail = ["MAIL FROM:<a@b.example>", "250"] as const;
const recipient = ["RCPT TO:<x@abcd1234.restante.test>", "250"] as const;
const data = ["DATA", "354"] as const;
const content = ["Subject: private\r\n\r\nprivate\r\n.", "250"] as const;

/** Returns the lines of the last transcript: `C:`, `S:` or `*`, with `C+` for pipelined commands. */
function lastLines(server?: string): readonly string[] {
  const transcripts = smtp.operations.transcripts.at(-1) ?? {};
  const encoded = transcripts[server ?? Object.keys(transcripts)[0] ?? ""] ?? "";
  return decodeTranscript(encoded).entries.map(({ from, text, isPipelined }) => {
    const speaker = from === "client" ? (isPipelined ? "C+" : "C:") : from === "server" ? "S:" : "*";
    return `${speaker} ${text}`;
  });
}

const ofTransaction = [
  "C: MAIL FROM:<a@b.example>",
  "S: 250 2.1.0 Ok",
  "C: RCPT TO:<x@abcd1234.restante.test>",
  "S: 250 2.1.5 Ok",
  "C: DATA",
  "S: 354 End data with <CR><LF>.<CR><LF>",
  "C: [32 bytes of message data]",
  "S: 250 2.0.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000",
];

describe("the transcript of a session", () => {
  test("contains greeting, commands, replies and the size of the message data", async () => {
    await using client = await smtp.greeted();
    await client.play(mail, recipient, data, content);
    const lines = lastLines();
    expect(lines[0]).toBe("S: 220 mx.restante.test ESMTP");
    expect(lines[1]).toBe("C: EHLO client.example");
    expect(lines.slice(2, -8).every((line) => line.startsWith("S: 250"))).toBe(true);
    expect(lines.slice(-8)).toEqual(ofTransaction);
  });

  test("starts with the opening of the session and leaves out its earlier mails", async () => {
    await using client = await smtp.greeted();
    await client.play(mail, recipient, data, content, mail, recipient, data, content);
    await client.play(mail, recipient, ["RSET", "250"], mail, recipient, data, content);
    const lines = lastLines();
    expect(lines[1]).toBe("C: EHLO client.example");
    const start = lines.indexOf("* [3 earlier transactions of the session left out]");
    expect(lines.slice(start + 1)).toEqual(["C: RSET", "S: 250 2.0.0 Ok", ...ofTransaction]);
  });

  test("gives the note on earlier mails the time at which the last of them ended", async () => {
    await using client = await smtp.greeted();
    await client.play(mail, recipient);
    smtp.clock.advance(100);
    await client.play(data, content, mail, recipient);
    smtp.clock.advance(1000);
    await client.play(data, content);
    const encoded = Object.values(smtp.operations.transcripts.at(-1) ?? {})[0] ?? "";
    const { entries } = decodeTranscript(encoded);
    expect(entries.find(({ from }) => from === "service")?.at).toBe(100);
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted((one, other) => one - other));
  });

  test("contains the TLS handshake and both greetings", async () => {
    await using client = await smtp.greeted();
    await client.play(["STARTTLS", "220"]);
    await client.secure({ rejectUnauthorized: false });
    await client.play(["EHLO again.example", "250"], mail, recipient, data, content);
    const lines = lastLines();
    const at = lines.indexOf("S: 220 2.0.0 Ready to start TLS");
    expect(lines.slice(at - 1, at + 3)).toEqual([
      "C: STARTTLS",
      "S: 220 2.0.0 Ready to start TLS",
      expect.stringMatching(/^\* \[TLS handshake completed: TLSv1\.3 TLS_/) as string,
      "C: EHLO again.example",
    ]);
  });

  test("marks pipelined commands, and shows chunks of BDAT by their size", async () => {
    await using client = await smtp.greeted();
    await client.write(`${mail[0]}\r\n${recipient[0]}\r\nBDAT 3\r\nabcBDAT 0 LAST\r\n`);
    for (const expected of ["250 2.1.0", "250 2.1.5", "250 2.0.0", "250 2.0.0"]) await client.expect(expected);
    expect(lastLines().slice(-9)).toEqual(
      [
        "C: MAIL FROM:<a@b.example>",
        "S: 250 2.1.0 Ok",
        "C+ RCPT TO:<x@abcd1234.restante.test>",
        "S: 250 2.1.5 Ok",
        "C+ BDAT 3",
        "C: [3 bytes of message data]",
        "S: 250 2.0.0 Ok: chunk received",
        "C+ BDAT 0 LAST",
        "C: [0 bytes of message data]",
        "S: 250 2.0.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000",
      ].slice(1),
    );
  });

  test("has times relative to the start of the session", async () => {
    const start = smtp.clock.now();
    await using client = await smtp.greeted();
    smtp.clock.advance(250);
    await client.play(mail, recipient, data);
    smtp.clock.advance(1000);
    await client.play(content);
    const { startedAt, entries } = decodeTranscript(Object.values(smtp.operations.transcripts.at(-1) ?? {})[0] ?? "");
    expect(startedAt).toBe(start);
    const at = (text: string) => entries.find((entry) => entry.text === text)?.at;
    expect(
      ["EHLO client.example", "DATA", "250 2.0.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000"].map(at),
    ).toEqual([0, 250, 1250]);
  });

  test("shows recipients to their own server only, and rejected ones that no server has", async () => {
    await using client = await smtp.greeted();
    await client.play(
      mail,
      recipient,
      ["RCPT TO:<other@wxyz9876.restante.test>", "250"],
      ["RCPT TO:<nobody@x>", "550"],
    );
    await client.play(data, content);
    const first = lastLines("abcd1234");
    const second = lastLines("wxyz9876");
    expect(first.filter((line) => line.includes("RCPT"))).toEqual([`C: ${recipient[0]}`, "C: RCPT TO:<nobody@x>"]);
    expect(second.filter((line) => line.includes("RCPT"))).toEqual([
      "C: RCPT TO:<other@wxyz9876.restante.test>",
      "C: RCPT TO:<nobody@x>",
    ]);
    expect(first.filter((line) => line === "S: 250 2.1.5 Ok")).toHaveLength(1);
  });

  test("is bounded: the first lines, the number of those left out, and the last ones", async () => {
    await using client = await smtp.greeted();
    await client.play(mail);
    for (let n = 0; n < 900; n += 1) await client.play([`RCPT TO:<r${n}@abcd1234.restante.test>`, "250"]);
    await client.play(data, content);
    const lines = lastLines();
    expect(lines.length).toBeLessThan(1000);
    expect(lines).toContain("C: RCPT TO:<r0@abcd1234.restante.test>");
    expect(lines).toContain("C: RCPT TO:<r899@abcd1234.restante.test>");
    expect(lines.filter((line) => /^\* \[\d+ lines left out\]$/.test(line))).toHaveLength(1);
    expect(lines.slice(-4)).toEqual(ofTransaction.slice(-4));
  });

  test("is bounded for a session of commands without a mail, and for long lines", async () => {
    await using client = await smtp.greeted();
    for (let n = 0; n < 500; n += 1) await client.play([`NOOP ${"x".repeat(2000)}`, "250"]);
    await client.play(mail, recipient, data, content);
    const [encoded = ""] = Object.values(smtp.operations.transcripts.at(-1) ?? {});
    expect(encoded.length).toBeLessThan(24 * 1024);
    expect(lastLines().slice(-8)).toEqual(ofTransaction);
  });
});

const secretText = fc.stringMatching(/^[a-zA-Z0-9!#$%&*+/=?^_{|}~. -]{12,60}$/);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** AUTH exchanges as clients send them: complete, rejected, aborted, pipelined, malformed. */
const exchanges = fc.tuple(secretText, fc.nat(9)).map(([secret, form]): readonly [string, readonly string[]] => {
  const password = base64(secret);
  const plain = base64(`\0abcd1234\0${secret}`);
  const bearer = base64(`user=abcd1234\u0001auth=Bearer ${secret}\u0001\u0001`);
  const forms: readonly (readonly string[])[] = [
    [`AUTH PLAIN ${plain}`],
    ["AUTH PLAIN", plain],
    ["AUTH LOGIN", base64("abcd1234"), password],
    [`AUTH LOGIN ${base64("abcd1234")}`, password],
    ["AUTH CRAM-MD5", base64(`abcd1234 ${secret}`)],
    [`AUTH XOAUTH2 ${bearer}`, ""],
    ["AUTH OAUTHBEARER", bearer, "AQ=="],
    [`AUTH PLAIN ${plain} ${password}`, `auth ${password}`, `AUTH NTLM ${password}`, password, secret],
    ["AUTH DIGEST-MD5", password, secret, `PASS ${secret}`, `LOGIN abcd1234 ${secret}`],
    [`AUTH\t${plain}`, `AUTH PLAIN\t${plain}`, `\t${password}`, `AUTHX ${secret}`],
  ];
  return [secret, forms[form] ?? []];
});

/** Runs a session in memory and returns its transcripts. */
async function transcriptsOf(chunks: readonly Buffer[]): Promise<string> {
  const operations = new RecordingOperations();
  const tls = {
    secureContext: () => undefined,
    startTlsFor: () => "refused" as const,
    faultySecureContext: () => createSecureContext(),
    onTlsFailure: () => undefined,
    implicitTls: false,
  };
  const parts = { log: new RecordingLog(), metrics: new RecordingMetrics(), clock: new FakeClock() };
  const limits = { ...defaultLimits, commandLineBytesMax: 200 };
  const budget = new ByteBudget(1e6);
  const context = { hostname: "mx.test", ...tls, ...parts, limits, operations, budget, delayed: new Set<Session>() };
  const socket = new FakeSocket();
  const session = new Session({ socket: socket.asSocket(), address: "192.0.2.1" }, context, () => undefined);
  const run = runSession(session);
  for (const chunk of chunks) {
    socket.take(chunk);
    await nextTurn();
  }
  socket.emit("end");
  await run;
  return JSON.stringify(operations.transcripts);
}

test("never contains a secret of AUTH, however the client sends it", async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 });
  const property = async (
    given: readonly (readonly [string, readonly string[]])[],
    chunkSizes: number[],
  ): Promise<void> => {
    const commands = given.flatMap(([, lines]) => [...lines, "*", "NOOP"]);
    const script = ["EHLO client.example", ...commands, mail[0], recipient[0], "DATA", "x", ".", ""].join("\r\n");
    const transcripts = await transcriptsOf(cut(Buffer.from(script), chunkSizes));
    expect(transcripts).toContain("250 2.0.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000");
    for (const [secret] of given) {
      for (const form of [secret, base64(secret), base64(`\0abcd1234\0${secret}`)]) {
        expect(transcripts).not.toContain(form);
      }
    }
  };
  const several = fc.array(exchanges, { minLength: 1, maxLength: 3 });
  await fc.assert(fc.asyncProperty(several, sizes, property), { numRuns: 300 });
});
