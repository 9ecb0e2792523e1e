/** MMS, WhatsApp and templates through the unmodified Twilio library over real sockets. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import twilio from "twilio";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Message } from "../../src/core/message.ts";
import { startHttpListener, type HttpListener } from "../../src/testing/http-listener.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-journeys";
const server = "mmms1234";
const from = "+15005550006";
const to = "+15551230001";

let folder: string;
let service: LocalService;
let application: HttpListener;
let client: ReturnType<typeof twilio>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-mms-"));
  application = await startHttpListener(({ path }) =>
    path === "/missing.png" ? { status: 404 } : { status: 200, type: "image/png", body: "not really an image" },
  );
  const environment = { RESTANTE_API_KEY: key, RESTANTE_SERVERS: `${server}:MMS`, ...(await storeSettings(folder)) };
  service = await LocalService.start([`--data-dir=${folder}`], environment);
  client = twilio(`AC${"0".repeat(32)}`, key);
  client.api.baseUrl = service.url;
  client.content.baseUrl = `${service.url}/providers/twilio`;
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await application[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function newest(): Promise<Message> {
  const [summary] = (await (await service.fetch(`/api/messages?server=${server}`, key)).json()) as Message[];
  return (await (await service.fetch(`/api/messages/${summary?.id ?? ""}`, key)).json()) as Message;
}

test("media that may be fetched is an attachment, and all media is readable through Twilio's routes", async () => {
  const missing = `${application.url}/missing.png`;
  const mediaUrl = [missing, `${application.url}/a/ticket.png`, `${service.url}/api/servers`, "https://8.8.8.8/x.png"];
  const sent = await client.messages.create({ from, to, mediaUrl });
  expect([sent.numMedia, sent.sid.slice(0, 2)]).toEqual(["4", "MM"]);
  const { attachments, type, provider } = await newest();
  expect([type, attachments]).toMatchObject([
    "SMS",
    [{ fileName: "ticket.png", contentType: "image/png", length: 19 }],
  ]);
  expect(provider?.metadata).toMatchObject({
    MediaUrl0: missing,
    MediaError0: "The response had status 404",
    MediaUrl1: mediaUrl[1],
    MediaError2: "The service never calls itself",
    MediaUrl3: "https://8.8.8.8/x.png",
    MediaError3: expect.stringContaining("not allowed") as unknown,
  });
  const content = await service.fetch(new URL(attachments[0]?.url ?? "").pathname, key);
  expect(await content.text()).toBe("not really an image");

  const media = await client.messages(sent.sid).media.list();
  expect(media.map(({ contentType, parentSid }) => [contentType, parentSid])).toEqual(
    [0, 1, 2, 3].map((at) => [at === 1 ? "image/png" : "application/octet-stream", sent.sid]),
  );
  const [first, second] = media;
  expect(
    (
      await client
        .messages(sent.sid)
        .media(second?.sid ?? "")
        .fetch()
    ).uri,
  ).toBe(second?.uri);
  const fetchMedia = async (uri = ""): Promise<Response> =>
    fetch(service.url + uri.replace(/\.json$/, ""), {
      redirect: "manual",
      headers: { authorization: `Basic ${Buffer.from(`AC${"0".repeat(32)}:${key}`).toString("base64")}` },
    });
  const stored = await fetchMedia(second?.uri);
  expect([stored.headers.get("content-type"), await stored.text()]).toEqual(["image/png", "not really an image"]);
  const redirect = await fetchMedia(first?.uri);
  expect([redirect.status, redirect.headers.get("location")]).toEqual([307, missing]);
  expect((await client.messages(sent.sid).fetch()).numMedia).toBe("4");
});

test("a message of WhatsApp names its channel, here and in Twilio's resource", async () => {
  const body = "Your code is 804219";
  const sent = await client.messages.create({ from: `whatsapp:${from}`, to: `whatsapp:${to}`, body });
  expect([sent.from, sent.to]).toEqual([`whatsapp:${from}`, `whatsapp:${to}`]);
  const message = await newest();
  expect(message).toMatchObject({ to: [{ phone: to }], provider: { metadata: { Channel: "whatsapp" } } });
  const [listed] = await client.messages.list({ to: `whatsapp:${to}`, limit: 1 });
  expect([listed?.sid, listed?.to]).toEqual([sent.sid, `whatsapp:${to}`]);
  await expect(client.messages.create({ from, to: `whatsapp:${to}`, body })).rejects.toMatchObject({ code: 21910 });
});

test("a template is rendered as far as it is stored, and its variables are kept", async () => {
  const template = await client.content.v1.contents.create({
    friendly_name: "order",
    language: "en",
    variables: { "1": "nobody", "2": "0" },
    types: { "twilio/text": { body: "Hi {{1}}, order {{2}} ships {{3}}" } },
  } as Parameters<typeof client.content.v1.contents.create>[0]);
  expect((await client.content.v1.contents.list()).map(({ sid }) => sid)).toEqual([template.sid]);
  const contentVariables = JSON.stringify({ "1": "Ann" });
  await client.messages.create({ from, to, contentSid: template.sid, contentVariables });
  const rendered = await newest();
  expect(rendered.text.body).toBe("Hi Ann, order 0 ships {{3}}");
  expect(rendered.provider?.template).toEqual({ id: template.sid, data: { "1": "Ann" } });
  await client.content.v1.contents(template.sid).remove();
  await client.messages.create({ from, to, contentSid: template.sid, contentVariables });
  expect((await newest()).text.body).toContain(`Template ${template.sid}`);
  const invalid = { from, to, contentSid: template.sid, contentVariables: "[1]" };
  await expect(client.messages.create(invalid)).rejects.toMatchObject({ code: 21656 });
});
