import { describe, expect, test } from "vitest";
import { SmtpDialogue, type SmtpStep } from "../../testing/smtp-dialogue.ts";
import { SmtpTestServer, type SmtpTestServerSettings } from "../../testing/smtp-test-server.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";
import { proxyHeaderMsMax } from "./proxied-socket.ts";

const lineFor = (address: string): string => `PROXY TCP4 ${address} 198.51.100.1 51834 1025\r\n`;
const binaryFor192 = Buffer.from(
  "0d0a0d0a000d0a515549540a 21 11 000c c0000207 c6336401 ca7a 0401".replaceAll(" ", ""),
  "hex",
);
const local = Buffer.from("0d0a0d0a000d0a515549540a 20 00 0000".replaceAll(" ", ""), "hex");

/** Starts a listener that treats this machine as a load balancer. */
function openBehind(settings: SmtpTestServerSettings = {}): Promise<SmtpTestServer> {
  return SmtpTestServer.open({ isProxy: (address) => address === "127.0.0.1", ...settings });
}

const mail: readonly SmtpStep[] = [
  ["EHLO x", "250-"],
  ["MAIL FROM:<>", "250"],
  ["RCPT TO:<a@b.example>", "250"],
  ["DATA", "354"],
  [".", "250"],
];

describe("a connection through a load balancer", () => {
  test.each([
    ["version 1", Buffer.from(lineFor("192.0.2.7")), "192.0.2.7"],
    ["version 1, mapped", Buffer.from("PROXY TCP6 ::ffff:192.0.2.7 ::1 1 2\r\n"), "192.0.2.7"],
    ["version 2", binaryFor192, "192.0.2.7"],
    ["the balancer's own word", local, "127.0.0.1"],
  ])("has the client address of its PROXY header: %s", async (_, header, address) => {
    await using smtp = await openBehind();
    await using client = await SmtpDialogue.connect(smtp.server.port);
    await client.write(header);
    await client.expect("220");
    await client.play(...mail);
    expect(smtp.operations.arrivals[0]).toMatchObject({ session: { clientAddress: address } });
  });

  test("may send bytes after the header at once, and the header byte by byte", async () => {
    await using smtp = await openBehind();
    await using hasty = await SmtpDialogue.connect(smtp.server.port);
    await hasty.write(`${lineFor("192.0.2.7")}EHLO x\r\nQUIT\r\n`);
    expect(await hasty.rest()).toMatch(/^220 [^]*\r\n250 [^]*\r\n221 /);
    await using slow = await SmtpDialogue.connect(smtp.server.port);
    for (const byte of binaryFor192) await slow.write(Buffer.from([byte]));
    await slow.expect("220");
  });

  test("sends the header before the handshake of implicit TLS", async () => {
    const { ca, secureContext } = throwAwayCertificate();
    await using smtp = await openBehind({ secureContext, implicitTls: true });
    await using client = await SmtpDialogue.connect(smtp.server.port);
    void client.write(lineFor("192.0.2.7"));
    await client.secure({ ca, servername: "localhost" });
    await client.expect("220");
    await client.play(...mail);
    const tls = expect.stringMatching(/^TLS/) as string;
    expect(smtp.operations.arrivals[0]).toMatchObject({ session: { clientAddress: "192.0.2.7", tls } });
  });

  test("counts against the session limit of the client's address", async () => {
    await using smtp = await openBehind({ limits: { smtpSessionCountPerAddressMax: 1 } });
    const reach = async (address: string): Promise<SmtpDialogue> => {
      const client = await SmtpDialogue.connect(smtp.server.port);
      await client.write(lineFor(address));
      return client;
    };
    await using first = await reach("192.0.2.7");
    await first.expect("220");
    await using other = await reach("192.0.2.8");
    await other.expect("220");
    await using refused = await reach("192.0.2.7");
    expect(await refused.rest()).toMatch(/^421 4\.7\.0 /);
    expect(smtp.metrics.refusals).toEqual(["too_many_sessions"]);
  });

  test("is closed without a reply when it starts with anything else, and warns once", async () => {
    await using smtp = await openBehind();
    for (let count = 0; count < 3; count += 1) {
      await using client = await SmtpDialogue.connect(smtp.server.port);
      await client.write("EHLO client.example\r\n");
      expect(await client.rest()).toBe("");
    }
    expect(smtp.metrics.refusals).toEqual(["proxy_header", "proxy_header", "proxy_header"]);
    expect(smtp.log.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
    expect(smtp.metrics.sessionsOpened).toBe(0);
  });

  test("is closed after proxyHeaderMsMax without a header, and counts as a session until then", async () => {
    await using smtp = await openBehind({ limits: { smtpSessionCountMax: 1 } });
    await using silent = await SmtpDialogue.connect(smtp.server.port);
    await using second = await SmtpDialogue.connect(smtp.server.port);
    expect(await second.rest()).toMatch(/^421 4\.7\.0 /);
    smtp.clock.advance(proxyHeaderMsMax);
    expect(await silent.rest()).toBe("");
    expect(smtp.metrics.refusals).toEqual(["too_many_sessions", "proxy_header"]);
    const closing = await SmtpDialogue.connect(smtp.server.port);
    await closing.write("PROXY TC");
    closing.socket.end();
    expect(await closing.rest()).toBe("");
    await using next = await SmtpDialogue.connect(smtp.server.port);
    await next.write(local);
    await next.expect("220");
    expect(smtp.clock.appointmentCount).toBe(1);
    expect(smtp.metrics.refusals).toHaveLength(2);
  });

  test("is closed with the listener", async () => {
    await using smtp = await openBehind();
    await using silent = await SmtpDialogue.connect(smtp.server.port);
    await silent.write("PROXY ");
    await smtp.server.close();
    expect(await silent.rest()).toBe("");
    expect(smtp.clock.appointmentCount).toBe(0);
  });
});

test("rejects a PROXY header from other addresses", async () => {
  await using smtp = await SmtpTestServer.open({ isProxy: (address) => address === "192.0.2.1" });
  await using client = await smtp.connect();
  await client.play([lineFor("192.0.2.7").trimEnd(), "500"], ...mail);
  expect(smtp.operations.arrivals[0]).toMatchObject({ session: { clientAddress: "127.0.0.1" } });
});
