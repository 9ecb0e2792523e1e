/** Outbound mail, from the HTTP request to real SMTP servers that accept or misbehave. */
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dkimVerify } from "mailauth";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { startRestante } from "../../src/testing/start-restante.ts";
import {
  startScriptedSmtpServer,
  type ScriptedSmtpServer,
  type SmtpScript,
} from "../../src/testing/scripted-smtp-server.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { runCommand, ServiceProcess } from "../../src/testing/service-process.ts";
import { runLocally } from "./local-command.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-journeys";
const to = "friend@outside.example";

let folder: string;
let dataDir: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-outbound-"));
  dataDir = join(folder, "data");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function settings(port: number, retryMs: number, query = ""): Promise<Record<string, string>> {
  return {
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: "outb1234:Outbound",
    RESTANTE_RELAY_URL: `smtp://127.0.0.1:${port}${query}`,
    RESTANTE_VERIFIED: `${to},@verified.example`,
    RESTANTE_OUTBOX_RETRY_MS: String(retryMs),
    ...(await storeSettings(dataDir)),
  };
}

async function start(port: number, query = "", further: Record<string, string> = {}): Promise<LocalService> {
  return LocalService.start([`--data-dir=${dataDir}`], { ...(await settings(port, 50, query)), ...further });
}

async function startProcess(port: number, retryMs = 50): Promise<ServiceProcess> {
  return ServiceProcess.start([`--data-dir=${dataDir}`], { environment: await settings(port, retryMs) });
}

async function send(service: ServiceAccess, fields: object = {}): Promise<Message> {
  const body = JSON.stringify({ to, subject: "Out", text: "Hello\n.\nthere", send: true, ...fields });
  const response = await service.fetch("/api/messages?server=outb1234", key, { method: "POST", body });
  expect(response.status).toBe(200);
  return (await response.json()) as Message;
}

async function read(service: ServiceAccess, id: string): Promise<Message> {
  return (await (await service.fetch(`/api/messages/${id}`, key)).json()) as Message;
}

/** Polls until the delivery of the message has the expected state, because the service uses its own clock. */
async function eventually(service: ServiceAccess, id: string, wanted: (message: Message) => boolean): Promise<Message> {
  // On PostgreSQL another node takes over once the first one's heartbeat has expired.
  return vi.waitFor(async () => {
    const message = await read(service, id);
    if (!wanted(message)) throw new Error(`still ${JSON.stringify(message.delivery)}`);
    return message;
  });
}

const linesOf = (server: ScriptedSmtpServer, verb: string): readonly string[] =>
  server.connections.flat().filter((line) => line.startsWith(verb));

test("delivers a message to a real SMTP server with its envelope and exact bytes", async () => {
  await using other = await startRestante();
  await using service = await start(other.smtp.port, "?requireTLS=true&verifyCertificate=false");
  const sent = await send(service, { cc: "a@verified.example" });
  const { delivery } = await eventually(service, sent.id, (message) => message.delivery?.status === "Sent");
  expect(delivery).toMatchObject({ attempts: 1, lastError: null });
  const headers = { authorization: `Bearer ${other.apiKey}`, "content-type": "application/json" };
  const search = await fetch(`${other.url}/api/messages/search?server=${other.serverId}&timeout=10000&count=2`, {
    method: "POST",
    headers,
    body: JSON.stringify({ subject: "Out" }),
  });
  const arrived = (await search.json()) as Message[];
  expect(arrived).toHaveLength(2);
  const raws = await Promise.all(
    arrived.map(async ({ id }) => (await fetch(`${other.url}/api/files/email/${id}`, { headers })).text()),
  );
  const own = await (await service.fetch(`/api/files/email/${sent.id}`, key)).text();
  expect(raws).toEqual([own, own]);
  const metrics = await (await service.fetch("/metrics", "")).text();
  expect(metrics).toMatch(/^restante_delivery_attempts_total\{route="relay",status="Sent"\} 2$/m);
  expect(metrics).toMatch(/^restante_outbox_backlog 0$/m);
});

test.each<[string, SmtpScript, number]>([
  ["refuses for now", { RCPT: ["451 4.3.0 later", "250 Ok"] }, 2],
  ["refuses connections for now", { GREETING: ["421 4.3.2 busy", "220 ready"] }, 2],
  ["drops the connection at DATA", { DATA: ["drop", "354 go"] }, 2],
  ["drops the connection after the content, before its reply", { CONTENT: ["drop", "250 Ok"] }, 2],
])("a server that %s gets the mail when it is tried again", async (_name, script, attempts) => {
  await using relay = await startScriptedSmtpServer({ script });
  await using service = await start(relay.port);
  const sent = await send(service);
  const { delivery } = await eventually(service, sent.id, (message) => message.delivery?.status === "Sent");
  expect(delivery).toMatchObject({ status: "Sent", attempts, lastError: null });
  expect(relay.contents.at(-1)?.toString()).toContain("Hello\r\n..\r\nthere");
});

test("records a permanent rejection in the delivery, the change journal and the metrics", async () => {
  await using relay = await startScriptedSmtpServer({ script: { RCPT: ["550 5.1.1 No such user"] } });
  await using service = await start(relay.port);
  const sent = await send(service);
  const { delivery } = await eventually(service, sent.id, (message) => message.delivery?.status === "Failed");
  expect(delivery).toMatchObject({ attempts: 1, lastError: "550 5.1.1 No such user" });
  expect(await service.change("outb1234", key, "failed")).toMatchObject({ kind: "failed", id: sent.id });
  const metrics = await (await service.fetch("/metrics", "")).text();
  expect(metrics).toMatch(/^restante_delivery_attempts_total\{route="relay",status="Failed"\} 1$/m);
  expect(linesOf(relay, "RCPT")).toEqual([`RCPT TO:<${to}>`]);
});

test("delivers later messages while one relay connection stalls", async () => {
  await using relay = await startScriptedSmtpServer({ script: { MAIL: ["stall", "250 Ok"] } });
  await using service = await start(relay.port);
  const stalled = await send(service, { subject: "First" });
  await expect.poll(() => linesOf(relay, "MAIL")).not.toHaveLength(0);
  const other = await send(service, { subject: "Second" });
  await eventually(service, other.id, (message) => message.delivery?.status === "Sent");
  expect((await read(service, stalled.id)).delivery).toMatchObject({ status: "Queued", attempts: 1 });
  // Otherwise the service would wait ten seconds for the stalled connection when it stops.
  await relay[Symbol.asyncDispose]();
});

test("signs outbound mail with DKIM and stores it unsigned", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const file = join(folder, "dkim.pem");
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
  await using relay = await startScriptedSmtpServer();
  await using service = await start(relay.port, "", {
    RESTANTE_DKIM_DOMAIN: "outb1234.restante.test",
    RESTANTE_DKIM_SELECTOR: "s1",
    RESTANTE_DKIM_KEY: file,
  });
  const sent = await send(service);
  await eventually(service, sent.id, (message) => message.delivery?.status === "Sent");
  const left = `${relay.contents[0]?.toString("latin1") ?? ""}\r\n`.replaceAll("\r\n..", "\r\n.");
  const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: "spki", format: "der" }).toString("base64")}`;
  const asked: string[] = [];
  const verify = async (mail: string): Promise<readonly unknown[]> => {
    const { results } = await dkimVerify(Buffer.from(mail, "latin1"), {
      resolver: async (name: string) => {
        asked.push(name);
        return [[record]];
      },
    });
    return results.map(({ signingDomain, selector, status }) => [signingDomain, selector, status.result]);
  };
  expect(await verify(left)).toEqual([["outb1234.restante.test", "s1", "pass"]]);
  expect(asked).toEqual(["s1._domainkey.outb1234.restante.test"]);
  expect(await verify(left.replace("Subject: Out", "Subject: Put"))).toMatchObject([[expect.anything(), "s1", "fail"]]);
  expect(sent.metadata.headers.some(({ field }) => field === "DKIM-Signature")).toBe(false);
});

test("delivers to the accepted recipient when the other is rejected", async () => {
  await using relay = await startScriptedSmtpServer({ script: { RCPT: ["550 5.1.1 No", "250 Ok"] } });
  await using service = await start(relay.port);
  const sent = await send(service, { cc: "a@verified.example" });
  await eventually(service, sent.id, (message) => message.delivery?.status === "Failed");
  await expect.poll(() => relay.contents).toHaveLength(1);
});

test("loses nothing when killed during delivery, and repeats only the message in transit", async () => {
  const script = { CONTENT: ["250 Ok", "250 Ok", "stall", "250 Ok"], GREETING: ["220 hi", "stall", "stall", "stall"] };
  await using relay = await startScriptedSmtpServer({ script });
  const first = await startProcess(relay.port);
  const names = ["one", "two", "three", "four", "five"];
  const sent: Message[] = [];
  for (const subject of names) {
    const one = await send(first, { subject });
    // Two are delivered and recorded; a third was transmitted without a reply; two have not started.
    if (sent.push(one) <= 2) await eventually(first, one.id, (message) => message.delivery?.status === "Sent");
    else await expect.poll(() => relay.contents).toHaveLength(3);
  }
  await first.stop("SIGKILL");
  const subjectsOf = (contents: readonly Buffer[]): readonly string[] =>
    contents.map((content) => /^Subject: (.*)\r$/m.exec(content.toString())?.[1] ?? "");
  const before = subjectsOf(relay.contents);
  await using calm = await startScriptedSmtpServer();
  await using second = await start(calm.port);
  for (const { id } of sent) await eventually(second, id, (message) => message.delivery?.status === "Sent");
  const after = subjectsOf(calm.contents);
  const onTheWire = before[2];
  expect(after.toSorted()).toEqual(names.filter((name) => name !== before[0] && name !== before[1]).toSorted());
  expect(after.filter((name) => before.includes(name))).toEqual([onTheWire]);
});

test("finishes a delivery in progress on SIGTERM and keeps queued messages for the next start", async () => {
  await using relay = await startScriptedSmtpServer({ script: { RCPT: ["451 later", "250 Ok"] } });
  const first = await startProcess(relay.port, 3000);
  const sent = await send(first);
  await eventually(
    first,
    sent.id,
    (message) => message.delivery?.attempts === 1 && message.delivery.lastError !== null,
  );
  expect(await first.stop()).toMatchObject({ code: 0 });
  await using second = await start(relay.port);
  await eventually(second, sent.id, (message) => message.delivery?.status === "Sent");
  expect(relay.contents).toHaveLength(1);
});

test("restante verify marks an address as verified whether or not the service is running", async () => {
  await using relay = await startScriptedSmtpServer();
  const running = await start(relay.port);
  const environment = { RESTANTE_API_KEY: key, ...(await storeSettings(dataDir)) };
  const verify = (run: typeof runCommand, address: string) =>
    run(["verify", address, `--data-dir=${dataDir}`], { environment });
  expect(await verify(runCommand, "one@new.example")).toMatchObject({ code: 0, out: "one@new.example is verified\n" });
  await send(running, { to: "one@new.example" });
  await running.stop();
  expect(await verify(runLocally, "two@new.example")).toMatchObject({ code: 0, out: "two@new.example is verified\n" });
  expect(await verify(runLocally, "two, three")).toMatchObject({
    code: 1,
    out: "",
  });
  await using again = await start(relay.port);
  const sent = await send(again, { to: "two@new.example" });
  await eventually(again, sent.id, (message) => message.delivery?.status === "Sent");
});
