/** Mail through the Mailgun-compatible API over real sockets, with the unmodified library. */
import Mailgun from "mailgun.js";
import type { Interfaces, MailgunMessageData } from "mailgun.js/definitions";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningService } from "../../../src/app/service.ts";
import type { ServerId } from "../../../src/core/ids.ts";
import type { Message } from "../../../src/core/message.ts";
import { startSilently, type SilentService } from "./start-silently.ts";

const key = "key-for-journeys";
const server = "mgun1234" as ServerId;
const domain = "mg.shop.example";
const to = `ada@${server}.restante.test`;

let stop: SilentService["stop"];
let service: RunningService;
let client: Interfaces.IMailgunClient;

beforeAll(async () => {
  ({ service, stop } = await startSilently({
    apiKey: key,
    servers: [{ id: server, name: "Mailgun" }],
  }));
  client = openClient(key);
});
afterAll(async () => {
  await stop();
});

function openClient(apiKey: string): Interfaces.IMailgunClient {
  return new Mailgun(FormData).client({ username: "api", key: apiKey, url: `${service.url}/providers/mailgun` });
}

async function ask<Answer>(line: string, body?: object): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  return (await (await fetch(service.url + path, { method, headers, ...content })).json()) as Answer;
}

async function bySubject(subject: string): Promise<Message> {
  const [found] = await ask<Message[]>(`POST /api/messages/search?server=${server}`, { subject });
  return ask<Message>(`GET /api/messages/${found?.id ?? ""}`);
}

const draft = { from: "Shöp <app@shop.example>", to, subject: "Hello", text: "Hi" };

async function failure(data: Partial<MailgunMessageData>, by = client): Promise<unknown> {
  return by.messages.create(domain, { ...draft, ...data }).then(
    () => expect.unreachable("the mail was accepted"),
    (error: unknown) => error,
  );
}

test("the library sends a mail with every field, and the interface returns it", async () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at));
  const sent = await client.messages.create(domain, {
    ...draft,
    cc: [`Bo <bo@${server}.restante.test>`],
    bcc: `hidden@${server}.restante.test`,
    subject: "Ваш код 482913",
    html: '<p>Code <b>482913</b></p><img src="cid:logo.png">',
    "h:Reply-To": "help@shop.example",
    "h:X-Order": "4711",
    "o:tag": ["welcome", "code"],
    "v:user": "42",
    attachment: { data: bytes, filename: "März.bin" },
    inline: [{ data: bytes, filename: "logo.png", contentType: "image/png" }],
  });
  expect(sent).toMatchObject({ status: 200, message: "Queued. Thank you." });
  const message = await bySubject("Ваш код 482913");
  expect(message).toMatchObject({
    from: [{ name: "Shöp", email: "app@shop.example" }],
    to: [{ email: to }],
    cc: [{ name: "Bo" }],
    bcc: [{ email: `hidden@${server}.restante.test` }],
    text: { body: expect.stringContaining("Hi") as string },
    html: { codes: [{ value: "482913" }] },
    provider: { name: "mailgun", id: sent.id, tags: ["welcome", "code"], metadata: { user: "42" }, template: null },
  });
  expect(message.attachments.map(({ fileName, contentId, length }) => [fileName, contentId, length])).toEqual([
    ["logo.png", "logo.png", 256],
    ["März.bin", null, 256],
  ]);
  const fields = message.metadata.headers.map(({ field, value }) => `${field}: ${value}`);
  expect(fields).toEqual(expect.arrayContaining(["X-Order: 4711", "Reply-To: help@shop.example"]));
  expect(fields).toContain(`Message-ID: ${String(sent.id)}`);
});

test("the library reads the events and the stored message", async () => {
  const { id = "" } = await client.messages.create(domain, { ...draft, subject: "Stored", "o:tag": "events" });
  const { items, pages } = await client.events.get(domain, { "message-id": id, event: "delivered" });
  expect(items).toMatchObject([{ event: "delivered", recipient: to, tags: ["events"] }]);
  const [event] = items;
  const authorization = `Basic ${Buffer.from(`api:${key}`).toString("base64")}`;
  const stored = await fetch(event?.storage.url ?? "", { headers: { authorization } });
  expect(await stored.json()).toMatchObject({
    Subject: "Stored",
    "body-plain": expect.stringContaining("Hi") as string,
  });
  const source = await fetch(event?.storage.url ?? "", { headers: { authorization, accept: "message/rfc2822" } });
  const { "body-mime": raw } = (await source.json()) as { readonly "body-mime": string };
  expect(raw).toMatch(/^Subject: Stored\r$/m);
  const body = new URLSearchParams({ to: `resent@${server}.restante.test` });
  const resent = await fetch(event?.storage.url ?? "", { method: "POST", headers: { authorization }, body });
  expect([resent.status, await resent.json()]).toMatchObject([200, { message: "Queued. Thank you." }]);
  const sentTo = { sentTo: `resent@${server}.restante.test` };
  expect(await ask<Message[]>(`POST /api/messages/search?server=${server}`, sentTo)).toMatchObject([
    { subject: "Stored" },
  ]);
  expect((await client.events.get(domain, { page: pages.next.page })).items).toEqual([]);
});

test("the library sends a whole mail", async () => {
  const mail = `From: app@shop.example\r\nTo: ${to}\r\nSubject: Whole\r\nMessage-ID: <own@shop.example>\r\n\r\nHi\r\n`;
  const { id } = await client.messages.create(domain, { to, message: Buffer.from(mail), "o:tag": "mime" });
  const message = await bySubject("Whole");
  expect(message).toMatchObject({ provider: { id, tags: ["mime"] } });
  const headers = { authorization: `Bearer ${key}` };
  const raw = await fetch(`${service.url}/api/files/email/${message.id}`, { headers });
  expect(await raw.text()).toBe(mail);
});

test("every recipient of recipient variables gets a mail of its own", async () => {
  const names = ["Ada", "Grace"];
  const addressOf = (name: string): string => `${name.toLowerCase()}@${server}.restante.test`;
  await client.messages.create(domain, {
    ...draft,
    to: names.map(addressOf),
    subject: "Order of %recipient.name%",
    "recipient-variables": JSON.stringify(Object.fromEntries(names.map((name) => [addressOf(name), { name }]))),
  });
  for (const name of names) {
    expect(await bySubject(`Order of ${name}`)).toMatchObject({ to: [{ email: addressOf(name) }] });
  }
});

test("the library throws Mailgun's errors, and nothing is stored", async () => {
  const before = await ask<Message[]>(`GET /api/messages?server=${server}`);
  expect(await failure({ to: "nobody" })).toMatchObject({
    type: "MailgunAPIError",
    status: 400,
    message: "Bad Request",
    details: "to parameter is not a valid address. please check documentation",
  });
  expect(await failure({ from: "" })).toMatchObject({ details: "from parameter is missing" });
  expect(await failure({ "o:testmode": "yes", to: "" })).toMatchObject({ details: "to parameter is missing" });
  expect(await failure({}, openClient("unknown"))).toMatchObject({ status: 401, details: "Forbidden" });
  expect(await ask<Message[]>(`GET /api/messages?server=${server}`)).toEqual(before);
});

test("a mail with o:testmode is checked and not stored", async () => {
  const before = await ask<Message[]>(`GET /api/messages?server=${server}`);
  const sent = await client.messages.create(domain, { ...draft, "o:testmode": true });
  expect(sent.message).toBe("Queued. Thank you.");
  expect(await ask<Message[]>(`GET /api/messages?server=${server}`)).toEqual(before);
});

test("a scheduled mail does not arrive before its instant", async () => {
  const later = new Date(Date.now() + 3_600_000).toUTCString();
  await client.messages.create(domain, { ...draft, subject: "Later", "o:deliverytime": later });
  expect(await ask<Message[]>(`POST /api/messages/search?server=${server}`, { subject: "Later" })).toEqual([]);
});

test("a template that is not stored here is shown with its data", async () => {
  const variables = JSON.stringify({ code: "731942" });
  await client.messages.create(domain, { ...draft, subject: "", text: "", template: "otp", "t:variables": variables });
  expect(await bySubject("Template otp")).toMatchObject({
    text: { body: expect.stringContaining("731942") as string },
    provider: { template: { id: "otp", data: { code: "731942" } } },
  });
});

test("a template that is stored here is rendered with Handlebars", async () => {
  const templates = client.domains.domainTemplates;
  const content = { name: "Welcome", description: "", template: "{{#each items}}<i>{{this}}</i>{{/each}}", tag: "v1" };
  // With the built-in FormData the library sends only strings, against its types.
  const headers = JSON.stringify({ Subject: "Welcome {{name}}" }) as never;
  const created = await templates.create(domain, { ...content, headers });
  expect(created).toMatchObject({ name: "welcome", version: { tag: "v1", active: true } });
  const data = { name: "Zoë", items: ["<a>", "b"] };
  await client.messages.create(domain, {
    from: draft.from,
    to,
    template: "welcome",
    "t:variables": JSON.stringify(data),
    "t:text": true,
  });
  expect(await bySubject("Welcome Zoë")).toMatchObject({
    html: { body: expect.stringContaining("<i>&lt;a&gt;</i><i>b</i>") as string },
    text: { body: expect.stringContaining("<a>b") as string },
    provider: { template: { id: "welcome", data } },
  });
  expect((await templates.list(domain)).items).toMatchObject([{ name: "welcome" }]);
  expect(await templates.destroy(domain, "welcome")).toMatchObject({ message: "template has been deleted" });
  await expect(templates.get(domain, "welcome")).rejects.toMatchObject({ status: 404, details: "template not found" });
});

test("the library lists the domains that sent", async () => {
  expect(await client.domains.list()).toMatchObject([{ name: domain, state: "active" }]);
});
