/** Relay connections and verified addresses, from the HTTP request to a real SMTP server. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Message } from "../../src/core/message.ts";
import {
  startScriptedSmtpServer,
  type ScriptedServerOptions,
  type ScriptedSmtpServer,
} from "../../src/testing/scripted-smtp-server.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { throwAwayCertificate } from "../../src/testing/throw-away-certificate.ts";

const key = "a-key-for-journeys";
const server = "rlay1234";
const to = "friend@outside.example";
const { ca, secureContext } = throwAwayCertificate();
const login = "me%40corp:p%3A%C3%BC";

let folder: string;
let caFile: string;
let trusted: string[];
beforeAll(() => {
  trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, ca]);
});
afterAll(() => {
  setDefaultCACertificates(trusted);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-relay-"));
  caFile = join(folder, "ca.pem");
  writeFileSync(caFile, ca);
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const environmentOf = (relayUrl: string): Record<string, string> => ({
  RESTANTE_API_KEY: key,
  RESTANTE_SERVERS: `${server}:Relay`,
  RESTANTE_RELAY_URL: relayUrl,
  RESTANTE_VERIFIED: to,
  RESTANTE_OUTBOX_RETRY_MS: "3600000",
});

/** Starts a process that trusts the CA of the relay by a variable of Node only. */
function start(relayUrl: string, further: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  return ServiceProcess.start([`--data-dir=${join(folder, "data")}`], {
    environment: { ...environmentOf(relayUrl), NODE_EXTRA_CA_CERTS: caFile, ...further },
  });
}

function startHere(relayUrl: string, further: Readonly<Record<string, string>> = {}): Promise<LocalService> {
  return LocalService.start([`--data-dir=${join(folder, "data")}`], { ...environmentOf(relayUrl), ...further });
}

/** Starts a process for a relay with a login, which must not appear in its log, and otherwise a service in this process. */
async function startFor(relayUrl: string): Promise<ServiceAccess> {
  if (relayUrl.includes(login)) return start(relayUrl);
  return startHere(relayUrl);
}

async function ask(service: ServiceAccess, line: string, body?: object): Promise<Response> {
  const [method = "", path = ""] = line.split(" ");
  return service.fetch(path, key, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

async function send(service: ServiceAccess, fields: object = {}): Promise<Response> {
  return ask(service, `POST /api/messages?server=${server}`, { to, subject: "Out", text: "x", send: true, ...fields });
}

/** Delivery state of a message after its first attempt. */
async function deliver(service: ServiceAccess): Promise<Message["delivery"]> {
  const { id } = (await (await send(service)).json()) as Message;
  return vi.waitFor(async () => {
    const { delivery } = (await (await ask(service, `GET /api/messages/${id}`)).json()) as Message;
    if (delivery?.status === "Queued" && delivery.lastError === null) throw new Error("not attempted yet");
    return delivery;
  });
}

const commandsOf = (relay: ScriptedSmtpServer): string => relay.connections.flat().join("\n");
const verbsOf = (lines: readonly string[] = []): readonly string[] =>
  lines.map((line) => line.split(" ", 1)[0] ?? "").filter((verb) => verb !== "RSET");

test.each<[string, ScriptedServerOptions, (port: number) => string, readonly string[]]>([
  [
    "SMTPS with a login",
    { secureContext, isImplicitTls: true, keywords: ["AUTH PLAIN"] },
    (port) => `smtps://${login}@localhost:${port}`,
    ["TLS", "EHLO", "AUTH", "MAIL", "RCPT", "DATA"],
  ],
  [
    "STARTTLS that is demanded, with a login",
    { secureContext, keywords: ["AUTH PLAIN"] },
    (port) => `smtp://${login}@localhost:${port}?requireTLS=true`,
    ["EHLO", "STARTTLS", "TLS", "EHLO", "AUTH", "MAIL", "RCPT", "DATA"],
  ],
  [
    "STARTTLS where it is offered",
    { secureContext },
    (port) => `smtp://localhost:${port}`,
    ["EHLO", "STARTTLS", "TLS", "EHLO", "MAIL", "RCPT", "DATA"],
  ],
  ["unencrypted SMTP", {}, (port) => `smtp://localhost:${port}`, ["EHLO", "MAIL", "RCPT", "DATA"]],
])("mail leaves by %s, and one connection serves many", async (_name, options, ...[urlOf, verbs]) => {
  await using relay = await startScriptedSmtpServer(options);
  await using service = await startFor(urlOf(relay.port));
  for (let mail = 0; mail < 3; mail += 1) {
    expect(await deliver(service)).toMatchObject({ status: "Sent", attempts: 1 });
  }
  expect(relay.contents).toHaveLength(3);
  expect(relay.connections).toHaveLength(1);
  expect(verbsOf(relay.connections[0]).slice(0, verbs.length)).toEqual(verbs);
  const auth = /^AUTH PLAIN (.*)$/m.exec(commandsOf(relay))?.[1];
  if (verbs.includes("AUTH")) expect(Buffer.from(auth ?? "", "base64").toString()).toBe("\0me@corp\0p:ü");
});

test.each<[string, ScriptedServerOptions, (port: number) => string, RegExp]>([
  ["offers no STARTTLS though it is required", {}, (port) => `smtp://localhost:${port}?requireTLS=true`, /TLS/i],
  [
    "refuses STARTTLS though it is demanded",
    { secureContext, script: { STARTTLS: ["454 4.7.0 not now"] } },
    (port) => `smtp://localhost:${port}?requireTLS=true`,
    /454 4\.7\.0 not now/,
  ],
  [
    "has a certificate that nobody vouches for",
    { secureContext: throwAwayCertificate().secureContext },
    (port) => `smtp://localhost:${port}?requireTLS=true`,
    /certificate/i,
  ],
  [
    "refuses the login",
    { secureContext, keywords: ["AUTH PLAIN"], script: { AUTH: ["535 5.7.8 wrong"] } },
    (port) => `smtp://${login}@localhost:${port}`,
    /535 5\.7\.8 wrong/,
  ],
])("a relay that %s gets no mail, and the mail waits", async (_name, options, ...[urlOf, reason]) => {
  await using relay = await startScriptedSmtpServer(options);
  await using service = await startFor(urlOf(relay.port));
  const delivery = await deliver(service);
  expect(delivery).toMatchObject({ status: "Queued", attempts: 1 });
  expect(delivery?.lastError).toMatch(reason);
  expect(delivery?.lastError).not.toContain("p:ü");
  expect(commandsOf(relay)).not.toMatch(/^(?:MAIL|RCPT|DATA)/m);
  expect(service instanceof ServiceProcess ? service.errors : "").not.toContain("p:ü");
});

test("verifies an address with the emailed token, and loses nothing when killed in between", async () => {
  await using relay = await startScriptedSmtpServer({ script: { CONTENT: ["451 later", "250 Ok"] } });
  const url = `smtp://localhost:${relay.port}`;
  // The next attempt is due within about a second, whether or not the first was recorded before the kill.
  const first = await start(url, { RESTANTE_OUTBOX_RETRY_MS: "1000" });
  const address = "owner@new.example";
  expect((await send(first, { to: address })).status).toBe(400);
  const asked = await ask(first, "POST /api/verified-addresses", { address });
  const pending = (await asked.json()) as { id: string; status: string };
  expect(pending).toMatchObject({ status: "Pending" });
  await expect.poll(() => relay.contents.length).toBeGreaterThanOrEqual(1);
  await first.stop("SIGKILL");

  await using second = await startHere(url, { RESTANTE_OUTBOX_RETRY_MS: "20" });
  await ask(second, `POST /api/verified-addresses/${pending.id}/verify`, { token: "guess" });
  expect((await send(second, { to: address })).status).toBe(400);
  await expect.poll(() => relay.contents.length).toBeGreaterThanOrEqual(2);
  const token = /^([\w-]{32})\r$/m.exec(relay.contents[1]?.toString() ?? "")?.[1];
  const verified = await ask(second, `POST /api/verified-addresses/${pending.id}/verify`, { token });
  expect(await verified.json()).toMatchObject({ address, status: "Verified" });
  expect((await send(second, { to: address })).status).toBe(200);
  await expect.poll(() => relay.contents.length).toBeGreaterThanOrEqual(3);
  expect(commandsOf(relay).match(/^RCPT .*$/gm)).toEqual(Array.from({ length: 3 }, () => `RCPT TO:<${address}>`));
});

test("keeps the hourly limit across a restart, and rejects before anything is stored", async () => {
  await using relay = await startScriptedSmtpServer();
  const limited = { RESTANTE_LIMIT_LEAVING_COUNT_PER_HOUR: "2" };
  const first = await start(`smtp://localhost:${relay.port}`, limited);
  expect((await send(first)).status).toBe(200);
  await first.stop("SIGKILL");
  await using second = await startHere(`smtp://localhost:${relay.port}`, limited);
  expect((await send(second)).status).toBe(200);
  const refused = await send(second);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3000);
  expect(await refused.json()).toMatchObject({
    type: "TooManyRequests",
    message: "At most 2 deliveries leave within an hour",
  });
  const sent = (await (await ask(second, `GET /api/messages?server=${server}&dir=Sent`)).json()) as Message[];
  expect(sent).toHaveLength(2);
});

test("stops in an orderly way while the relay does not answer, and delivers after the next start", async () => {
  await using relay = await startScriptedSmtpServer({ script: { RCPT: ["stall", "250 Ok"] } });
  const first = await start(`smtp://localhost:${relay.port}`);
  expect((await send(first)).status).toBe(200);
  await expect.poll(() => commandsOf(relay)).toMatch(/^RCPT/m);
  expect(await first.stop()).toMatchObject({ code: 0, signal: null });

  await using second = await startHere(`smtp://localhost:${relay.port}`);
  await expect.poll(() => relay.contents.length).toBe(1);
  const sent = (await (await ask(second, `GET /api/messages?server=${server}&dir=Sent`)).json()) as Message[];
  expect(sent).toHaveLength(1);
});
