import { beforeEach, describe, expect, test } from "vitest";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import { minimalSample } from "../conformance/sample-emails.test-aid.ts";
import { jsonOf, jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices, startInstant, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { evaluate, or } from "../../core/search/search-expression.ts";
import type { ListOwnObjects } from "../mailbox-subscriptions.ts";
import { gmailNotifications } from "./pub-sub.ts";
import type { ProviderMethod, ProviderRequest, ProviderResponse } from "../provider.ts";
import { gmail } from "./provider.ts";
import { rawMail } from "./samples.test-aid.ts";

const users = "/gmail/v1/users/me";
const mail = rawMail(minimalSample);
const base64url = (text: string): string => Buffer.from(text).toString("base64url");

let memory: MemoryServices;
beforeEach(() => {
  memory = memoryServices();
});

async function send(line: string, value?: unknown, changes: Partial<ProviderRequest> = {}): Promise<ProviderResponse> {
  const [method, target] = line.split(" ") as [ProviderMethod, string];
  const [path = "", query = ""] = target.split("?");
  const fields = [...new URLSearchParams(query)];
  const body = value === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(value));
  const url = `http://localhost${target}`;
  const request = jsonRequest(value, { method, path, fields, url, body, key: validKey, ...changes });
  return callEndpoint(gmail, request, memory.services);
}

const ask = async (line: string, value?: unknown): Promise<Readonly<Record<string, unknown>>> =>
  jsonOf(await send(line, value));
const insert = async (labelIds?: readonly string[], raw = mail): Promise<string> =>
  String((await ask(`POST ${users}/messages`, { raw: base64url(raw), labelIds }))["id"]);
const message = async (line: string, value?: unknown): Promise<unknown> =>
  ((await ask(line, value)) as { readonly error?: { readonly message: string } }).error?.message;

describe("resumable uploads", () => {
  const start = async (query = "", changes: Partial<ProviderRequest> = {}): Promise<string> => {
    const line = `POST /upload${users}/messages/send?uploadType=resumable${query}`;
    const headers = { "x-upload-content-type": "message/rfc822", "content-type": "application/json" };
    const response = await send(line, { threadId: "1" }, { headers, ...changes });
    expect(response).toMatchObject({ status: 200, body: null });
    return (response.headers?.["location"] ?? "").replace("http://localhost", "");
  };
  const put = async (target: string, text: string, range?: string): Promise<ProviderResponse> =>
    send(`PUT ${target}`, undefined, {
      body: Buffer.from(text),
      headers: range === undefined ? {} : { "content-range": range },
    });

  test("send a mail in one request, and in several", async () => {
    const total = mail.length;
    expect((await put(await start(), mail)).status).toBe(200);
    const whole = await put(await start(), mail, `bytes 0-${total - 1}/${total}`);
    expect(jsonOf(whole)).toMatchObject({ labelIds: ["SENT", "INBOX", "UNREAD"] });
    const target = await start();
    expect(await put(target, "", `bytes */${total}`)).toMatchObject({ status: 308, headers: {} });
    const first = await put(target, mail.slice(0, 100), "bytes 0-99/*");
    expect(first).toMatchObject({ status: 308, headers: { range: "bytes=0-99" } });
    expect(await put(target, "", `bytes */${total}`)).toMatchObject({ headers: { range: "bytes=0-99" } });
    const last = await put(target, mail.slice(50), `bytes 50-${total - 1}/${total}`);
    expect(jsonOf(last)).toMatchObject({ labelIds: ["SENT", "INBOX", "UNREAD"] });
    expect(memory.emails.map(({ content }) => Buffer.from(content as Uint8Array).toString())).toEqual([
      mail,
      mail,
      mail,
    ]);
    expect(await put(target, mail, `bytes 0-${total - 1}/${total}`)).toMatchObject({ status: 404 });
  });

  test.each(["bytes 0-5/10", "bytes x", "bytes 5-3/9", "bytes */*"])(
    "reject the range %s of ten bytes",
    async (range) => {
      expect((await put(await start(), "0123456789", range)).status).toBe(400);
    },
  );

  test("reject other media types, and mails that are too large, before they arrive and then", async () => {
    const line = `POST /upload${users}/messages?uploadType=resumable`;
    const headers = { "x-upload-content-type": "text/plain" };
    expect(jsonOf(await send(line, {}, { headers }))).toMatchObject({
      error: { message: "Media type 'text/plain' is not supported. Valid media types: [message/*]" },
    });
    const large = { "x-upload-content-length": String(35 * 1024 * 1024 + 1) };
    expect((await send(line, {}, { headers: large })).status).toBe(413);
    expect((await put(await start(), "x", `bytes 0-0/${35 * 1024 * 1024 + 1}`)).status).toBe(413);
    expect((await put(await start(), "x", `bytes 0-0/${35 * 1024 * 1024}`)).status).toBe(308);
  });

  test("need a type that Google has", async () => {
    expect(await message(`POST /upload${users}/messages?uploadType=other`)).toContain("Invalid uploadType");
    const related = await send(`POST /upload${users}/messages?uploadType=multipart`, undefined, {
      headers: { "content-type": "multipart/related; boundary=b" },
      body: Buffer.from("--b\r\n\r\n{}\r\n--b--\r\n"),
    });
    expect(related.status).toBe(400);
  });
});

describe("watches", () => {
  const topicName = "projects/shop/topics/mail";
  const subscription = "/v1/projects/shop/subscriptions/push";
  const push = { topic: topicName, pushConfig: { pushEndpoint: "https://app.example/push?token=x" } };
  const objects: ListOwnObjects = async (kind) => {
    const session = await memory.services.authenticate(validKey, "read");
    return session.objects.list(kind);
  };

  test("replace each other, and are ended", async () => {
    const first = await ask(`POST ${users}/watch`, { topicName });
    expect(first).toEqual({ historyId: "0", expiration: String(startInstant + 7 * 24 * 3_600_000) });
    await insert();
    const labels = { labelIds: ["SENT"], labelFilterBehavior: "EXCLUDE" };
    expect(await ask(`POST ${users}/watch`, { topicName, ...labels })).toMatchObject({ historyId: "1" });
    const [watching, ...others] = memory.subscriptions.all.values();
    expect(others).toEqual([]);
    const meets = (flags: readonly string[]) =>
      evaluate(watching?.where.Sent ?? or(), (term) => term.kind === "flag" && flags.includes(term.flag));
    expect([meets([]), meets(["draft"])]).toEqual([false, true]);
    expect(memory.subscriptions.facts.map(([, fact]) => fact)).toEqual(["started", "started"]);
    expect((await send(`POST ${users}/stop`)).status).toBe(204);
    expect(memory.subscriptions.all.size).toBe(0);
    expect((await send(`POST ${users}/stop`)).status).toBe(204);
  });

  test.each([
    ["without a topic", {}, /^Invalid topicName/],
    ["of a topic that has no project", { topicName: "mail" }, /^Invalid topicName/],
    ["of an unknown label", { topicName, labelIds: ["Label_1"] }, /^Invalid label: Label_1$/],
  ])("%s are rejected", async (_title, body, text) => {
    expect(await message(`POST ${users}/watch`, body)).toMatch(text);
  });

  test("are pushed to the endpoint of a subscription to their topic", async () => {
    await ask(`POST ${users}/watch`, { topicName });
    const [watching] = memory.subscriptions.all.values();
    if (watching === undefined) throw new Error("nothing is watched");
    const receiver = async (kind: "added" | "expiring") => gmailNotifications.receiverOf(kind, watching, objects);
    expect(await receiver("added")).toBeNull();
    expect(await ask(`PUT ${subscription}`, push)).toMatchObject(push);
    const found = await receiver("added");
    expect(found).toEqual({ url: push.pushConfig.pushEndpoint, name: "projects/shop/subscriptions/push" });
    expect(await receiver("expiring")).toBeNull();
    const notification = { kind: "added", message: null, sequence: 42, at: startInstant } as const;
    const { signingIdentity } = memory.services;
    const parts = { receiver: found ?? { url: "", name: "" }, mail: null, now: () => startInstant, signingIdentity };
    const request = await gmailNotifications.render([notification], watching, parts);
    const body = JSON.parse(Buffer.from(request.body).toString("utf8")) as { message: Record<string, string> };
    const publishTime = "2026-11-20T10:42:07.000Z";
    const messageId = expect.stringMatching(/^\d{10,16}$/) as string;
    expect(body).toEqual({
      message: { data: body.message["data"], messageId, message_id: messageId, publishTime, publish_time: publishTime },
      subscription: "projects/shop/subscriptions/push",
    });
    const data: unknown = JSON.parse(Buffer.from(body.message["data"] ?? "", "base64").toString("utf8"));
    expect(data).toEqual({ emailAddress: "me@server.example", historyId: 42 });
    expect(() => gmailNotifications.render([], watching, parts)).toThrow("No notification");
  });

  test("are pushed by subscriptions that are created once, changed, listed and removed", async () => {
    await ask(`PUT ${subscription}`, push);
    expect(await send(`PUT ${subscription}`, push)).toMatchObject({ status: 409 });
    const pushConfig = { pushEndpoint: "https://app.example/other" };
    expect(await ask(`POST ${subscription}:modifyPushConfig`, { pushConfig })).toEqual({});
    expect(await ask(`GET ${subscription}`)).toMatchObject({ topic: topicName, pushConfig });
    expect(await ask("GET /v1/projects/shop/subscriptions")).toMatchObject({ subscriptions: [{ pushConfig }] });
    expect(await ask("GET /v1/projects/other/subscriptions")).toEqual({ subscriptions: [] });
    expect(await ask(`DELETE ${subscription}`)).toEqual({});
    for (const [line, body] of [
      [`GET ${subscription}`],
      [`DELETE ${subscription}`],
      [`POST ${subscription}:modifyPushConfig`, { pushConfig }],
      [`POST ${subscription}`, { pushConfig }],
    ] as const) {
      expect([line, (await send(line, body)).status]).toEqual([line, 404]);
    }
  });

  test.each([
    ["without a topic", { ...push, topic: "" }, "Invalid [subscriptions] topic: "],
    [
      "without an endpoint",
      { topic: topicName },
      "Only push subscriptions are emulated: give pushConfig.pushEndpoint.",
    ],
    [
      "with a long endpoint",
      { ...push, pushConfig: { pushEndpoint: `https://a.example/${"x".repeat(2000)}` } },
      "Invalid push endpoint: it is too long.",
    ],
    [
      "with an endpoint that is not allowed",
      { ...push, pushConfig: { pushEndpoint: "https://denied.example/" } },
      "The operator has not allowed calls to it",
    ],
    ["whose configuration is a text", { ...push, pushConfig: "x" }, "Invalid value at 'pushConfig' (TYPE_MESSAGE)"],
  ])("have no subscriptions %s", async (_title, body, text) => {
    expect(await message(`PUT ${subscription}`, body)).toBe(text);
  });
});

describe("batches", () => {
  const batch = async (parts: readonly string[]): Promise<string> => {
    const body = Buffer.from(`${parts.map((one) => `--b\r\n${one}\r\n`).join("")}--b--`);
    const headers = { "content-type": 'multipart/mixed; boundary="b"', authorization: "Bearer x" };
    const response = await send("POST /batch/gmail/v1", undefined, { body, headers });
    return response.body?.text ?? Buffer.from(response.body?.bytes ?? []).toString();
  };

  test("have a response for each request, in order, by its Content-ID", async () => {
    const id = await insert();
    const text = await batch([
      `Content-ID: <u + 1>\r\n\r\nGET https://gmail.googleapis.com/gmail/v1/users/me/messages/${id}?format=minimal\r\n\r\n`,
      "Content-ID: <u + 2>\r\n\r\nGET /gmail/v1/users/me/messages/x HTTP/1.1\r\n\r\n",
      "no request",
      `Content-Type: application/http\r\n\r\nPOST /gmail/v1/users/me/messages/${id}/modify\r\nContent-Type: application/json\r\n\r\n{"addLabelIds":["STARRED"]}`,
      `\r\nGET /gmail/v1/users/me/profile\r\nAuthorization: Bearer other\r\n\r\n`,
      "\r\nPOST /batch/gmail/v1 HTTP/1.1\r\n\r\n",
    ]);
    expect(text.match(/HTTP\/1\.1 \d+|Content-ID: .*>/g)).toEqual([
      "Content-ID: <response-u + 1>",
      "HTTP/1.1 200",
      "Content-ID: <response-u + 2>",
      "HTTP/1.1 400",
      "HTTP/1.1 400",
      "HTTP/1.1 200",
      "HTTP/1.1 401",
      "HTTP/1.1 404",
    ]);
    expect(text).toContain(`{"id":"${id}","threadId":"${id}","labelIds":["STARRED"]}`);
  });

  test("have 1 to 100 requests", async () => {
    const one = "\r\nGET /gmail/v1/users/me/labels\r\n\r\n";
    expect((await batch(Array.from({ length: 100 }, () => one))).match(/HTTP\/1\.1 200/g)).toHaveLength(100);
    expect(await batch(Array.from({ length: 101 }, () => one))).toContain("more than 100 calls");
    expect(await batch([])).toContain("0 items");
  });
});

describe("labels", () => {
  test("are those of the system, those that were created, and other tags of mails", async () => {
    const id = await insert();
    const tagged = memory.mailbox.mails[0];
    if (tagged !== undefined) memory.mailbox.mails[0] = { ...tagged, marks: { flags: [], tags: ["From the web UI"] } };
    const created = await ask(`POST ${users}/labels`, { name: " My  label ", color: { textColor: "#000000" } });
    const { labels } = (await ask(`GET ${users}/labels`)) as {
      labels: readonly { id: string; type: string; name: string }[];
    };
    expect(labels.filter(({ type }) => type === "system")).toHaveLength(14);
    expect(labels.filter(({ type }) => type === "user").map(({ name }) => name)).toEqual([
      "My label",
      "From the web UI",
    ]);
    const other = labels.at(-1)?.id ?? "";
    expect(await ask(`GET ${users}/messages/${id}?format=minimal`)).toMatchObject({
      labelIds: ["INBOX", "UNREAD", other],
    });
    await ask(`PATCH ${users}/labels/${other}`, { name: "Renamed" });
    expect(memory.mailbox.mails[0]?.marks.tags).toEqual(["Renamed"]);
    expect(await ask(`GET ${users}/labels/${other}`)).toMatchObject({ id: other, name: "Renamed", messagesTotal: 1 });
    expect(await ask(`PATCH ${users}/labels/${String(created["id"])}`, { labelListVisibility: "labelHide" })).toEqual({
      ...created,
      labelListVisibility: "labelHide",
    });
    expect(await message(`PUT ${users}/labels/${other}`, {})).toBe("Invalid label name");
    expect(await message(`POST ${users}/labels`, { name: "renamed" })).toBe("Label name exists or conflicts");
  });

  test.each([
    ["POST /labels", { name: "inbox" }, "Invalid label name"],
    ["POST /labels", { name: "a,b" }, "Invalid label name"],
    ["POST /labels", { name: 1 }, "Invalid value at 'name' (TYPE_STRING)"],
    ["PATCH /labels/INBOX", { name: "x" }, "Invalid update request"],
    ["DELETE /labels/SENT", undefined, "Invalid update request"],
    ["DELETE /labels/Label_1", undefined, "Requested entity was not found."],
    ["POST /messages/ID/modify", { addLabelIds: ["Label_1"] }, "Invalid label: Label_1"],
    ["POST /messages/ID/modify", { removeLabelIds: ["SENT"] }, "Invalid label: SENT"],
    ["POST /messages/ID/modify", {}, "No label add or removes specified"],
    ["POST /messages/ID/modify", { addLabelIds: "STARRED" }, "Invalid value at 'addLabelIds' (TYPE_MESSAGE)"],
    ["POST /messages/batchModify", { addLabelIds: ["STARRED"] }, "No message ids specified"],
    ["GET /messages?labelIds=Label_1", undefined, "Invalid label: Label_1"],
    ["GET /messages?maxResults=x", undefined, "Invalid maxResults"],
    ["GET /messages?pageToken=x", undefined, "Invalid pageToken"],
    ["GET /messages/ID?format=other", undefined, "Invalid value at 'format' (TYPE_ENUM), \"other\""],
    ["GET /messages/ID/attachments/x", undefined, "Invalid attachment token"],
    ["GET /messages/0123456789abcdef", undefined, "Invalid id value"],
    ["GET /history", undefined, "Invalid startHistoryId"],
    ["POST /drafts", {}, "Missing draft message"],
    ["PUT /drafts/x", { message: { raw: "YQ" } }, "Requested entity was not found."],
    ["POST /drafts/send", {}, "Missing draft message"],
    ["GET /labels?fields=labels(", undefined, "Invalid field selection labels("],
  ])("%s with %j is rejected: %s", async (line, value, expected) => {
    const [method = "", path = ""] = line.split(" ");
    expect(await message(`${method} ${users}${path.replace("ID", await insert())}`, value)).toBe(expected);
  });

  test("decide where mails that are inserted are", async () => {
    const ids = [await insert(), await insert(["INBOX"]), await insert(["SENT"]), await insert(["TRASH", "UNREAD"])];
    const labels = await Promise.all(
      ids.map(async (id) => (await ask(`GET ${users}/messages/${id}?format=minimal`))["labelIds"]),
    );
    expect(labels).toEqual([undefined, ["INBOX"], ["SENT"], ["TRASH", "UNREAD"]]);
  });
});

test("the parameter fields selects members at any depth", async () => {
  const id = await insert(["INBOX"]);
  const selected = async (fields: string): Promise<unknown> =>
    ask(`GET ${users}/messages/${id}?format=metadata&fields=${encodeURIComponent(fields)}`);
  expect(await selected("id,payload/mimeType")).toEqual({ id, payload: { mimeType: "text/plain" } });
  expect(await selected("payload(headers/name)")).toHaveProperty("payload.headers.0", { name: "From" });
  expect(await selected("*")).toHaveProperty("labelIds", ["INBOX"]);
  expect(await selected("none")).toEqual({});
  expect(await selected(`${"a/".repeat(20)}a`)).toHaveProperty("error.code", 400);
});

test("a mail to another mailbox is copied to that of its sender", async () => {
  const { services } = memory;
  const away: typeof services = {
    ...services,
    authenticate: async (...given) => {
      const session = await services.authenticate(...given);
      return {
        ...session,
        submitEmails: async () => [{ uuid: "0199aabb-ccdd-8eee-8fff-001122334455", providerId: "x" }],
      };
    },
  };
  const request = jsonRequest({ raw: base64url(mail) }, { key: validKey, path: `${users}/messages/send` });
  const sent = jsonOf(await callEndpoint(gmail, request, away));
  expect(sent["labelIds"]).toEqual(["SENT"]);
  expect(memory.mailbox.mails).toMatchObject([{ direction: "Sent", marks: { flags: ["seen"], tags: [] } }]);
  expect(sent["id"]).toBe(memory.mailbox.mails[0]?.id.replaceAll("-", ""));
});

test.each([
  [{ authorization: "Bearer abc" }, "abc"],
  [{ authorization: "bearer  abc " }, "abc"],
  [{ authorization: "Basic abc" }, null],
  [{}, "xyz"],
])("the key of %j is %s", (headers, expected) => {
  const fields = "authorization" in headers ? [] : [["access_token", "xyz"] as const];
  expect(gmail.readKey?.(headers, fields)).toBe(expected);
});
