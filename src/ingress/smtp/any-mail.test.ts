/** Mails of any size and content over real connections. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { cut } from "../../testing/chunks.ts";
import { SmtpTestServer } from "../../testing/smtp-test-server.ts";

interface SentMail {
  readonly lines: readonly { readonly start: string; readonly length: number }[];
  readonly isBdat: boolean;
  /** Sizes of the writes. */
  readonly sizes: readonly number[];
}

const line = fc.record({
  start: fc.constantFrom("", ".", "..", ".\r", "x"),
  length: fc.oneof(fc.nat({ max: 100 }), fc.integer({ min: 10_000, max: 70_000 })),
});
const mail: fc.Arbitrary<SentMail> = fc.record({
  lines: fc.array(line, { maxLength: 8 }),
  isBdat: fc.boolean(),
  sizes: fc.array(fc.integer({ min: 1000, max: 100_000 }), { maxLength: 3 }),
});

/** Returns the content, with other bytes in each line. */
function contentOf({ lines }: SentMail, name: string): Buffer {
  const body = lines.map(({ start, length }, at) => `${start}${String.fromCharCode(97 + at).repeat(length)}\r\n`);
  return Buffer.from(`X-Name: ${name}\r\n\r\n${body.join("")}`);
}

/** Sends mails over one connection, each when the one before has its reply. */
async function sendAll(smtp: SmtpTestServer, mails: readonly SentMail[], connection: number): Promise<void> {
  await using client = await smtp.greeted();
  for (const [at, sent] of mails.entries()) {
    await client.play(
      ["MAIL FROM:<sender@client.example>", "250"],
      ["RCPT TO:<someone@abcd1234.restante.test>", "250"],
    );
    const content = contentOf(sent, `${connection}-${at}`);
    if (sent.isBdat) await client.write(`BDAT ${content.length} LAST\r\n`);
    else await client.play(["DATA", "354"]);
    const stuffed = `${content.toString("latin1").replaceAll("\r\n.", "\r\n..")}.\r\n`;
    for (const chunk of cut(sent.isBdat ? content : Buffer.from(stuffed), sent.sizes)) await client.write(chunk);
    await client.expect("250");
  }
}

test("stores every octet of mails on several connections, by DATA and BDAT, in one piece and in pieces", async () => {
  await using smtp = await SmtpTestServer.open();
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(mail, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      async (connections) => {
        smtp.operations.arrivals.splice(0);
        await Promise.all(connections.map(async (mails, at) => sendAll(smtp, mails, at)));
        const sent = connections.flatMap((mails, at) =>
          mails.map((one, number) => contentOf(one, `${at}-${number}`).toString()),
        );
        // Not toEqual, whose message would have all octets.
        expect(smtp.mails.toSorted().join("\0") === sent.toSorted().join("\0")).toBe(true);
      },
    ),
    { numRuns: 40 },
  );
});
