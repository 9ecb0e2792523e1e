/** Phrases as a person reads them, and addresses in Unicode, are found through every interface that searches. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";

const key = "key-of-the-whole-account-1";
const server = "phra1234";
const dataDir = mkdtempSync(join(tmpdir(), "restante-phrases-"));
const html =
  "<p>please click<br>the <b>bl</b>ue link</p><table><tr><td>Order total</td><td>10&nbsp;EUR</td></tr></table><div>Dear Ann,</div><div>wel&shy;come</div>";
const phrases = ["click the blue", "Order total 10 EUR", "Dear Ann, welcome"];
const subject = "Re\u0301initialisation du\u00a0mot de passe";
const subjectPhrase = "Réinitialisation du mot";
const calls: string[] = [];
const receiver = createServer((request, response) => {
  calls.push(request.url ?? "");
  request.resume();
  response.end();
});
let service: LocalService;
let id: string;

const ask = async <Shape>(path: string, body?: unknown, method = "POST"): Promise<Shape> => {
  const request = body === undefined ? {} : { method, body: JSON.stringify(body) };
  const response = await service.fetch(path, key, request);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Shape;
};

beforeAll(async () => {
  await new Promise<void>((resolve) => void receiver.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  service = await LocalService.start(
    ["--imap-port=0", "--mailpit-port=0", "--mailhog-port=0", "--maildev-port=0", "--smtp4dev-port=0"],
    {
      RESTANTE_API_KEY: key,
      RESTANTE_DATA_DIR: dataDir,
      RESTANTE_SERVERS: `${server}:Phrases`,
      RESTANTE_CALLBACK_ORIGINS: origin,
    },
  );
  await ask(`/api/servers/${server}/tag-rules`, { rules: [{ q: `body:"${phrases[0]}"`, tags: ["blue"] }] }, "PUT");
  await ask(`/api/servers/${server}/webhooks`, {
    url: `${origin}/hook`,
    events: ["message.received"],
    criteria: { body: phrases[1], subject: subjectPhrase, sentTo: "kundin@müller.example" },
  });
  const smtp = createTransport({ host: "127.0.0.1", port: service.smtpPort, ignoreTLS: true });
  const waiting = ask<{ id: string }[]>(`/api/messages/search?server=${server}&timeout=20000`, {
    body: phrases[2],
    sentTo: "kundin@müller.example",
  });
  await smtp.sendMail({
    from: "shop@grün.example",
    to: "kundin@müller.example",
    envelope: { from: "shop@grün.example", to: `ann@${server}.restante.test` },
    subject,
    html,
  });
  id = (await waiting)[0]?.id ?? "";
});
afterAll(async () => {
  await service.stop();
  receiver.close();
  rmSync(dataDir, { recursive: true });
});

test("searches by criteria and by queries", async () => {
  const criteria = [
    ...phrases.map((body) => ({ body })),
    { subject: subjectPhrase },
    ...["kundin@müller.example", "kundin@xn--mller-kva.example", "KUNDIN@MÜLLER.example"].map((sentTo) => ({ sentTo })),
    { sentFrom: "shop@grün.example" },
  ];
  const found = await Promise.all(
    criteria.map(async (wanted) =>
      (await ask<{ id: string }[]>(`/api/messages/search?server=${server}`, wanted)).map((one) => one.id),
    ),
  );
  expect(found).toEqual(criteria.map(() => [id]));
  const queries = [
    ...phrases.map((phrase) => `"${phrase}"`),
    `subject:"${subjectPhrase}"`,
    "to:müller.example",
    "to:xn--mller-kva.example",
    "from:shop@grün.example",
  ];
  const listed = await Promise.all(
    queries.map(async (q) => {
      const messages = await ask<{ id: string }[]>(`/api/messages?server=${server}&q=${encodeURIComponent(q)}`);
      return messages.map((one) => one.id);
    }),
  );
  expect(listed).toEqual(queries.map(() => [id]));
});

test("tags by rules, and calls webhooks by criteria", async () => {
  const marks = await ask<{ tags: readonly string[] }>(`/api/messages/${id}/marks`);
  expect(marks.tags).toEqual(["blue"]);
  await expect.poll(() => calls).toEqual(["/hook"]);
});

test("searches over IMAP", async () => {
  const { value: pass } = await ask<{ value: string }>(`/api/servers/${server}/password`);
  const port = Number(service.shown("IMAP").split(":").at(-1));
  const client = new ImapFlow({
    host: "127.0.0.1",
    port,
    secure: false,
    auth: { user: server, pass },
    tls: { rejectUnauthorized: false },
    logger: false,
  });
  await client.connect();
  const lock = await client.getMailboxLock("INBOX");
  const found = [];
  for (const body of phrases) found.push(await client.search({ body }));
  found.push(await client.search({ subject: subjectPhrase }), await client.search({ to: "kundin@müller.example" }));
  lock.release();
  await client.logout();
  expect(found.map((uids) => (Array.isArray(uids) ? uids.length : 0))).toEqual([1, 1, 1, 1, 1]);
});

test("searches through the APIs of other mail catchers", async () => {
  const totalOf = async (path: string): Promise<number> => {
    const page = (await (await fetch(path)).json()) as Readonly<Record<string, number>>;
    return page["messages_count"] ?? page["rowCount"] ?? page["total"] ?? 0;
  };
  const [pit, hog, dev, smtp4dev] = ["Mailpit", "MailHog", "MailDev", "smtp4dev"].map((name) => service.shown(name));
  const totals = [];
  for (const phrase of [...phrases, subjectPhrase]) {
    const text = encodeURIComponent(phrase);
    totals.push(await totalOf(`${pit}/api/v1/search?query=${encodeURIComponent(`"${phrase}"`)}`));
    totals.push(await totalOf(`${hog}/api/v2/search?kind=containing&query=${text}`));
    totals.push(await totalOf(`${dev}/api/email/summary?search=${text}`));
    totals.push(await totalOf(`${smtp4dev}/api/Messages?searchTerms=${text}`));
  }
  expect(totals).toEqual(totals.map(() => 1));
});
