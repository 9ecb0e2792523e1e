import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkWithSpamd, readSpamdResponse } from "./spamd.ts";

/** Starts a fake spamd that responds with `answer`, or not at all (null), and records the request. */
async function openSpamd(answer: string | null): Promise<AsyncDisposable & { port: number; asked: () => string }> {
  const chunks: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("end", () => {
      if (answer !== null) socket.end(answer);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    asked: () => Buffer.concat(chunks).toString("latin1"),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

const report = `Spam detection software, running on the system "host", has
identified this incoming email as possible spam.

Content preview:  ---- ---------------------- ----------
 9.9 FAKE_RULE  from the mail itself

Content analysis details:   (6.1 points, 5.0 required)

 pts rule name              description
---- ---------------------- --------------------------------------------------
 0.0 NO_RECEIVED            Informational: message has no Received headers
-0.0 NO_RELAYS              Informational: message was not relayed via SMTP
 1.2 MISSING_HEADERS        Missing To: header
 1000 GTUBE                 BODY: Generic Test for Unsolicited Bulk
                            Email
 0.1 URIBL_BLOCKED

The original message was not completely plain text.
 5.5 NOT_A_RULE             below the table
`;
const answerWith = (head: string, body = report): string => `${head}\r\nContent-length: ${body.length}\r\n\r\n${body}`;
const ask = async (answer: string | null, timeoutMs = 5000) => {
  await using spamd = await openSpamd(answer);
  const verdict = await checkWithSpamd(
    { host: "127.0.0.1", port: spamd.port, timeoutMs },
    Buffer.from("Subject: x\r\n\r\nhi\r\n"),
  );
  return { verdict, asked: spamd.asked() };
};

describe("checkWithSpamd", () => {
  test("sends the mail unchanged and returns the rules by score", async () => {
    const { verdict, asked } = await ask(answerWith("SPAMD/1.1 0 EX_OK\r\nSpam: True ; 6.1 / 5.0"));
    expect(asked).toBe("REPORT SPAMC/1.5\r\nContent-length: 18\r\n\r\nSubject: x\r\n\r\nhi\r\n");
    expect([verdict.score, verdict.threshold]).toEqual([6.1, 5]);
    expect(verdict.rules).toEqual([
      { rule: "GTUBE", score: 1000, description: "BODY: Generic Test for Unsolicited Bulk Email" },
      { rule: "MISSING_HEADERS", score: 1.2, description: "Missing To: header" },
      { rule: "URIBL_BLOCKED", score: 0.1, description: "URIBL_BLOCKED" },
      { rule: "NO_RECEIVED", score: 0, description: "Informational: message has no Received headers" },
      { rule: "NO_RELAYS", score: -0, description: "Informational: message was not relayed via SMTP" },
    ]);
  });

  test("returns a verdict without rules", async () => {
    const { verdict } = await ask(answerWith("SPAMD/1.1 0 EX_OK\r\nSpam: False ; -2.5 / 5.0", "nothing\r\n"));
    expect(verdict).toEqual({ score: -2.5, threshold: 5, rules: [] });
  });

  test.each([
    ["an error status", "SPAMD/1.5 76 EX_PROTOCOL\r\n\r\n", "spamd rejected the mail: EX_PROTOCOL"],
    ["another protocol", "HTTP/1.1 200 OK\r\n\r\n", "spamd rejected the mail"],
    ["nothing", "", "spamd rejected the mail"],
    ["no score", "SPAMD/1.1 0 EX_OK\r\n\r\n", "spamd returned no score"],
    ["an endless response", "x".repeat(1_100_000), "response over the size limit"],
  ])("rejects for %s", async (_, answer, message) => {
    await expect(ask(answer)).rejects.toThrow(message);
  });

  test("rejects after a time-out", async () => {
    await expect(ask(null, 50)).rejects.toThrow("did not respond in time");
  });

  test("rejects when its caller is gone", async () => {
    await using spamd = await openSpamd(null);
    const caller = new AbortController();
    const { port } = spamd;
    const checking = checkWithSpamd(
      { host: "127.0.0.1", port, timeoutMs: 120_000, signal: caller.signal },
      Buffer.from("x"),
    );
    await expect.poll(() => spamd.asked()).toMatch(/x$/);
    caller.abort();
    await expect(checking).rejects.toThrow("is no longer needed");
  });

  test("rejects with host and port when nothing listens", async () => {
    const spamd = await openSpamd(null);
    await spamd[Symbol.asyncDispose]();
    const asking = checkWithSpamd({ host: "127.0.0.1", port: spamd.port, timeoutMs: 120_000 }, Buffer.from("x"));
    await expect(asking).rejects.toThrow(`spamd at 127.0.0.1:${spamd.port} cannot be reached`);
  });
});

const head = "SPAMD/1.1 0 EX_OK\r\nSpam: True ; 6.1 / 5.0\r\n\r\n";
const ruler = `---- ${"-".repeat(22)} ${"-".repeat(50)}\n`;

test("parses the whole table and nothing before it", () => {
  const report = ` 9.9 BEFORE  x\n${ruler} 1.5 ONE_RULE   says so\n${" ".repeat(28)}and goes on\n-2.0 TWO\n\n 8.8 AFTER x\n`;
  expect(readSpamdResponse(head + report).rules).toEqual([
    { rule: "ONE_RULE", score: 1.5, description: "says so and goes on" },
    { rule: "TWO", score: -2, description: "TWO" },
  ]);
});

test("parses or throws for any text in linear time", () => {
  const lines = fc.constantFrom(
    ruler,
    " 1.0 RULE text\n",
    `${" ".repeat(28)}more\n`,
    "\n",
    "Spam: no ; 1 / 2\r\n",
    "\r\n",
    "x",
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(lines, { maxLength: 30 }).map((parts) => head + parts.join("")),
  );
  fc.assert(
    fc.property(texts, (text) => {
      try {
        const { score, threshold, rules } = readSpamdResponse(text);
        expect([score, threshold, ...rules.map((rule) => rule.score)].every(Number.isFinite)).toBe(true);
        expect(rules.every(({ description }) => description !== "")).toBe(true);
      } catch (error) {
        expect((error as Error).message).toContain("spamd");
      }
    }),
  );
  const cpuBefore = process.threadCpuUsage();
  for (const piece of [" ", "-", `${ruler} 1.0 A b\n`, "Spam: "]) {
    try {
      readSpamdResponse(head + piece.repeat(200_000 / piece.length));
    } catch (error) {
      expect((error as Error).message).toContain("spamd");
    }
  }
  expect(process.threadCpuUsage(cpuBefore).user / 1000).toBeLessThan(6000);
});
