/** The API of Mailpit over real sockets. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";

const key = "key-of-the-whole-account-1";
const dataDir = mkdtempSync(join(tmpdir(), "restante-mailpit-"));
let service: LocalService;
let url: string;

beforeAll(async () => {
  service = await LocalService.start(["--mailpit-port=0"], {
    RESTANTE_API_KEY: key,
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SERVERS: "abcd1234:Shop,wxyz9876:Other",
  });
  url = service.shown("Mailpit");
});
afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true });
});
beforeEach(async () => {
  await service.fetch("/api/messages?server=abcd1234", key, { method: "DELETE" });
});

async function read(path: string): Promise<unknown> {
  const response = await fetch(url + path);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  return await response.json();
}

describe("messages", () => {
  test("deletes the messages of a form, which an older client sends, and no others", async () => {
    await service.send("x@abcd1234.restante.test", "first");
    await service.send("x@abcd1234.restante.test", "second");
    const { messages } = (await read("/api/v1/messages")) as { messages: readonly { readonly ID: string }[] };
    const body = new URLSearchParams([["ids", messages[0]?.ID ?? ""]]);
    expect((await fetch(`${url}/api/v1/messages`, { method: "DELETE", body })).status).toBe(200);
    expect(await read("/api/v1/messages")).toMatchObject({ messages: [{ Subject: "first" }] });
  });

  test("lists the messages of the server, newest first, without those of others", async () => {
    await service.send("x@abcd1234.restante.test", "first");
    await service.send("x@abcd1234.restante.test", "second");
    await service.send("x@wxyz9876.restante.test", "foreign");
    const list = (await read("/api/v1/messages?start=0&limit=1")) as { messages: Record<string, unknown>[] };
    expect(list).toMatchObject({
      total: 2,
      unread: 2,
      count: 1,
      messages_count: 2,
      messages_unread: 2,
      start: 0,
      tags: [],
    });
    const [message] = list.messages;
    expect(message).toEqual({
      ID: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown,
      MessageID: "",
      Read: false,
      From: { Name: "", Address: "" },
      To: null,
      Cc: null,
      Bcc: [{ Name: "", Address: "x@abcd1234.restante.test" }],
      ReplyTo: [],
      Subject: "second",
      Created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/) as unknown,
      Username: "",
      Tags: [],
      Size: 26,
      Attachments: 0,
      Snippet: "Hello",
    });
    expect(await read("/api/v1/messages?start=1")).toMatchObject({ start: 1, messages: [{ Subject: "first" }] });
  });

  test("returns a message and marks it as read", async () => {
    await service.send("x@abcd1234.restante.test", "read me");
    expect(await read("/api/v1/message/latest")).toMatchObject({
      Subject: "read me",
      Text: "Hello\r\n",
      HTML: "",
      ReturnPath: "app@example.com",
      ListUnsubscribe: { Header: "", Links: [], Errors: "", HeaderPost: "" },
      Inline: [],
      Attachments: [],
    });
    expect(await read("/api/v1/messages")).toMatchObject({ total: 1, unread: 0, messages: [{ Read: true }] });
    expect(await read("/api/v1/info")).toMatchObject({ LatestVersion: "disabled", Messages: 1, Unread: 0, Tags: {} });
  });

  test("responds to unknown messages and paths as Mailpit does", async () => {
    for (const path of ["/api/v1/message/latest", "/api/v1/message/nonsense", "/api/v1/nonsense", "/metrics"]) {
      const response = await fetch(url + path);
      expect([response.status, (await response.text()).trim()]).toEqual([404, "404 page not found"]);
    }
    const wrongMethod = await fetch(`${url}/api/v1/info`, { method: "PATCH" });
    expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET"]);
  });
});

describe("access", () => {
  test.each([
    ["another origin", { origin: "https://evil.example" }],
    ["a page of another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }],
    ["another port of this machine", { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }],
  ])("rejects requests of %s", async (_, headers) => {
    expect((await fetch(`${url}/api/v1/messages`, { headers })).status).toBe(403);
  });

  test("requires a key for requests that a proxy forwards", async () => {
    const forwarded = { "x-forwarded-for": "203.0.113.7" };
    const response = await fetch(`${url}/api/v1/messages`, { headers: forwarded });
    expect([response.status, await response.text()]).toEqual([401, "Unauthorized.\n"]);
    expect(response.headers.get("www-authenticate")).toMatch(/^Basic /);
    const authorization = `Basic ${Buffer.from(`any:${key}`).toString("base64")}`;
    expect((await fetch(`${url}/api/v1/messages`, { headers: { ...forwarded, authorization } })).status).toBe(200);
  });
});
