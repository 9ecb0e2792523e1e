/** The relay never receives an unverified address, whatever form the caller uses. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { configFrom } from "../../src/app/settings/config.ts";
import { startService, type RunningService } from "../../src/app/service.ts";
import type { ServerId } from "../../src/core/ids.ts";
import type { Message } from "../../src/core/message.ts";
import { startScriptedSmtpServer } from "../../src/testing/scripted-smtp-server.ts";
import { SmtpDialogue } from "../../src/testing/smtp-dialogue.ts";
import { isPostgres, storeChoices } from "./store-under-test.ts";

const key = "a-key-for-journeys";
const server = "host1234" as ServerId;
const address = "friend@outside.example";
const domain = "verified.example";

const names = [address, `a@${domain}`, domain, "friend", "outside.example", "victim@evil.example", "evil.example"];
const marks = Array.from('\r\n\0\t @.,;:<>"\\()[]%!|=');
const tricks = [
  ["\r\nRCPT TO:<victim@evil.example>", "@evil.example:", "=?utf-8?q?", "\u3002", "\uff20", "\u212a", "\u0131", "é"],
  ["127.0.0.1", "[127.0.0.1]", "0x7f.1", "xn--", "host1234.restante.test", "\u200b", "\ud800", "%0d%0a", "NOTIFY="],
].flat();
/** The policy does not depend on the store; on PostgreSQL, fewer mails show that it stores every form. */
const mailCount = isPostgres ? 40 : 150;
/** Any character. The arbitrary of the library for these builds a table of a million characters first. */
const characters = fc.integer({ min: 0, max: 0x10_ffff }).map((code) => String.fromCodePoint(code).toWellFormed());

const pieces = fc.constantFrom(...names, ...marks, ...tricks);
const hostile = fc.oneof(
  fc.array(pieces, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("")),
  fc
    .tuple(fc.constantFrom(address, `a@${domain}`), fc.nat(40), pieces)
    .map(([base, at, piece]) => base.slice(0, at) + piece + base.slice(at)),
  fc.tuple(pieces, pieces).map(([one, other]) => `${one}@${other}`),
  fc.string({ unit: characters, maxLength: 60 }),
  fc.mixedCase(fc.constantFrom(address, `a@${domain}`)),
);

async function ask(service: RunningService, path: string, body: object): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(service.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  await response.arrayBuffer();
  return response.status;
}

/** Stores a message whose reply would go to the given field values. */
async function receive(service: RunningService, from: string, replyTo: string): Promise<string> {
  const field = (text: string): string => text.replaceAll(/[\r\n\0\ud800]+/g, " ");
  await using dialogue = await SmtpDialogue.connect(service.ports.smtp ?? 0);
  await dialogue.expect("220");
  await dialogue.play(
    ["EHLO test", "250"],
    ["MAIL FROM:<app@example.com>", "250"],
    [`RCPT TO:<x@${server}.restante.test>`, "250"],
    ["DATA", "354"],
    [`From: ${field(from)}\r\nReply-To: ${field(replyTo)}\r\n\r\nHello\r\n.\r\n`, "250"],
  );
  const headers = { authorization: `Bearer ${key}` };
  const list = await fetch(`${service.url}/api/messages?server=${server}&itemsPerPage=1`, { headers });
  return ((await list.json()) as Message[])[0]?.id ?? "";
}

test("hundreds of hostile forms in every field that names a recipient", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "restante-hostile-"));
  await using relay = await startScriptedSmtpServer();
  const service = await startService(
    configFrom(
      {
        ...(await storeChoices(dataDir)),
        dataDir,
        apiKey: key,
        httpPort: 0,
        httpsPort: null,
        smtpPort: 0,
        log: "silent",
        servers: [{ id: server, name: "Hostile" }],
        relayUrl: `smtp://127.0.0.1:${relay.port}`,
        verified: [address, `@${domain}`],
      },
      { outboundCountPerHourMax: 1_000_000 },
    ),
    { durable: false },
  );
  try {
    let asked = 0;
    let taken = 0;
    const count = (status: number): void => {
      asked += 1;
      if (status === 200) taken += 1;
      expect([200, 400]).toContain(status);
    };
    const create = `/api/messages?server=${server}`;
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (one, other) => {
        const id = await receive(service, one, other);
        const forms: [string, object][] = [
          [create, { to: one, send: true, text: "x" }],
          [create, { to: address, cc: other, send: true, text: "x", subject: one }],
          [create, { to: other, cc: one, from: `a@${server}.restante.example.com`, send: true, text: "x" }],
          [`/api/messages/${id}/forward`, { to: one, cc: other }],
          [`/api/messages/${id}/reply`, { text: "x", cc: other }],
          [`/api/messages/${id}/reply`, { text: "x" }],
        ];
        for (const [path, body] of forms) count(await ask(service, path, body));
      }),
      { numRuns: mailCount },
    );
    expect(asked).toBe(6 * mailCount);
    expect(taken).toBeGreaterThan(mailCount / 4);
    const backlog = async (): Promise<boolean> =>
      !/^restante_outbox_backlog 0$/m.test(await (await fetch(`${service.url}/metrics`)).text());
    while (await backlog());
    const lines = relay.connections.flat();
    const recipients = lines.filter((line) => /^RCPT/i.test(line));
    const isVerified = (line: string): boolean =>
      /^RCPT TO:<friend@outside\.example>$/i.test(line) ||
      /^RCPT TO:<[^\s@<>",%!:;()[\]\\]+@verified\.example>$/.test(line);
    expect(recipients.length).toBeGreaterThan(mailCount / 4);
    expect(recipients.filter((line) => !isVerified(line))).toEqual([]);
    const senders = lines.filter((line) => /^MAIL/i.test(line));
    expect(
      senders.filter((line) => !/^MAIL FROM:<[\w.]+@host1234\.restante\.example\.com>( BODY=8BITMIME)?$/.test(line)),
    ).toEqual([]);
    const known = /^(?:EHLO \S+|MAIL FROM:<.*|RCPT TO:<.*|DATA|RSET|QUIT)$/;
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
  } finally {
    await service.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
