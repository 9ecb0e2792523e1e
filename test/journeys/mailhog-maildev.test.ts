/** The APIs of MailHog and MailDev: the `mailhog` client unchanged, and requests as suites for MailDev send them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport, type SendMailOptions } from "nodemailer";
import mailhog from "mailhog";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";

const key = "key-of-the-whole-account-1";
const dataDir = mkdtempSync(join(tmpdir(), "restante-mailhog-maildev-"));
const pdf = Buffer.from("%PDF-1.4 not really", "latin1");
let service: LocalService;
let client: ReturnType<typeof mailhog>;
let hog: string;
let dev: string;

beforeAll(async () => {
  service = await LocalService.start(["--mailhog-port=0", "--maildev-port=0"], {
    RESTANTE_API_KEY: key,
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SERVERS: "abcd1234:Shop,wxyz9876:Other",
  });
  hog = service.shown("MailHog");
  dev = service.shown("MailDev");
  client = mailhog({ host: "127.0.0.1", port: Number(new URL(hog).port) });
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true });
});
beforeEach(async () => {
  await client.deleteAll();
});

async function sendOrder(subject = "Grüße"): Promise<void> {
  await sendMail({
    envelope: { from: "bounces@shop.test", to: ["ada@abcd1234.restante.test", "hidden@abcd1234.restante.test"] },
    from: '"The Shop" <shop@shop.test>',
    to: '"Ada" <ada@abcd1234.restante.test>',
    subject,
    text: "Your receipt, Ada: ✓",
    html: '<p>Your <b>receipt</b> <img src="cid:logo@shop"></p>',
    attachments: [
      { filename: "receipt.pdf", content: pdf, contentType: "application/pdf" },
      { filename: "logo.png", content: pdf, contentType: "image/png", cid: "logo@shop" },
    ],
  });
}

async function sendMail(mail: SendMailOptions): Promise<void> {
  const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort, ignoreTLS: true });
  await transport.sendMail(mail);
  transport.close();
}

async function read(url: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  expect(response.status).toBe(200);
  return await response.json();
}

test("releases a mail to addresses that the service may send to, over both APIs", async () => {
  await sendOrder();
  const [{ ID: id = "" } = {}] = (await read(`${hog}/api/v1/messages`)) as readonly { readonly ID?: string }[];
  const post = async (url: string, body: unknown = {}): Promise<number> =>
    (await fetch(url, { method: "POST", body: JSON.stringify(body) })).status;
  const release = `${hog}/api/v1/messages/${id}/release`;
  const own = "copy@abcd1234.restante.test";
  expect(await post(release, { Email: "x@y.test", Host: "smtp.test" })).toBe(400);
  expect(await post(release, { Email: own, Host: "smtp.test" })).toBe(200);
  expect(await post(`${dev}/email/${id}/relay/x@y.test`)).toBe(400);
  expect(await post(`${dev}/email/${id}/relay/${own}`)).toBe(200);
  expect(await post(`${dev}/api/email/${id}/relay`)).toBe(200);
  // One for each address: the mail itself has two recipients on the server.
  await expect.poll(async () => (await client.messages(0, 1))?.total).toBeGreaterThanOrEqual(4);
});

describe("MailHog", () => {
  test("lists messages whose text, subject and attachments its client decodes", async () => {
    await sendOrder();
    const list = await client.messages(0, 10);
    expect(list).toMatchObject({ total: 1, count: 1, start: 0 });
    const [mail] = list?.items ?? [];
    expect(mail).toMatchObject({
      subject: "Grüße",
      From: { Mailbox: "bounces", Domain: "shop.test", Relays: null, Params: "" },
      To: [{ Mailbox: "ada", Domain: "abcd1234.restante.test" }, { Mailbox: "hidden" }],
      Content: { Headers: { "Return-Path": ["<bounces@shop.test>"] }, MIME: null },
      Raw: { From: "bounces@shop.test", Data: expect.stringContaining("Subject: =?UTF-8?") as unknown },
    });
    const parts = mail?.MIME.Parts ?? [];
    const receipt = parts.findIndex(({ Headers }) => JSON.stringify(Headers).includes("receipt.pdf"));
    const download = await fetch(`${hog}/api/v1/messages/${mail?.ID}/mime/part/${receipt}/download`);
    expect(Buffer.from(await download.arrayBuffer())).toEqual(pdf);
    expect(download.headers.get("content-disposition")).toBe('attachment; filename="receipt.pdf"');
    const source = await fetch(`${hog}/api/v1/messages/${mail?.ID}/download`);
    expect([source.headers.get("content-type"), await source.text()]).toEqual([
      "message/rfc822",
      `${(mail as unknown as { Raw: { Data: string } }).Raw.Data}\r\n`,
    ]);
    expect(await read(`${hog}/api/v1/messages/${mail?.ID}`)).toMatchObject({ ID: mail?.ID });
    expect(await read(`${hog}/api/v1/messages`)).toMatchObject([{ ID: mail?.ID }]);
  });

  test("has the encoded bodies, which its client decodes", async () => {
    const to = "ada@abcd1234.restante.test";
    await sendMail({ from: "shop@shop.test", to, subject: "plain", text: "Grüße: ✓", html: "<p>Grüße: ✓</p>" });
    expect(await client.latestTo(to)).toMatchObject({ text: "Grüße: ✓", html: "<p>Grüße: ✓</p>" });
  });

  test("streams the messages that arrive as events", async () => {
    const leaving = new AbortController();
    const response = await fetch(`${hog}/api/v1/events`, { signal: leaving.signal });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    await service.send("x@wxyz9876.restante.test", "foreign");
    await sendOrder("streamed");
    let text = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      if (/^data: .*\n\n/m.test(text)) break;
    }
    leaving.abort();
    const [, json = ""] = /^data: (.*)$/m.exec(text) ?? [];
    expect(JSON.parse(json)).toMatchObject({ Content: { Headers: { Subject: ["streamed"] } } });
    expect(text.match(/^data: /gm)).toHaveLength(1);
  });

  test("finds messages by sender, recipient and content, and deletes one", async () => {
    await sendOrder("first");
    await sendOrder("second");
    await service.send("x@wxyz9876.restante.test", "of another server");
    expect(await client.latestFrom("shop@shop.test")).toMatchObject({ subject: "second" });
    expect(await client.latestTo("ada@ABCD1234")).toMatchObject({ subject: "second" });
    const found = await client.latestContaining("first");
    expect(found).toMatchObject({ subject: "first" });
    expect(await client.search("of another", "containing")).toMatchObject({ total: 0, count: 0 });
    expect((await fetch(`${hog}/api/v2/search?kind=subject&query=x`)).status).toBe(400);
    expect((await fetch(`${hog}/api/v2/search?kind=from`)).status).toBe(400);
    await client.deleteMessage((found as { ID: string }).ID);
    expect(await client.messages(0, 1)).toMatchObject({ total: 1, count: 1, items: [{ subject: "second" }] });
    expect(await read(`${hog}/api/v1/messages/${(found as { ID: string }).ID}`)).toBeNull();
  });

  test("maps Jim to fault rules of the server, and keeps the other ones", async () => {
    const faults = `/api/servers/abcd1234/faults`;
    const own = { name: "own", match: { stage: "data" }, then: { delayMs: 1 } };
    await service.fetch(faults, key, { method: "PUT", body: JSON.stringify([own]) });
    const jim = async (method: string, body?: unknown): Promise<number> =>
      (await fetch(`${hog}/api/v2/jim`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) })).status;
    expect([await jim("GET"), await jim("PUT", {}), await jim("DELETE")]).toEqual([404, 404, 404]);
    expect([await jim("POST"), await jim("POST")]).toEqual([201, 400]);
    expect(await read(`${hog}/api/v2/jim`)).toMatchObject({ DisconnectChance: 0.005, AcceptChance: 0.99 });
    expect(await jim("PUT", { AcceptChance: 1, RejectRecipientChance: 1 })).toBe(200);
    expect(await jim("PUT", { AcceptChance: 2 })).toBe(400);
    await expect(sendOrder()).rejects.toThrow("550");
    expect(await jim("DELETE")).toBe(200);
    await sendOrder();
    const left = (await (await service.fetch(faults, key)).json()) as readonly { readonly name: string }[];
    expect(left.map(({ name }) => name)).toEqual(["own"]);
    await service.fetch(faults, key, { method: "DELETE" });
  });

  test("responds to unknown paths, methods and preflights as MailHog does", async () => {
    expect(await read(`${hog}/api/v2/outgoing-smtp`)).toEqual({});
    expect((await fetch(`${hog}/api/v3/messages`)).status).toBe(404);
    expect((await fetch(`${hog}/api/v1/messages`, { method: "OPTIONS" })).status).toBe(200);
    expect((await fetch(`${hog}/api/v1/messages/nonsense/download`)).status).toBe(404);
    expect((await fetch(`${hog}/`, { redirect: "manual" })).status).toBe(302);
  });
});

describe("MailDev", () => {
  test.each(["", "/api"])("lists, filters and reads e-mails below %j", async (prefix) => {
    await sendOrder("first");
    await sendOrder("second");
    const list = (await read(`${dev}${prefix}/email`)) as readonly Record<string, unknown>[];
    expect(list.map(({ subject, read: isRead }) => [subject, isRead])).toEqual([
      ["first", false],
      ["second", false],
    ]);
    expect(list[0]).toMatchObject({
      from: [{ address: "shop@shop.test", name: "The Shop" }],
      to: [{ address: "ada@abcd1234.restante.test", name: "Ada" }],
      calculatedBcc: [{ address: "hidden@abcd1234.restante.test", name: "" }],
      text: expect.stringContaining("✓") as unknown,
      html: expect.stringContaining("<b>receipt</b>") as unknown,
      headers: { subject: "first" },
      envelope: { from: { address: "bounces@shop.test" }, to: [{ address: "ada@abcd1234.restante.test" }, {}] },
    });
    expect(await read(`${dev}${prefix}/email?subject=second`)).toMatchObject([{ subject: "second" }]);
    expect(await read(`${dev}${prefix}/email?from.address=nobody@shop.test`)).toEqual([]);
    expect(await read(`${dev}${prefix}/email?skip=1`)).toMatchObject([{ subject: "second" }]);
    const { id } = list[0] as { readonly id: string };
    expect(await read(`${dev}${prefix}/email/${id}`)).toMatchObject({ id, read: true });
    expect(await read(`${dev}${prefix}/email?read=true`)).toMatchObject([{ id }]);
    const page = await (await fetch(`${dev}${prefix}/email/${id}/html`)).text();
    const [, image = ""] = /src="\/\/[^/]+([^"]+)"/.exec(page) ?? [];
    expect(Buffer.from(await (await fetch(dev + image)).arrayBuffer())).toEqual(pdf);
    expect((await fetch(`${dev}${prefix}/email/${id}/attachment/receipt.pdf`)).headers.get("content-type")).toBe(
      "application/pdf",
    );
    expect(await (await fetch(`${dev}${prefix}/email/${id}/source`)).text()).toContain("Subject: first");
    expect(await read(`${dev}${prefix}/email/read-all`, { method: "PATCH" })).toBe(1);
    expect(await read(`${dev}${prefix}/email/${id}`, { method: "DELETE" })).toBe(true);
    expect((await fetch(`${dev}${prefix}/email/${id}`)).status).toBe(404);
    expect(await read(`${dev}${prefix}/email/all`, { method: "DELETE" })).toBe(true);
    expect(await read(`${dev}${prefix}/email`)).toEqual([]);
    expect(await read(`${dev}${prefix}/healthz`)).toBe(true);
    expect(await read(`${dev}${prefix}/config`)).toMatchObject({ isOutgoingEnabled: false });
  });

  test("describes an e-mail with the members of the version", async () => {
    await sendMail({
      envelope: { from: "b@shop.test", to: ["ada@abcd1234.restante.test"] },
      from: "shop@shop.test",
      to: "ada@abcd1234.restante.test",
      replyTo: '"Help" <help@shop.test>',
      subject: "members",
      priority: "high",
      inReplyTo: "<first@shop.test>",
      date: new Date(Date.UTC(2026, 0, 2)),
      text: "",
      attachments: [{ filename: "a.csv", content: "a,b", contentType: "text/csv" }],
    });
    const [second] = (await read(`${dev}/email`)) as readonly Record<string, unknown>[];
    expect(second).toMatchObject({
      time: "2026-01-02T00:00:00.000Z",
      replyTo: [{ address: "help@shop.test", name: "Help" }],
      priority: "high",
      inReplyTo: ["first@shop.test"],
      headers: { from: "shop@shop.test", "x-priority": "high" },
      envelope: { from: { address: "b@shop.test", args: false } },
      attachments: [{ fileName: "a.csv", length: 3, transformed: true }],
    });
    const [third] = (await read(`${dev}/api/email`)) as readonly Record<string, unknown>[];
    expect(Object.keys(third ?? {}).toSorted()).toEqual(
      "attachments calculatedBcc envelope from headers id inReplyTo read size sizeHuman source subject time to".split(
        " ",
      ),
    );
    expect(third).toMatchObject({
      inReplyTo: "<first@shop.test>",
      sizeHuman: expect.stringMatching(/^\d+ Bytes$/) as unknown,
      headers: { subject: "members", priority: "high", "in-reply-to": "<first@shop.test>" },
      envelope: { from: { address: "b@shop.test" }, to: [{ address: "ada@abcd1234.restante.test" }] },
      attachments: [{ filename: "a.csv", size: 3, contentType: "text/csv" }],
    });
    expect(third?.["headers"]).not.toHaveProperty("from");
  });

  test("has pages of summaries and deletes some e-mails, in version 3", async () => {
    for (const subject of ["one", "two", "three"]) await sendOrder(subject);
    const page = async (query: string): Promise<unknown> => await read(`${dev}/api/email/summary?${query}`);
    const first = (await page("limit=2")) as { readonly items: readonly { readonly id: string }[] };
    expect(first).toMatchObject({ total: 3, storeTotal: 3, unread: 3, skip: 0, limit: 2 });
    expect(first.items).toMatchObject([{ subject: "three", attachmentCount: 2 }, { subject: "two" }]);
    expect(await page("limit=2&sort=asc&skip=1")).toMatchObject({ items: [{ subject: "two" }, { subject: "three" }] });
    expect(await page("search=TWO&unread=true")).toMatchObject({ total: 1, items: [{ subject: "two" }] });
    const ids = [...first.items.map(({ id }) => id), "nonsense"];
    const request = (body: unknown): RequestInit => ({ method: "POST", body: JSON.stringify(body) });
    expect(await read(`${dev}/api/email/delete`, request({ ids }))).toEqual({
      deleted: ids.slice(0, 2),
      notFound: ["nonsense"],
    });
    expect((await fetch(`${dev}/api/email/delete`, request({ ids: [] }))).status).toBe(400);
    expect(await page("")).toMatchObject({ total: 1 });
  });
});
