import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "../../../core/errors.ts";
import { SmtpTestServer, testServer } from "../../../testing/smtp-test-server.ts";

const messageBytesMax = 2000;
let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open({ limits: { messageBytesMax } });
});
beforeEach(() => {
  smtp.operations.arrivals.length = 0;
  smtp.operations.beforeCommit = () => undefined;
});
afterAll(() => smtp.server.close());

describe("DATA", () => {
  test("rejects a client that ends its lines with LF, says why, and reads nothing more of it as commands", async () => {
    await using client = await smtp.addressed();
    await client.write("DATA\nSubject: x\n\nMAIL FROM:<a@b.example>\n.\nQUIT\n");
    const reply = await client.rest();
    expect(reply).toMatch(/^500 5\.5\.2 Error: lines must end with CRLF, [^\n]*\r\n$/);
    expect(smtp.mails).toEqual([]);
  });

  test("stores the envelope, the session and the bytes between DATA and the final dot, including the last CRLF", async () => {
    await using client = await smtp.addressed();
    await client.play(
      ["DATA", "354 "],
      ["Subject: x\r\n\r\nä\nb\0\r\n.\r\n", "250 2.0.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000"],
    );
    expect(smtp.operations.arrivals).toEqual([
      {
        beganAt: expect.any(Number) as unknown,
        mailFrom: "sender@client.example",
        recipients: [{ address: "someone@abcd1234.restante.test", server: testServer }],
        raw: Buffer.from("Subject: x\r\n\r\nä\nb\0\r\n"),
        session: {
          ehlo: "client.example",
          clientAddress: "127.0.0.1",
          protocol: "ESMTP",
          tls: null,
          authenticatedAs: null,
        },
      },
    ]);
  });

  test("accepts an empty mail", async () => {
    await using client = await smtp.addressed();
    await client.play(["DATA", "354"], [".\r\n", "250"]);
    expect(smtp.mails).toEqual([""]);
  });

  test("accepts a line of 300,000 bytes", async () => {
    await using roomy = await SmtpTestServer.open();
    await using client = await roomy.addressed();
    const line = `${"x".repeat(300_000)}\r\n`;
    await client.play(["DATA", "354"], [`${line}.\r\n`, "250"]);
    expect(roomy.mails[0] === line).toBe(true);
  });

  test("requires MAIL and an accepted recipient, and rejects an argument", async () => {
    await using client = await smtp.greeted();
    await client.play(
      ["DATA", "503 5.5.1"],
      ["MAIL FROM:<>", "250"],
      ["DATA", "503 5.5.1"],
      ["RCPT TO:<nobody@b.example>", "550"],
      ["DATA", "554 5.5.1"],
      ["RCPT TO:<a@b.example>", "250"],
      ["DATA now", "501 5.5.4"],
      ["DATA", "354"],
      [".", "250"],
    );
  });

  test("ends the transaction, so that the next mail needs MAIL again", async () => {
    await using client = await smtp.addressed();
    await client.play(
      ["DATA", "354"],
      ["one\r\n.\r\n", "250"],
      ["DATA", "503"],
      ["RCPT TO:<a@b.example>", "503"],
      ["MAIL FROM:<>", "250"],
      ["RCPT TO:<b@b.example>", "250"],
      ["DATA", "354"],
      ["two\r\n.\r\n", "250"],
    );
    expect(smtp.mails).toEqual(["one\r\n", "two\r\n"]);
    expect(smtp.operations.arrivals[1]?.recipients).toEqual([{ address: "b@b.example", server: testServer }]);
  });

  test("accepts a mail of the size limit and rejects one that is a byte larger, not counting stuffed dots", async () => {
    await using client = await smtp.greeted();
    for (const [extra, expected] of [
      [0, "250"],
      [1, "552 5.3.4"],
    ] as const) {
      const content = `..${"x".repeat(messageBytesMax - 3 + extra)}\r\n.\r\n`;
      await client.play(
        ["MAIL FROM:<>", "250"],
        ["RCPT TO:<a@b.example>", "250"],
        ["DATA", "354"],
        [content, expected],
      );
    }
    expect(smtp.mails.map((mail) => mail.length)).toEqual([messageBytesMax]);
    expect(smtp.metrics.refusals).toContain("message_too_large");
  });

  test("reads a mail over the size limit to its end instead of reading commands from it", async () => {
    await using client = await smtp.addressed();
    const content = `${"x".repeat(messageBytesMax)}\r\nMAIL FROM:<>\r\nRCPT TO:<a@b.example>\r\nDATA\r\nevil\r\n..\r\n`;
    await client.play(["DATA", "354"]);
    for (const byte of Buffer.from(content)) await client.write(Buffer.from([byte]));
    await client.play([".\r\n", "552 5.3.4"], ["NOOP", "250 2.0.0"]);
    expect(smtp.mails).toEqual([]);
  });

  test("closes the session of a client that sends more than twice the size limit", async () => {
    await using client = await smtp.addressed();
    await client.play(["DATA", "354"]);
    await client.write("x".repeat(2 * messageBytesMax));
    await client.write("NOOP\r\n");
    await client.expect("552 5.3.4");
    expect(await client.rest()).toBe("");
    expect(smtp.mails).toEqual([]);
  });

  test.each([
    [new Problem("storage_full"), "452 4.3.1", false],
    [new Problem("internal"), "451 4.3.0", false],
    [new Problem("invalid_request"), "451 4.3.0", false],
    [new Problem("message_too_large"), "552 5.3.4", false],
    [new Problem("unavailable"), "451 4.3.2", false],
    [new Error("secret detail"), "451 4.3.0", false],
  ])("answers %o of the operation with %s without detail, and stores nothing", async (fault, expected, closes) => {
    smtp.operations.beforeCommit = () => Promise.reject(fault);
    await using client = await smtp.addressed();
    await client.play(["DATA", "354"]);
    await client.write("x\r\n.\r\n");
    expect(await client.expect(expected)).not.toContain("secret");
    if (closes) expect(await client.rest()).toBe("");
    else await client.play(["DATA", "503"]);
    expect(smtp.mails).toEqual([]);
  });

  test("replies 250 only after the commit", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    smtp.operations.beforeCommit = () => promise;
    await using client = await smtp.addressed();
    await client.play(["DATA", "354"]);
    await client.write("x\r\n.\r\nNOOP\r\n");
    let isAnswered = false;
    const answer = client.expect("250 2.0.0 Ok: queued as 2f0d1c73-7400-8000-8000-000000000000").finally(() => {
      isAnswered = true;
    });
    await using other = await smtp.greeted();
    await other.play(["NOOP", "250"]);
    expect(isAnswered).toBe(false);
    expect(smtp.mails).toEqual([]);
    resolve();
    await answer;
    await client.expect("250 2.0.0 Ok");
    expect(smtp.mails).toEqual(["x\r\n"]);
  });
});
