/** Service and data of the screenshots in the guide: mail, a thread, SMS, phone numbers, addresses. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import type { Browser } from "playwright-core";
import { ServiceProcess } from "../src/testing/service-process.ts";
import { startRestante } from "../src/testing/start-restante.ts";
import { startBrowser, type BrowserAndService } from "../test/journeys/web/setup.ts";
import { sendNumber } from "./screenshot-mail.ts";
import { sendTranslations } from "./screenshot-translations.ts";

/** Server of most screenshots. */
export const server = "checkout";
const number = "+15550100";
const mailCount = 42;
/** Number of mails that are received after the conversations. */
const newestCount = 6;

const devices = [
  ["Phone of mara@harbour.example", "JBSWY3DPEHPK3PXP"],
  ["Tablet of qa@harbour.example", "GEZDGNBVGY3TQOJQ"],
] as const;

/** Browser and service with this data. */
export interface Stage extends BrowserAndService {
  readonly browser: Browser;
  readonly close: () => Promise<void>;
}

interface Service {
  readonly url: string;
  readonly apiKey: string;
  readonly smtp: { readonly host: string; readonly port: number };
}

/** Starts browser and service and creates the data; the service runs in a process of its own, with `fsync`. */
export async function setStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "restante-screenshots-"));
  const [browser, world, hook] = await Promise.all([startBrowser(), startRestante(), openHook()]);
  const process = await ServiceProcess.start([`--data-dir=${folder}/data`], {
    environment: {
      RESTANTE_SERVERS: `${server}:Checkout staging,accounts:Sign-up suite`,
      RESTANTE_RELAY_URL: `smtp://127.0.0.1:${world.smtp.port}?verifyCertificate=false`,
    },
  });
  const smtp = { host: "127.0.0.1", port: process.smtpPort };
  const service: Service = { url: process.url, apiKey: process.shown("API key"), smtp };
  const { operatorToken } = JSON.parse(readFileSync(join(folder, "data", "service.json"), "utf8")) as {
    operatorToken: string;
  };
  await addPermissions(service, { operatorToken, webhook: hook.url });
  await sendTranslations(service, server);
  for (let mail = 1; mail <= mailCount; mail += 1) {
    if (mail === mailCount - newestCount) await holdConversations(service);
    await sendAwaited(service, mail);
  }
  return {
    browser,
    service,
    close: async () => {
      await Promise.all([browser.close(), process.stop(), world.stop(), hook.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Starts the application's webhook for SMS replies, which accepts all. */
async function openHook(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const hook = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  const { port } = hook.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/sms`,
    close: async () =>
      new Promise((resolve) => {
        hook.close(() => {
          resolve();
        });
      }),
  };
}

async function ask<Answer>({ url, apiKey }: Service, path: string, body: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function addPermissions(
  service: Service,
  { operatorToken, webhook }: { readonly operatorToken: string; readonly webhook: string },
): Promise<void> {
  for (const address of ["mara@harbour.example", "qa@harbour.example"]) {
    await ask(service, "/api/verified-addresses", { address, operatorToken });
  }
  await ask(service, "/api/verified-addresses", { address: "legal@harbour.example" });
  await ask(service, "/api/phone-numbers", { number, server, webhook, secret: "4f1d8c52a7e94b0b" });
  await ask(service, "/api/phone-numbers", { number: "+15550101", server: "accounts", provider: "vonage" });
  for (const [name, sharedSecret] of devices) await ask(service, "/api/devices", { name, sharedSecret });
  const run = await ask<{ id: string }>(service, "/api/servers", { name: "Checkout, run 8114", ttlSeconds: 5400 });
  for (const mail of [101, 102, 103]) await sendNumber(service, run.id, mail);
  for (const name of ["Checkout CI", "Nightly run"]) await ask(service, "/api/keys", { name, server });
}

/** Sends a mail thread with a reply of the service, and SMS with replies. */
async function holdConversations(service: Service): Promise<void> {
  const transport = createTransport({ ...service.smtp, tls: { rejectUnauthorized: false } });
  const thread = {
    from: "Mara <mara@harbour.example>",
    to: `support@${server}.restante.test`,
    text: "Hello,\n\nI have not received the confirmation of order 20417. Could you send it again?\n\nMara",
  };
  await transport.sendMail({
    ...thread,
    subject: "Where is my confirmation?",
    messageId: "<question@harbour.example>",
  });
  const question = await newestOf(service, "Where is my confirmation?");
  const text = "Of course. I have just sent the confirmation again, with the invoice.\n\nThe Harbour team";
  await ask(service, `/api/messages/${question}/reply`, { text });
  await transport.sendMail({
    ...thread,
    subject: "Re: Where is my confirmation?",
    references: "<question@harbour.example>",
    text: "It has arrived, thank you!\n\nOn Friday, Harbour support wrote:\n> Of course. I have just sent the confirmation again, with the invoice.\n",
  });
  transport.close();
  const from = "+15550199";
  const texts = [
    ["Harbour: sign-in from a new device in Lisbon. Was it you? Reply YES or NO.", "YES"],
    ["Your Harbour code is 804219. It expires in 10 minutes.", null],
    ["Your table for two is reserved for 19:30. Reply CONFIRM or CANCEL.", "CONFIRM"],
    ["See you at 19:30. Manage your table: https://harbour.example/t/7f3a", null],
  ] as const;
  for (const [said, answer] of texts) {
    const { id } = await ask<{ id: string }>(service, "/api/sms", { from, to: number, text: said });
    if (answer !== null) await ask(service, `/api/messages/${id}/reply`, { text: answer });
  }
}

async function newestOf(service: Service, subject: string): Promise<string> {
  const [found] = await ask<readonly { id: string }[]>(service, `/api/messages/search?server=${server}`, { subject });
  return found?.id ?? "";
}

/** Sends a mail while a search waits for it, as in tests. */
async function sendAwaited(service: Service, mail: number): Promise<void> {
  const path = `/api/messages/search?server=${server}&timeout=10000&receivedAfter=${new Date().toISOString()}`;
  const waiting = ask(service, path, { body: "harbour.example" });
  await sendNumber(service, server, mail);
  await waiting;
  const { url, apiKey } = service;
  await fetch(`${url}/api/messages?server=${server}`, { headers: { authorization: `Bearer ${apiKey}` } });
}
