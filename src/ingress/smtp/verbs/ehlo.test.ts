import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpTestServer } from "../../../testing/smtp-test-server.ts";
import { throwAwayCertificate } from "../../../testing/throw-away-certificate.ts";

let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open({ limits: { messageBytesMax: 12_345 } });
});
afterAll(() => smtp.server.close());

describe("EHLO", () => {
  test("lists every extension in the form of its RFC", async () => {
    await using client = await smtp.connect();
    await client.write("EHLO client.example\r\n");
    expect((await client.reply()).split("\r\n")).toEqual([
      "250-mx.restante.test",
      "250-PIPELINING",
      "250-SIZE 12345",
      "250-8BITMIME",
      "250-SMTPUTF8",
      "250-ENHANCEDSTATUSCODES",
      "250-DSN",
      "250-CHUNKING",
      "250 AUTH PLAIN LOGIN CRAM-MD5 XOAUTH2 OAUTHBEARER",
    ]);
  });

  test("lists STARTTLS only with a certificate", async () => {
    const { secureContext } = throwAwayCertificate();
    await using secured = await SmtpTestServer.open({ secureContext });
    await using client = await secured.connect();
    await client.play(["EHLO client.example", /\r\n250-STARTTLS\r\n/]);
  });

  test.each([
    ["ehlo client.example", "250-"],
    ["EhLo  client.example  ", "250-"],
    ["EHLO\tclient.example", "250-"],
    ["EHLO [127.0.0.1]", "250-"],
    ["EHLO [IPv6:::1]", "250-"],
    ["EHLO not a name at all", "250-"],
    ["EHLO münchen.example", "250-"],
    [Buffer.from("EHLO M\xdcLLER-PC\r\n", "latin1"), "250-"],
    ["EHLO", "501 5.5.4"],
    ["EHLO   ", "501 5.5.4"],
    ["EHLO client.example\rX-Injected: 1", "501 5.5.2"],
    ["EHLO client.example\0", "501 5.5.2"],
    ["EHLO client.example\u0085X: 1", "501 5.5.2"],
    ["EHLO client.example\u2029X: 1", "501 5.5.2"],
  ])("answers %j with %s", async (line, expected) => {
    await using client = await smtp.connect();
    await client.play([line, expected]);
  });

  test("aborts a transaction, and records its argument and ESMTP with the mail", async () => {
    await using client = await smtp.addressed();
    await client.play(
      ["EHLO other.example", "250-"],
      ["RCPT TO:<a@b.example>", "503 5.5.1"],
      ["MAIL FROM:<>", "250"],
      ["RCPT TO:<a@b.example>", "250"],
      ["DATA", "354"],
      ["\r\n.", "250"],
    );
    expect(smtp.operations.arrivals.at(-1)?.session).toEqual({
      ehlo: "other.example",
      clientAddress: "127.0.0.1",
      protocol: "ESMTP",
      tls: null,
      authenticatedAs: null,
    });
  });

  test("changes nothing without a name", async () => {
    await using client = await smtp.addressed();
    await client.play(["EHLO", "501"], ["DATA", "354"], [".", "250"]);
  });
});

describe("HELO", () => {
  test("answers with one line and no extensions", async () => {
    await using client = await smtp.connect();
    await client.play(["HELO client.example", /^250 mx\.restante\.test$/], ["HELO", "501 5.5.4"]);
  });

  test("disables AUTH and records SMTP with the mail", async () => {
    await using client = await smtp.connect();
    await client.play(
      ["HELO client.example", "250"],
      ["AUTH PLAIN AGFiY2QxMjM0AHNlY3JldA==", "503 5.5.1"],
      ["MAIL FROM:<a@b.example>", "250"],
      ["RCPT TO:<a@b.example>", "250"],
      ["DATA", "354"],
      [".", "250"],
    );
    expect(smtp.operations.arrivals.at(-1)?.session.protocol).toBe("SMTP");
  });

  test("aborts a transaction", async () => {
    await using client = await smtp.addressed();
    await client.play(["HELO client.example", "250"], ["DATA", "503 5.5.1"]);
  });
});
