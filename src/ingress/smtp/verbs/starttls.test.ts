import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SmtpDoor, testServer } from "../../../testing/smtp-door.ts";
import { throwAwayCertificate } from "../../../testing/throw-away-certificate.ts";

const plain = Buffer.from("\0abcd1234\0secret").toString("base64");
const certificate = throwAwayCertificate();
let door: SmtpDoor;
beforeAll(async () => {
  door = await SmtpDoor.open({ secureContext: () => certificate.secureContext });
});
afterAll(() => door.server.close());

describe("STARTTLS", () => {
  test("goes on under TLS with a certificate that verifies, and the mail says which protocol and cipher", async () => {
    await using client = await door.greeted();
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
    expect(door.operations.arrivals.at(-1)?.session).toEqual({
      ehlo: "client.example",
      clientAddress: "127.0.0.1",
      protocol: "ESMTPSA",
      tls: expect.stringMatching(/^TLSv1\.3 TLS_[A-Z0-9_]+$/) as string,
      authenticatedAs: testServer,
      auth: { user: "abcd1234", mechanism: "PLAIN" },
    });
  });

  test("works where it is accepted without being listed", async () => {
    await using quiet = await SmtpDoor.open({
      secureContext: certificate.secureContext,
      startTlsFor: (clientAddress) => (clientAddress === "127.0.0.1" ? "accepted" : "offered"),
    });
    await using client = await quiet.connect();
    await client.play(["EHLO client.example", /^(?![^]*STARTTLS)250-/], ["STARTTLS", "220 2.0.0"]);
    await client.secure({ ca: certificate.ca, servername: "localhost" });
    await client.play(["EHLO client.example", "250"]);
  });

  test("is refused and not listed where it is switched off", async () => {
    await using quiet = await SmtpDoor.open({
      secureContext: certificate.secureContext,
      startTlsFor: () => "refused",
    });
    await using client = await quiet.connect();
    await client.play(["EHLO client.example", /^(?![^]*STARTTLS)250-/], ["STARTTLS", "502 5.5.1"]);
  });

  test("forgets what was said in clear: EHLO, credentials, transaction", async () => {
    await using client = await door.greeted();
    await client.play([`AUTH PLAIN ${plain}`, "235"], ["MAIL FROM:<>", "250"], ["STARTTLS", "220"]);
    await client.secure({ rejectUnauthorized: false });
    await client.play(
      ["RCPT TO:<a@b.example>", "503"],
      ["MAIL FROM:<>", "503 5.5.1"],
      ["EHLO client.example", /AUTH PLAIN LOGIN/],
      ["STARTTLS", "503 5.5.1"],
    );
  });

  test("drops what was pipelined behind it in clear", async () => {
    await using client = await door.greeted();
    await client.write("STARTTLS\r\nEHLO injected.example\r\nMAIL FROM:<injected@b.example>\r\n");
    await client.expect("220");
    await client.secure({ rejectUnauthorized: false });
    await client.play(
      ["RCPT TO:<a@b.example>", "503"],
      ["NOOP", "250 2.0.0 Still here"],
      ["EHLO client.example", "250-"],
      ["MAIL FROM:<>", "250"],
    );
  });

  test("takes no argument, and is not there without a certificate", async () => {
    await using client = await door.connect();
    await client.play(["STARTTLS now", "501 5.5.4"]);
    await using bare = await SmtpDoor.open();
    await using unable = await bare.greeted();
    await unable.play(["STARTTLS", "502 5.5.1"], ["NOOP", "250"]);
  });

  test("reads the certificate anew for every handshake", async () => {
    const renewed = throwAwayCertificate();
    let current = certificate.secureContext;
    await using renewing = await SmtpDoor.open({ secureContext: () => current });
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
  ])("%s in place of the handshake ends that session and no other", async (_, bytes) => {
    await using other = await door.greeted();
    await using client = await door.greeted();
    await client.play(["STARTTLS", "220"]);
    await client.write(Buffer.from(bytes, "latin1"));
    await client.rest();
    await other.play(["NOOP", "250"]);
    expect(door.metrics.refusals.at(-1)).toBe("tls");
  });

  test("that breaks after the handshake ends that session and no other", async () => {
    await using other = await door.greeted();
    await using client = await door.greeted();
    await client.play(["STARTTLS", "220"]);
    const underneath = client.socket;
    await client.secure({ rejectUnauthorized: false });
    await client.play(["EHLO client.example", "250-"]);
    underneath.write("NOOP\r\n");
    await client.rest();
    await other.play(["NOOP", "250"]);
  });
});
