import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SmtpDialogue, type SmtpStep } from "../../testing/smtp-dialogue.ts";
import { SmtpTestServer, type SmtpTestServerSettings } from "../../testing/smtp-test-server.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";
import { proxyHeaderMsMax, readProxyHeader } from "./proxied-socket.ts";

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

const signature = "0d0a0d0a000d0a515549540a";

/** Returns a header of version 2 from the hexadecimal digits after its signature. */
function binary(digits: string): Buffer {
  return Buffer.from(`${signature}${digits.replaceAll(" ", "")}`, "hex");
}

const whole: readonly (readonly [name: string, header: Buffer, address: string | null])[] = [
  ["TCP4", Buffer.from("PROXY TCP4 192.0.2.7 198.51.100.1 51834 1025\r\n"), "192.0.2.7"],
  ["TCP6", Buffer.from("PROXY TCP6 2001:DB8:0:0:0:0:0:7 2001:db8::1 51834 1025\r\n"), "2001:db8::7"],
  ["a mapped address", Buffer.from("PROXY TCP6 ::ffff:192.0.2.7 ::1 0 65535\r\n"), "::ffff:192.0.2.7"],
  ["UNKNOWN", Buffer.from("PROXY UNKNOWN\r\n"), null],
  ["UNKNOWN with more", Buffer.from("PROXY UNKNOWN ff:f::1 ffff::2 65535 65535\r\n"), null],
  ["version 2, TCP4", binary("21 11 000c c0000207 c6336401 ca7a 0401"), "192.0.2.7"],
  ["version 2, TCP4 with fields", binary("21 11 0013 c0000207 c6336401 ca7a 0401 04000401020304"), "192.0.2.7"],
  [
    "version 2, TCP6",
    binary("21 21 0024 20010db8000000000000000000000007 20010db8000000000000000000000001 ca7a 0401"),
    "2001:db8::7",
  ],
  ["version 2, LOCAL", binary("20 00 0000"), null],
  ["version 2, LOCAL with addresses", binary("20 11 000c c0000207 c6336401 ca7a 0401"), null],
  ["version 2, unspecified", binary("21 00 0003 040000"), null],
  ["version 2, UDP", binary("21 12 000c c0000207 c6336401 ca7a 0401"), null],
];

const malformed: readonly (readonly [name: string, header: Buffer])[] = [
  ["SMTP", Buffer.from("EHLO client.example\r\n")],
  ["lower case", Buffer.from("proxy TCP4 192.0.2.7 198.51.100.1 51834 1025\r\n")],
  ["another family", Buffer.from("PROXY UDP4 192.0.2.7 198.51.100.1 51834 1025\r\n")],
  ["an address of the other family", Buffer.from("PROXY TCP4 2001:db8::7 2001:db8::1 51834 1025\r\n")],
  ["an address with a zone", Buffer.from("PROXY TCP6 fe80::1%eth0 2001:db8::1 51834 1025\r\n")],
  ["a name for an address", Buffer.from("PROXY TCP4 localhost 198.51.100.1 51834 1025\r\n")],
  ["a port too large", Buffer.from("PROXY TCP4 192.0.2.7 198.51.100.1 65536 1025\r\n")],
  ["a port with a zero in front", Buffer.from("PROXY TCP4 192.0.2.7 198.51.100.1 01 1025\r\n")],
  ["a port missing", Buffer.from("PROXY TCP4 192.0.2.7 198.51.100.1 51834\r\n")],
  ["a word too many", Buffer.from("PROXY TCP4 192.0.2.7 198.51.100.1 51834 1025 1\r\n")],
  ["two spaces", Buffer.from("PROXY TCP4  192.0.2.7 198.51.100.1 51834 1025\r\n")],
  ["no end", Buffer.from(`PROXY UNKNOWN ${"x".repeat(120)}`)],
  ["version 3", binary("31 11 000c c0000207 c6336401 ca7a 0401")],
  ["another command", binary("22 11 000c c0000207 c6336401 ca7a 0401")],
  ["too short for its addresses", binary("21 11 000b c0000207 c6336401 ca7a 04")],
  ["too long", binary("21 11 1001 c0000207")],
  ["too long and LOCAL", binary("20 00 ffff")],
];

describe("readProxyHeader", () => {
  test.for(whole)("%s: parses the header and ignores the bytes after it", ([, header, address]) => {
    const expected = { length: header.length, address };
    expect(readProxyHeader(header)).toEqual(expected);
    expect(readProxyHeader(Buffer.concat([header, Buffer.from("EHLO x\r\n")]))).toEqual(expected);
  });

  test.for(whole)("%s: returns incomplete while a byte is missing", ([, header]) => {
    for (let length = 0; length < header.length; length += 1) {
      expect(readProxyHeader(header.subarray(0, length))).toBe("incomplete");
    }
  });

  test.for(malformed)("%s: returns malformed", ([, header]) => {
    expect(readProxyHeader(header)).toBe("malformed");
  });

  test("returns incomplete for at most 4112 bytes, for any bytes", () => {
    const starts = fc.constantFrom("", "PROXY ", "PROXY TCP4 ", "PROXY TCP6 ").map((text) => Buffer.from(text));
    const headers = fc.oneof(
      starts,
      fc.uint8Array({ minLength: 4, maxLength: 4 }).map((bytes) => binary(Buffer.from(bytes).toString("hex"))),
      fc.constantFrom(...whole.map(([, header]) => header)),
    );
    fc.assert(
      fc.property(headers, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
        const bytes = Buffer.concat([start, rest]);
        const header = readProxyHeader(bytes);
        if (typeof header === "object") expect(header.length).toBeLessThanOrEqual(bytes.length);
        expect(readProxyHeader(Buffer.concat([bytes, Buffer.alloc(4112)]))).not.toBe("incomplete");
      }),
    );
  });
});
