/** The client library against a real service. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport, type Transporter } from "nodemailer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ContentError,
  NoMatchError,
  NotFoundError,
  RestanteClient,
  UnexpectedMessageError,
  type Change,
} from "../../src/client/package-entry.ts";
import { LocalService } from "../../src/testing/local-service.ts";

let folder: string;
let service: LocalService;
let client: RestanteClient;
let server: string;
let mailer: Transporter;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-client-"));
  service = await LocalService.start([`--data-dir=${folder}`, "--api-key=the-account-key", "--chromium=off"], {});
  client = new RestanteClient({ url: service.url, apiKey: "the-account-key" });
  ({ id: server } = await client.servers.create({ name: "Client", ttlSeconds: 3600 }));
  mailer = createTransport({ host: "127.0.0.1", port: service.smtpPort });
});
afterAll(async () => {
  mailer.close();
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

let addressCount = 0;
const newAddress = (): string => `user-${String((addressCount += 1))}@${server}.restante.test`;

async function send(
  to: string,
  fields: { subject?: string; html?: string; attachments?: object[] } = {},
): Promise<void> {
  await mailer.sendMail({
    from: "app@example.com",
    to,
    subject: "Welcome",
    html: '<p>Your code is <b>804219</b>.</p><a href="https://app.example/confirm?t=1">Confirm</a>',
    ...fields,
  });
}

describe("waits", () => {
  test("return a message that arrives later, with its code, link, attachment and raw bytes", async () => {
    const sentTo = newAddress();
    const wait = client.messages.waitForOne(server, { sentTo });
    await send(sentTo, { attachments: [{ filename: "terms.txt", content: "The terms" }] });
    const message = await wait;
    expect([message.code(), message.link("confirm")]).toEqual(["804219", "https://app.example/confirm?t=1"]);
    expect(new TextDecoder().decode(await message.download("terms.txt"))).toBe("The terms");
    expect(new TextDecoder().decode(await message.raw())).toContain("Subject: Welcome");
    expect((await message.transcript()).protocol).toBe("ESMTP");
    expect((await message.bundle()).subarray(0, 2)).toEqual(new Uint8Array([0x50, 0x4b]));
    expect(() => message.link("Delete")).toThrow(ContentError);
    // The JSON of the API and nothing else.
    expect(JSON.parse(JSON.stringify(message))).toEqual({ ...(await client.messages.get(message.id)) });
  });

  test("explain why nothing matched", async () => {
    const sentTo = newAddress();
    await send(sentTo, { subject: "Your receipt" });
    const wait = client.messages.waitForOne(server, { sentTo, subject: "Your order" }, { timeout: 0 });
    await expect(wait).rejects.toThrow(NoMatchError);
    await expect(wait).rejects.toThrow('subject: expected "Your order", is "Your receipt"');
  });

  test("return several messages in order, count exactly, and find what should not be there", async () => {
    const sentTo = newAddress();
    const after = await client.messages.cursor(server);
    for (const subject of ["One", "Two"]) await send(sentTo, { subject });
    const many = await client.messages.waitForMany(server, { sentTo }, { count: 2, after });
    expect(many.map(({ subject }) => subject)).toEqual(["One", "Two"]);
    await client.messages.expectExactly(server, { sentTo }, { count: 2, settle: 0 });
    await expect(client.messages.expectExactly(server, { sentTo }, { count: 1, settle: 0 })).rejects.toThrow(
      "Expected exactly 1 message",
    );
    await expect(client.messages.expectNone(server, { sentTo })).rejects.toThrow(UnexpectedMessageError);
    await client.messages.expectNone(server, { sentTo, subject: "Three" }, { timeout: 0 });
    const journey = [
      { sentTo, subject: "One" },
      { sentTo, subject: "Two" },
    ];
    expect(await client.messages.journey(server, journey, { after })).toMatchObject({ complete: true });
    const failing = client.messages.journey(server, [...journey, { sentTo, subject: "Three" }], { after, timeout: 0 });
    await expect(failing).rejects.toThrow("The journey is not complete:\n- step 3:");
  });

  test("find duplicates", async () => {
    const sentTo = newAddress();
    await send(sentTo);
    await client.messages.expectNoDuplicates(server, { sentTo });
    await send(sentTo);
    await expect(client.messages.expectNoDuplicates(server, { sentTo })).rejects.toThrow('2 times "Welcome"');
  });

  test("end with the reason of their signal", async () => {
    const reason = new Error("the test ended");
    const controller = new AbortController();
    const wait = client.messages.waitForOne(server, { sentTo: newAddress() }, { signal: controller.signal });
    controller.abort(reason);
    await expect(wait).rejects.toBe(reason);
  });
});

test("lists go on over pages, from a cursor or from the beginning", async () => {
  const { id } = await client.servers.create({ name: "Pages" });
  for (const subject of ["1", "2", "3", "4", "5"]) await client.messages.create(id, { subject });
  const page = await client.messages.list(id, { itemsPerPage: 2 });
  expect(page.items.map(({ subject }) => subject)).toEqual(["5", "4"]);
  expect([page.hasNext, (await page.next()).items.map(({ subject }) => subject)]).toEqual([true, ["3", "2"]]);
  const all = await Array.fromAsync(client.messages.all(id, { itemsPerPage: 2 }), ({ subject }) => subject);
  expect(all).toEqual(["5", "4", "3", "2", "1"]);
  const after = await client.messages.cursor(id);
  await client.messages.create(id, { subject: "6" });
  expect((await client.messages.list(id, { after })).items).toMatchObject([{ subject: "6" }]);
  const found = await client.messages.search(id, { subject: "6" });
  expect(found.items).toHaveLength(1);
  await client.messages.deleteAll(id);
  expect((await client.messages.list(id)).items).toEqual([]);
  await client.servers.delete(id);
  await expect(client.servers.get(id)).rejects.toThrow(NotFoundError);
});

test("the event stream continues where it stopped, and ends with the loop", async () => {
  const { id } = await client.servers.create({ name: "Events" });
  const after = await client.messages.cursor(id);
  await client.messages.create(id, { subject: "First" });
  const changes: Change[] = [];
  for await (const change of client.events.stream(id, { after })) {
    changes.push(change);
    if (changes.length === 1) await client.messages.create(id, { subject: "Second" });
    else break;
  }
  expect(changes.map(({ kind, sequence }) => [kind, sequence])).toEqual([
    ["received", after + 1],
    ["received", after + 2],
  ]);
  for await (const message of client.messages.follow(id, { after })) {
    expect(message.subject).toBe("First");
    break;
  }
});

test("replies, SMS, faults, webhooks, keys and one-time passwords", async () => {
  const sentTo = newAddress();
  await mailer.sendMail({ from: newAddress(), to: sentTo, subject: "Question", text: "Yes or no?" });
  const question = await client.messages.waitForOne(server, { sentTo });
  const reply = await question.reply({
    text: "Yes",
    attachments: [{ fileName: "a.bin", content: new Uint8Array([1, 2]) }],
  });
  expect([reply.subject, reply.attachments[0]?.length]).toEqual(["Re: Question", 2]);

  await client.sms.addNumber({ number: "+15550100", server });
  const sms = await client.sms.receive({ from: "App", to: "+15550100", text: "Your code is 117204" });
  expect([sms.type, sms.code()]).toEqual(["SMS", "117204"]);

  const rule = { name: "slow", match: { stage: "rcpt" as const }, then: { delayMs: 1 } };
  expect(await client.faults.replace(server, [rule])).toMatchObject([{ name: "slow", hits: 0 }]);
  await mailer.sendMail({ from: newAddress(), to: newAddress(), subject: "Slow", text: "Hit" });
  expect(await client.faults.replace(server, [rule], { counts: "keep" })).toMatchObject([{ name: "slow", hits: 1 }]);
  expect(await client.faults.replace(server, [rule], { counts: "reset" })).toMatchObject([{ name: "slow", hits: 0 }]);
  await client.faults.clear(server);
  expect(await client.faults.list(server)).toEqual([]);
  expect(await client.servers.setScanner(server, { profile: "custom" })).toMatchObject({
    when: "after",
    methods: ["GET"],
  });
  expect(await client.servers.scanner(server)).toMatchObject({ profile: "custom" });
  await client.servers.deleteScanner(server);

  const webhook = await client.webhooks.create(server, { url: "http://127.0.0.1:9/hook" });
  const ping = await client.webhooks.ping({ server, webhook: webhook.id });
  expect((await client.deliveries.get({ server, delivery: ping.id })).type).toBe("ping");
  expect((await client.deliveries.list(server)).items).toHaveLength(1);
  await client.webhooks.delete({ server, webhook: webhook.id });

  const { key: secret } = await client.keys.create({ name: "Restricted", server });
  const restricted = new RestanteClient({ url: service.url, apiKey: secret });
  expect((await restricted.servers.list()).map(({ id }) => id)).toEqual([server]);
  await expect(restricted.keys.list()).rejects.toMatchObject({ name: "PermissionError", status: 403 });

  const device = await client.devices.create({ name: "Phone", sharedSecret: "ONSWG4TFOQYTEMY=" });
  expect((await client.devices.code(device.id)).code).toMatch(/^\d{6}$/);
  expect((await client.analysis.lint(question.id)).findings.length).toBeGreaterThan(0);
  expect((await client.service.readiness()).startsWith("ready")).toBe(true);
  expect((await client.audit.list({ itemsPerPage: 1 })).items).toHaveLength(1);
});
