import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpTestServer, testServer } from "../../../testing/smtp-test-server.ts";
import { throwAwayCertificate } from "../../../testing/throw-away-certificate.ts";

const plain = Buffer.from("\0abcd1234\0secret").toString("base64");
const certificate = throwAwayCertificate();
let smtp: SmtpTestServer;
beforeAll(async () => {
  smtp = await SmtpTestServer.open({ secureContext: () => certificate.secureContext });
});
afterAll(() => smtp.server.close());

describe("STARTTLS", () => {
  test("starts TLS with a valid certificate and records protocol and cipher with the mail", async () => {
    await using client = await smtp.greeted();
    await client.play(["STARTTLS", "220 2.0.0"]);
    await client.secure({ ca: certificate.ca, servername: "localhost" });
    await client.play(
      ["EHLO client.example", /^(?![^]*STARTTLS)250-/],
      [`AUTH PLAIN ${plain}`, "235"],
      ["MAIL FROM:<>", "250"],
      ["RCPT TO:<a@b.example>", "250"],
      ["DATA", "354"],
      ["x\r\n.\r\n", "250"],
      ["QUIT", "221"],
    );
    expect(await client.rest()).toBe("");
    expect(smtp.operations.arrivals.at(-1)?.session).toEqual({
      ehlo: "client.example",
      clientAddress: "127.0.0.1",
      protocol: "ESMTPSA",
      tls: expect.stringMatching(/^TLSv1\.3 TLS_[A-Z0-9_]+$/) as string,
      authenticatedAs: testServer,
      auth: { user: "abcd1234", mechanism: "PLAIN" },
    });
  });

  test("works where it is accepted but not listed", async () => {
    await using quiet = await SmtpTestServer.open({
      secureContext: certificate.secureContext,
      startTlsFor: (clientAddress) => (clientAddress === "127.0.0.1" ? "accepted" : "offered"),
    });
    await using client = await quiet.connect();
    await client.play(["EHLO client.example", /^(?![^]*STARTTLS)250-/], ["STARTTLS", "220 2.0.0"]);
    await client.secure({ ca: certificate.ca, servername: "localhost" });
    await client.play(["EHLO client.example", "250"]);
  });

  test("is rejected and not listed where it is disabled", async () => {
    await using quiet = await SmtpTestServer.open({
      secureContext: certificate.secureContext,
      startTlsFor: () => "refused",
    });
    await using client = await quiet.connect();
    await client.play(["EHLO client.example", /^(?![^]*STARTTLS)250-/], ["STARTTLS", "502 5.5.1"]);
  });

  test("resets EHLO, credentials and transaction", async () => {
    await using client = await smtp.greeted();
    await client.play([`AUTH PLAIN ${plain}`, "235"], ["MAIL FROM:<>", "250"], ["STARTTLS", "220"]);
    await client.secure({ rejectUnauthorized: false });
    await client.play(
      ["RCPT TO:<a@b.example>", "503"],
      ["MAIL FROM:<>", "503 5.5.1"],
      ["EHLO client.example", /AUTH PLAIN LOGIN CRAM-MD5 XOAUTH2 OAUTHBEARER/],
      ["STARTTLS", "503 5.5.1"],
    );
  });

  test("drops pipelined clear text", async () => {
    await using client = await smtp.greeted();
    await client.write("STARTTLS\r\nEHLO injected.example\r\nMAIL FROM:<injected@b.example>\r\n");
    await client.expect("220");
    await client.secure({ rejectUnauthorized: false });
    await client.play(
      ["RCPT TO:<a@b.example>", "503"],
      ["NOOP", "250 2.0.0 Ok"],
      ["EHLO client.example", "250-"],
      ["MAIL FROM:<>", "250"],
    );
  });

  test("rejects an argument, and is not implemented without a certificate", async () => {
    await using client = await smtp.connect();
    await client.play(["STARTTLS now", "501 5.5.4"]);
    await using bare = await SmtpTestServer.open();
    await using unable = await bare.greeted();
    await unable.play(["STARTTLS", "502 5.5.1"], ["NOOP", "250"]);
  });

  test("reads the certificate for every handshake", async () => {
    const renewed = throwAwayCertificate();
    let current = certificate.secureContext;
    await using renewing = await SmtpTestServer.open({ secureContext: () => current });
    for (const { secureContext, ca } of [certificate, renewed]) {
      current = secureContext;
      await using client = await renewing.greeted();
      await client.play(["STARTTLS", "220"]);
      await client.secure({ ca, servername: "localhost" });
      await client.play(["EHLO client.example", "250-"]);
    }
  });

  test.each([
    ["what is not TLS", "EHLO client.example\r\n"],
    ["a broken handshake", "\x16\x03\x01\x00\x05\x01\xff\xff\xff\xff\r\n"],
  ])("%s instead of the handshake closes that session only", async (_, bytes) => {
    await using other = await smtp.greeted();
    await using client = await smtp.greeted();
    await client.play(["STARTTLS", "220"]);
    await client.write(Buffer.from(bytes, "latin1"));
    await client.rest();
    await other.play(["NOOP", "250"]);
    expect(smtp.metrics.refusals.at(-1)).toBe("tls");
  });

  test("a TLS error after the handshake closes that session only", async () => {
    await using other = await smtp.greeted();
    await using client = await smtp.greeted();
    await client.play(["STARTTLS", "220"]);
    const underneath = client.socket;
    await client.secure({ rejectUnauthorized: false });
    await client.play(["EHLO client.example", "250-"]);
    underneath.write("NOOP\r\n");
    await client.rest();
    await other.play(["NOOP", "250"]);
  });
});
