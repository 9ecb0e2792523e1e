/** SMS from real phones: received through a provider's webhook, answered through its send API. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Message } from "../../src/core/message.ts";
import type { FormFields } from "../../src/core/read-form.ts";
import { writeForm } from "../../src/providers/formats/form.ts";
import { signTwilioRequest } from "../../src/providers/twilio/message.ts";
import { withVonageSignature } from "../../src/providers/vonage/message.ts";
import { startHttpListener, type HttpListener, type HttpScript } from "../../src/testing/http-listener.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";

const key = "a-key-for-journeys";
const server = "phon1234";
const phone = "+447700900123";
const secret = "signing-secret-of-the-number";
const accountSecret = "token-of-the-account";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-phones-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

const dataDirFlag = (): readonly string[] => [`--data-dir=${dataDir}`];
const settings = { RESTANTE_API_KEY: key, RESTANTE_SERVERS: `${server}:Phones`, RESTANTE_OUTBOX_RETRY_MS: "50" };
const start = (further: Readonly<Record<string, string>> = {}): Promise<LocalService> =>
  LocalService.start(dataDirFlag(), { ...settings, ...further });
const startProcess = (further: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> =>
  ServiceProcess.start(dataDirFlag(), { environment: { ...settings, ...further } });

async function ask<Answer>(service: ServiceAccess, line: string, body?: object): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  return (await (await service.fetch(path, key, { method, ...content })).json()) as Answer;
}

async function addNumber(service: ServiceAccess, provider: "twilio" | "vonage", fields: object): Promise<string> {
  const number = provider === "twilio" ? "+15550100" : "+15550101";
  await ask(service, "POST /api/phone-numbers", { number, server, provider, secret, ...fields });
  return number;
}

/** Delivers an inbound SMS as the provider does. */
async function bring(service: ServiceAccess, provider: "twilio" | "vonage", id = "M1"): Promise<number> {
  const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
  const url = `${service.url}/api/sms/${provider}`;
  let form: FormFields;
  if (provider === "twilio") {
    form = Object.entries({ MessageSid: `S${id}`, From: phone, To: "+15550100", Body: "Reply YES" });
    headers["x-twilio-signature"] = signTwilioRequest({ url, form }, secret);
  } else {
    form = Object.entries({ msisdn: phone.slice(1), to: "15550101", messageId: id, text: "Reply YES" });
    form = withVonageSignature(form, secret, Date.now());
  }
  const response = await fetch(url, { method: "POST", headers, body: writeForm(form) });
  await response.arrayBuffer();
  return response.status;
}

const texts = (service: ServiceAccess, dir = "Received"): Promise<readonly Message[]> =>
  ask(service, `GET /api/messages?server=${server}&dir=${dir}`);

async function answer(service: ServiceAccess, text = "YES"): Promise<string> {
  const [latest] = await texts(service);
  return (await ask<Message>(service, `POST /api/messages/${latest?.id ?? ""}/reply`, { text })).id;
}

async function settled(service: ServiceAccess, id: string): Promise<Message["delivery"]> {
  return vi.waitFor(async () => {
    const { delivery } = await ask<Message>(service, `GET /api/messages/${id}`);
    if (delivery?.status === "Queued") throw new Error("still queued");
    return delivery;
  });
}

const account = (provider: HttpListener): object => ({
  account: { id: "AC77", secret: accountSecret, apiUrl: provider.url },
});
const taken: HttpScript = () => ({ status: 201, body: '{"sid":"SM1","status":"queued"}' });

test("Twilio: sends the reply by the send API with Basic credentials, and not to the webhook", async () => {
  await using provider = await startHttpListener(taken);
  await using app = await startHttpListener(() => ({ status: 204 }));
  await using service = await start();
  const number = await addNumber(service, "twilio", { ...account(provider), webhook: `${app.url}/in` });
  expect(await bring(service, "twilio")).toBe(200);
  expect(await settled(service, await answer(service))).toMatchObject({ status: "Sent", attempts: 1, lastError: null });
  expect(provider.requests).toMatchObject([
    { method: "POST", path: "/2010-04-01/Accounts/AC77/Messages.json", form: { From: number, To: phone, Body: "YES" } },
  ]);
  const [, credentials = ""] = provider.requests[0]?.headers.authorization?.split(" ") ?? [];
  expect(Buffer.from(credentials, "base64").toString()).toBe(`AC77:${accountSecret}`);
  expect(app.requests).toEqual([]);
  // Replies to messages that the application sent go to the application.
  await ask(service, "POST /api/sms", { from: phone, to: number, text: "Reply NO" });
  await settled(service, await answer(service, "NO"));
  expect(app.requests).toMatchObject([{ path: "/in", form: { Body: "NO" } }]);
  expect(provider.requests).toHaveLength(1);
});

test("Vonage: sends the reply by the send API with key and secret", async () => {
  const body = '{"message-count":"1","messages":[{"status":"0","message-id":"1"}]}';
  await using provider = await startHttpListener(() => ({ status: 200, body }));
  await using service = await start();
  await addNumber(service, "vonage", account(provider));
  expect(await bring(service, "vonage")).toBe(204);
  expect(await settled(service, await answer(service))).toMatchObject({ status: "Sent" });
  const form = { api_key: "AC77", api_secret: accountSecret, from: "15550101", to: phone.slice(1), text: "YES" };
  expect(provider.requests).toMatchObject([{ method: "POST", path: "/sms/json", form }]);
});

test("records a permanent rejection by the provider in the delivery, the changes and the metrics", async () => {
  const body = '{"code":21610,"message":"Attempt to send to unsubscribed recipient"}';
  await using provider = await startHttpListener(() => ({ status: 400, body }));
  await using service = await start();
  await addNumber(service, "twilio", account(provider));
  await bring(service, "twilio");
  const id = await answer(service);
  expect(await settled(service, id)).toMatchObject({
    status: "Failed",
    attempts: 1,
    lastError: "Twilio responded with status 400, code 21610",
  });
  expect(await service.change(server, key, "failed")).toMatchObject({ kind: "failed", id });
  const metrics = await (await service.fetch("/metrics", "")).text();
  expect(metrics).toMatch(/^restante_delivery_attempts_total\{route="hook",status="Failed"\} 1$/m);
});

test("retries a temporary failure, and keeps SMS and account across a restart", async () => {
  await using provider = await startHttpListener((_request, number) => ({ status: number < 1 ? 503 : 201 }));
  const first = await startProcess({ RESTANTE_OUTBOX_RETRY_MS: "4000" });
  await addNumber(first, "twilio", account(provider));
  await bring(first, "twilio");
  const id = await answer(first);
  await expect.poll(() => provider.requests.length).toBeGreaterThan(0);
  await first.stop("SIGKILL");
  await using second = await start();
  expect(await settled(second, id)).toMatchObject({ status: "Sent" });
  expect(provider.requests.map(({ form }) => form["Body"])).toEqual(["YES", "YES"]);
});

test.each(["twilio", "vonage"] as const)(
  "stores a repeated request of %s once, also after a restart",
  async (provider) => {
    const first = await startProcess();
    await addNumber(first, provider, {});
    const ok = provider === "twilio" ? 200 : 204;
    expect(await Promise.all([bring(first, provider), bring(first, provider), bring(first, provider)])).toEqual([
      ok,
      ok,
      ok,
    ]);
    expect(await bring(first, provider, "M2")).toBe(ok);
    await first.stop("SIGKILL");
    await using second = await start({ RESTANTE_HTTP_PORT: "0" });
    expect(await bring(second, provider)).toBe(ok);
    expect(await texts(second)).toHaveLength(2);
  },
);

test("stores secrets encrypted, and can decrypt them after a restart", async () => {
  await using provider = await startHttpListener(taken);
  const first = await start();
  await addNumber(first, "twilio", account(provider));
  await addNumber(first, "vonage", { secret });
  await first.stop();
  for (const word of [secret, accountSecret, "AC77"]) expect(everythingKept()).not.toContain(word);
  await using second = await start();
  expect(await bring(second, "vonage")).toBe(204);
  expect(await bring(second, "twilio")).toBe(200);
  expect(await settled(second, await answer(second))).toMatchObject({ status: "Sent" });
});

/** All files of the data directory except the secret key. */
function everythingKept(): string {
  const files = readdirSync(dataDir).filter((name) => name.startsWith("restante.db"));
  return files.map((name) => readFileSync(join(dataDir, name), "latin1")).join("");
}
