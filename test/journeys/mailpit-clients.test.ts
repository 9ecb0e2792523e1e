/** The API of Mailpit through its clients, unchanged: `mailpit-api` and the requests of `cypress-mailpit`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MailpitClient } from "mailpit-api";
import { MailpitClient as MailpitClientWithEvents } from "mailpit-api-1";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";

const key = "key-of-the-whole-account-1";
const dataDir = mkdtempSync(join(tmpdir(), "restante-mailpit-clients-"));
let service: LocalService;
let client: MailpitClient;

beforeAll(async () => {
  service = await LocalService.start(["--mailpit-port=0"], {
    RESTANTE_API_KEY: key,
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SERVERS: "abcd1234:Shop",
  });
  client = new MailpitClient(service.shown("Mailpit"), { auth: { username: "ci", password: "unused" } });
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true });
});
beforeEach(async () => {
  await client.deleteMessages();
});

const png = Buffer.from("\x89PNG\r\n\x1a\nnot really", "latin1").toString("base64");
const mail = {
  From: { Email: "shop@example.test", Name: "Shop" },
  To: [{ Email: "ada@example.test", Name: "Ada" }],
  Cc: [{ Email: "cc@example.test", Name: "Carbon" }],
  Bcc: ["bcc@example.test"],
  ReplyTo: [{ Email: "help@example.test", Name: "Help" }],
  Subject: "Your order",
  Text: "Thank you for your order.",
  HTML: '<p style="display:flex">Thank <b>you</b>! <img src="cid:logo" alt=""> <a href="https://example.test">Shop</a></p>',
  Headers: { "List-Unsubscribe": "<mailto:stop@example.test>, <https://example.test/stop>" },
  Tags: ["orders"],
  Attachments: [
    { Content: png, Filename: "receipt.png" },
    { Content: png, Filename: "logo.png", ContentID: "logo", ContentType: "image/png" },
  ],
};
const some = (type: unknown): unknown => expect.any(type) as unknown;
const address = { Name: some(String), Address: some(String) };
const file = {
  PartID: some(String),
  FileName: some(String),
  ContentType: "image/png",
  ContentID: some(String),
  Size: 18,
  Checksums: { MD5: some(String), SHA1: some(String), SHA256: some(String) },
};

describe("mailpit-api", () => {
  test("sends a mail and reads it back in every form", async () => {
    const { ID: id } = await client.sendMessage(mail);
    const summary = {
      ID: id,
      MessageID: some(String),
      Read: false,
      From: { Name: "Shop", Address: "shop@example.test" },
      To: [{ Name: "Ada", Address: "ada@example.test" }],
      Cc: [address],
      Bcc: [{ Name: "", Address: "bcc@example.test" }],
      ReplyTo: [{ Name: "Help", Address: "help@example.test" }],
      Subject: "Your order",
      Created: some(String),
      Username: "ci",
      Tags: ["orders"],
      Size: some(Number),
      Attachments: 1,
      Snippet: some(String),
    };
    expect(await client.listMessages(0, 10)).toEqual({
      total: 1,
      unread: 1,
      count: 1,
      messages_count: 1,
      messages_unread: 1,
      start: 0,
      tags: ["orders"],
      messages: [summary],
    });
    const message = await client.getMessageSummary();
    expect(message).toEqual({
      ...Object.fromEntries(Object.entries(summary).filter(([name]) => !["Read", "Created", "Snippet"].includes(name))),
      ReturnPath: "shop@example.test",
      Date: some(String),
      ListUnsubscribe: {
        Header: mail.Headers["List-Unsubscribe"],
        Links: ["mailto:stop@example.test", "https://example.test/stop"],
        Errors: "",
        HeaderPost: "",
      },
      Text: mail.Text,
      HTML: mail.HTML,
      Inline: [{ ...file, FileName: "logo.png", ContentID: "logo" }],
      Attachments: [{ ...file, FileName: "receipt.png" }],
    });
    expect(await client.getMessageHeaders(id)).toMatchObject({
      Subject: ["Your order"],
      "Message-Id": [`<${message.MessageID}>`],
      "Mime-Version": ["1.0"],
      "X-Tags": ["orders"],
    });
    expect(await client.getMessageSource(id)).toContain("Subject: Your order\r\n");
    const part = message.Attachments[0]?.PartID ?? "";
    expect((await client.getMessageAttachment(id, part)).type).toBe("image/png");
    expect((await client.getAttachmentThumbnail(id, part)).type).toBe("image/jpeg");
    expect(await client.renderMessageText()).toBe(mail.Text);
    const logo = `/api/v1/message/${id}/part/${message.Inline[0]?.PartID}`;
    expect(await client.renderMessageHTML(id)).toBe(mail.HTML.replace("cid:logo", logo));
    expect(await client.renderMessageHTML(id, 1)).toContain('<a target="_blank" rel="noreferrer noopener" href=');
  });

  test("searches, marks as read and deletes by query", async () => {
    await client.sendMessage(mail);
    const { ID: other } = await client.sendMessage({ ...mail, Subject: "Another", Tags: [], Attachments: [] });
    const find = async (query: string): Promise<readonly string[]> => {
      const found = await client.searchMessages({ query, start: 0, limit: 10 });
      expect(found.messages_count).toBe(found.messages.length);
      return found.messages.map(({ Subject: subject }) => subject);
    };
    expect(await find("subject:order")).toEqual(["Your order"]);
    expect(await find("to:ada tag:orders has:attachment is:unread")).toEqual(["Your order"]);
    expect(await find("-subject:order")).toEqual(["Another"]);
    expect(await find('"thank you"')).toEqual(["Another", "Your order"]);
    expect(await client.setReadStatus({ Search: "subject:another", Read: true })).toBe("ok");
    expect(await find("is:read")).toEqual(["Another"]);
    expect((await client.searchMessages({ query: "from:shop" })).messages_unread).toBe(1);
    expect(await client.setReadStatus({ IDs: [other], Read: false })).toBe("ok");
    expect(await client.setReadStatus({ Read: true })).toBe("ok");
    expect((await client.listMessages()).unread).toBe(0);
    expect(await client.deleteMessagesBySearch({ query: "subject:another" })).toBe("ok");
    expect(await find("from:shop")).toEqual(["Your order"]);
    expect(await client.deleteMessages({ IDs: [other, "unknown"] })).toBe("ok");
    expect((await client.listMessages()).total).toBe(1);
  });

  test("sets, renames and removes tags", async () => {
    const { ID: id } = await client.sendMessage(mail);
    expect(await client.setTags({ IDs: [id], Tags: ["one", "two, three!"] })).toBe("ok");
    expect(await client.getTags()).toEqual(["one", "two three"]);
    expect(await client.renameTag("ONE", "first")).toBe("ok");
    expect((await client.getMessageSummary(id)).Tags).toEqual(["first", "two three"]);
    expect(await client.deleteTag("first")).toBe("ok");
    await expect(client.deleteTag("first")).rejects.toThrow("tag not found: first");
    expect((await client.getInfo()).Tags).toEqual({ "two three": 1 });
  });

  test("checks a mail, and reads and sets the chaos triggers", async () => {
    const { ID: id } = await client.sendMessage(mail);
    const check = await client.htmlCheck(id);
    expect(check.Warnings.map(({ Slug: slug }) => slug)).toContain("css-display-flex");
    expect(check.Total).toMatchObject({ Nodes: 4, Tests: some(Number) });
    expect(await client.spamAssassinCheck(id)).toMatchObject({ Error: "", IsSpam: false });
    await expect(client.linkCheck(id)).rejects.toThrow("RESTANTE_LINK_CHECK");
    await expect(client.releaseMessage(id, { To: ["ada@example.test"] })).rejects.toThrow("400");
    expect(await client.releaseMessage(id, { To: ["ada@abcd1234.restante.test"] })).toBe("ok");
    expect((await client.listMessages()).total).toBe(2);
    expect(await client.getConfiguration()).toMatchObject({ ChaosEnabled: true, MessageRelay: { Enabled: false } });
    const triggers = {
      Sender: { ErrorCode: 451, Probability: 0 },
      Recipient: { ErrorCode: 452, Probability: 100 },
      Authentication: { ErrorCode: 535, Probability: 0 },
    };
    expect(await client.setChaosTriggers({ Recipient: { ErrorCode: 452, Probability: 100 } })).toEqual(triggers);
    expect(await client.getChaosTriggers()).toEqual(triggers);
    await expect(service.send("x@abcd1234.restante.test", "refused")).rejects.toThrow("452");
    expect(await client.setChaosTriggers({})).toMatchObject({ Recipient: { ErrorCode: 451, Probability: 0 } });
    await service.send("x@abcd1234.restante.test", "accepted");
  });
});

test("responds to the requests of cypress-mailpit", async () => {
  // Its base URL ends without a slash, and paths outside of the API begin with two.
  const ask = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const headers = { "content-type": "application/json" };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(service.shown("Mailpit") + path, init);
    expect(response.status).toBe(200);
    return response;
  };
  const sent = await ask("POST", "/api/v1/send", {
    Attachments: [],
    Bcc: ["bcc@example.com"],
    Cc: [{ Email: "cc@example.com", Name: "CC" }],
    From: { Email: "from@example.com", Name: "From" },
    HTML: "<p>hello from mailpit</p>",
    Headers: {},
    ReplyTo: [{ Email: "replyto@example.com", Name: "ReplyTo" }],
    Subject: "Hello Mailpit",
    Tags: [],
    Text: "hello from mailpit",
    To: [{ Email: "jane@example.com", Name: "Jane" }],
  });
  const { ID: id } = (await sent.json()) as { ID: string };
  const found = await ask("GET", "/api/v1/search?query=to%3Ajane%40example.com&start=0&limit=50");
  expect(await found.json()).toMatchObject({ messages_count: 1, messages: [{ ID: id }] });
  expect(await (await ask("GET", "/api/v1/messages?start=0&limit=50")).json()).toMatchObject({ total: 1 });
  expect(await (await ask("GET", `//view/${id}.html`)).text()).toBe("<p>hello from mailpit</p>");
  expect(await (await ask("GET", `//view/${id}.txt`)).text()).toBe("hello from mailpit");
  expect(await (await ask("PUT", "/api/v1/messages", { IDs: [], Read: true })).text()).toBe("ok");
  expect(await (await ask("GET", "/api/v1/messages")).json()).toMatchObject({ unread: 0 });
  await ask("DELETE", "/api/v1/search?query=subject%3AHello");
  expect(await (await ask("GET", "/api/v1/messages")).json()).toMatchObject({ total: 0, messages: [] });
  await ask("DELETE", "/api/v1/messages");
});

test("receives the events of the socket", async () => {
  const subscriber = new MailpitClientWithEvents(service.shown("Mailpit"));
  const events: { Type: string; Data: unknown }[] = [];
  subscriber.onEvent("*", (event) => void events.push(event));
  // The first event comes when the socket is open.
  await expect.poll(() => events.map(({ Type: type }) => type)).toEqual(["stats"]);
  const { ID: id } = await client.sendMessage({ ...mail, Tags: [] });
  await client.setReadStatus({ IDs: [id], Read: true });
  await client.setTags({ IDs: [id], Tags: ["seen"] });
  await client.deleteMessages({ IDs: [id] });
  await client.deleteMessages();
  const rest = (): unknown[] =>
    events.filter(({ Type: type }) => type !== "stats").map(({ Type: type, Data: data }) => [type, data]);
  await expect.poll(rest).toEqual([
    ["new", expect.objectContaining({ ID: id, Subject: "Your order", Read: false, Tags: [], Cc: [address] })],
    ["update", { ID: id, Read: true }],
    ["update", { ID: id, Tags: ["seen"] }],
    ["delete", { ID: id }],
    ["truncate", null],
  ]);
  await expect.poll(() => events.at(-1)).toMatchObject({ Type: "stats", Data: { Total: 0, Unread: 0 } });
  subscriber.disconnect();
});
