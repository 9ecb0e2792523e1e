/** Round trip from the relay client to the SMTP listener: same envelope, same bytes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { SmtpTestServer } from "../../testing/smtp-test-server.ts";
import { throwAwayCertificate } from "../../testing/throw-away-certificate.ts";
import { createSmtpRelay } from "./smtp-relay.ts";

const line = fc.oneof(
  fc.constantFrom(
    "",
    ".",
    "..",
    ". ",
    ".\t.",
    "QUIT",
    "MAIL FROM:<x@evil.example>",
    "é",
    " ",
    "x".repeat(2000),
    "\u0000",
  ),
  fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n]/g, "")),
);
const content = fc
  .array(line, { minLength: 1, maxLength: 12 })
  .map((lines) => Buffer.from(`${lines.join("\r\n")}\r\n`));

test("delivers every byte unchanged over one TLS connection with many mails", async () => {
  const { secureContext, ca } = throwAwayCertificate();
  await using smtp = await SmtpTestServer.open({ secureContext });
  const url = `smtp://127.0.0.1:${smtp.server.port}?requireTLS=true`;
  const relay = createSmtpRelay({ url, ca, connectionCountMax: 1 });
  await fc.assert(
    fc.asyncProperty(content, async (raw) => {
      const mail = { mailFrom: "a@abcd1234.restante.test", rcptTo: ["b@corp.example", "c@team.example"], raw };
      const { accepted } = await relay.deliver(mail);
      const arrival = smtp.operations.arrivals.at(-1);
      expect(accepted).toEqual(mail.rcptTo);
      expect(arrival?.mailFrom).toBe(mail.mailFrom);
      expect(arrival?.recipients.map((recipient) => recipient.address)).toEqual(mail.rcptTo);
      expect(Buffer.from(arrival?.raw ?? []).equals(raw)).toBe(true);
    }),
    { numRuns: 150 },
  );
  expect(smtp.metrics.sessionsOpened).toBeLessThanOrEqual(3);
  relay.close();
});
