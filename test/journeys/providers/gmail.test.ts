/** Google's Node libraries, unmodified, against the service. */
import { Readable } from "node:stream";
import { gmail, type gmail_v1 } from "@googleapis/gmail";
import { OAuth2Client } from "google-auth-library";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTransport } from "nodemailer";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";
import { startApplication } from "./notified-application.ts";

const server = "shop1234";
const zoe = `zoe@${server}.restante.test`;
const userId = "me";
let service: Restante;
let client: gmail_v1.Gmail;

const ask = async (line: string, body?: unknown): Promise<unknown> => {
  const [method = "GET", path = ""] = line.split(" ");
  const authorization = `Basic ${Buffer.from(`${service.apiKey}:`).toString("base64")}`;
  const headers = { authorization, ...(body !== undefined && { "content-type": "application/json" }) };
  const response = await fetch(service.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return response.json();
};

/** Returns a client whose refresh token is an API key. */
const clientFor = (key: string): gmail_v1.Gmail => {
  const auth = new OAuth2Client({
    clientId: "client.apps.googleusercontent.example",
    clientSecret: "secret",
    endpoints: { oauth2TokenUrl: `${service.url}/providers/gmail/token` },
  });
  auth.setCredentials({ refresh_token: key });
  return gmail({ version: "v1", auth, rootUrl: `${service.url}/`, retry: false });
};

beforeAll(async () => {
  service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
  const created = (await ask("POST /api/keys", { name: "Gmail", server, scope: "full" })) as { readonly key: string };
  client = clientFor(created.key);
});
afterAll(async () => service.stop());

const mail = (fields: string, body = "Hi"): string => `From: Shop <app@shop.example>\r\n${fields}\r\n\r\n${body}\r\n`;
const rawOf = (text: string): string => Buffer.from(text).toString("base64url");
const idOf = ({ id }: { readonly id?: string | null }): string => id ?? "";

test("sends a mail, and reads it in every format", async () => {
  const text = [
    "From: Shop <app@shop.example>",
    `To: =?utf-8?q?Zo=C3=AB?= <${zoe}>`,
    "Subject: =?utf-8?q?Your_code_=E2=9C=93?=",
    "X-Order: 4711",
    "Content-Type: multipart/mixed; boundary=m",
    "",
    "--m",
    "Content-Type: multipart/alternative; boundary=a",
    "",
    "--a",
    "Content-Type: text/plain; charset=iso-8859-1",
    "Content-Transfer-Encoding: quoted-printable",
    "",
    "Gr=FC=DFe 482913",
    "--a",
    "Content-Type: text/html; charset=utf-8",
    "",
    "<p>Code <b>482913</b></p>",
    "--a--",
    "--m",
    "Content-Type: application/pdf; name=bill.pdf",
    "Content-Disposition: attachment; filename=bill.pdf",
    "Content-Transfer-Encoding: base64",
    "",
    Buffer.from([0, 255, 13, 10]).toString("base64"),
    "--m--",
    "",
  ].join("\r\n");
  const { data: sent } = await client.users.messages.send({ userId, requestBody: { raw: rawOf(text) } });
  expect(sent).toEqual({ id: sent.id, threadId: sent.id, labelIds: ["SENT", "INBOX", "UNREAD"] });
  const uuid = idOf(sent).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  expect(await ask(`GET /api/messages/${uuid}`)).toMatchObject({
    subject: "Your code ✓",
    html: { codes: [{ value: "482913" }] },
    provider: { name: "gmail", id: sent.id, tags: ["SENT"] },
  });
  const { data: full } = await client.users.messages.get({ userId, id: idOf(sent) });
  expect(full).toMatchObject({ id: sent.id, labelIds: ["SENT", "INBOX", "UNREAD"], sizeEstimate: text.length });
  expect(full.snippet).toContain("482913");
  expect(full.payload?.headers).toContainEqual({ name: "Subject", value: "Your code ✓" });
  await checkParts(sent, full);
  const { data: whole } = await client.users.messages.get({ userId, id: idOf(sent), format: "raw" });
  expect(Buffer.from(whole.raw ?? "", "base64url").toString()).toBe(text);
  const metadata = { userId, id: idOf(sent), format: "metadata", metadataHeaders: ["x-order"] };
  expect((await client.users.messages.get(metadata)).data.payload).toEqual({
    mimeType: "multipart/mixed",
    headers: [{ name: "X-Order", value: "4711" }],
  });
});

async function checkParts(sent: gmail_v1.Schema$Message, { payload }: gmail_v1.Schema$Message): Promise<void> {
  const [body, file] = payload?.parts ?? [];
  expect(body).toMatchObject({ partId: "0", mimeType: "multipart/alternative", body: { size: 0 } });
  const [plain] = body?.parts ?? [];
  expect(plain).toMatchObject({ partId: "0.0", mimeType: "text/plain", filename: "" });
  expect(Buffer.from(plain?.body?.data ?? "", "base64url").toString()).toContain("Grüße 482913");
  expect(file).toMatchObject({ partId: "1", filename: "bill.pdf", body: { size: 4 } });
  const attachment = { userId, messageId: idOf(sent), id: file?.body?.attachmentId ?? "" };
  expect((await client.users.messages.attachments.get(attachment)).data).toEqual({ size: 4, data: "AP8NCg==" });
}

test("uploads mails: alone, and with JSON beside them", async () => {
  const rootUrl = `${service.url}/providers/gmail/`;
  const body = mail(`To: ${zoe}\r\nSubject: Uploaded`);
  const media = { mimeType: "message/rfc822", body };
  const { data: sent } = await client.users.messages.send({ userId, media }, { rootUrl });
  const stream = { ...media, body: Readable.from([body.slice(0, 20), body.slice(20)]) };
  const { data: inserted } = await client.users.messages.insert(
    { userId, requestBody: { labelIds: ["STARRED", "INBOX", "UNREAD"] }, media: stream },
    { rootUrl },
  );
  expect(inserted.labelIds).toEqual(["INBOX", "STARRED", "UNREAD"]);
  for (const { id } of [sent, inserted]) {
    const { data } = await client.users.messages.get({ userId, id: id ?? "", format: "raw" });
    expect(Buffer.from(data.raw ?? "", "base64url").toString()).toBe(body);
  }
});

test("lists mails by queries and labels, and pages", async () => {
  for (const number of [1, 2, 3]) {
    const raw = rawOf(mail(`To: ${zoe}\r\nSubject: Page ${number}\r\nMessage-ID: <page-${number}@shop.example>`));
    await client.users.messages.send({ userId, requestBody: { raw } });
  }
  const first = await client.users.messages.list({ userId, q: "subject:page is:unread", maxResults: 2 });
  expect(first.data).toMatchObject({ resultSizeEstimate: 3, messages: [{}, {}] });
  const pageToken = first.data.nextPageToken ?? "";
  const second = await client.users.messages.list({ userId, q: "subject:page is:unread", pageToken });
  expect(second.data.messages).toHaveLength(1);
  expect(second.data.nextPageToken).toBeUndefined();
  const found = async (q: string): Promise<number> => {
    return (await client.users.messages.list({ userId, q })).data.resultSizeEstimate ?? -1;
  };
  expect(await found("rfc822msgid:page-2@shop.example")).toBe(1);
  expect(await found("subject:page -rfc822msgid:page-2@shop.example")).toBe(2);
  expect(await found("{rfc822msgid:page-1@shop.example rfc822msgid:page-2@shop.example} in:inbox from:app")).toBe(2);
  expect(await found("subject:(page 3) newer_than:1d")).toBe(1);
  expect(await found("in:sent subject:page larger:1")).toBe(3);
  expect(await found("subject:page older_than:1d")).toBe(0);
  expect((await client.users.messages.list({ userId, q: "subject:none" })).data).toEqual({ resultSizeEstimate: 0 });
  const partial = { userId, q: "subject:page", maxResults: 1, fields: "messages(id),resultSizeEstimate" };
  const { data } = await client.users.messages.list(partial);
  expect(data).toEqual({ messages: [{ id: expect.any(String) as string }], resultSizeEstimate: 3 });
});

test("changes labels, which are tags and flags of the message", async () => {
  const { data: label } = await client.users.labels.create({ userId, requestBody: { name: "Work/Bills" } });
  expect(label).toMatchObject({ name: "Work/Bills", type: "user" });
  await expect(client.users.labels.create({ userId, requestBody: { name: "work/bills" } })).rejects.toMatchObject({
    status: 409,
  });
  const raw = rawOf(mail(`To: ${zoe}\r\nSubject: Labels`));
  const { data: sent } = await client.users.messages.send({ userId, requestBody: { raw } });
  const change = { addLabelIds: [idOf(label), "STARRED"], removeLabelIds: ["UNREAD", "INBOX"] };
  const { data: changed } = await client.users.messages.modify({ userId, id: idOf(sent), requestBody: change });
  expect(changed.labelIds).toEqual(["SENT", "STARRED", label.id]);
  const uuid = idOf(sent).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  expect(await ask(`GET /api/messages/${uuid}/marks`)).toEqual({
    flags: ["seen", "flagged"],
    tags: ["ARCHIVE", "Work/Bills"],
  });
  const list = await client.users.messages.list({ userId, labelIds: [idOf(label)], q: "label:work-bills" });
  expect(list.data.messages).toEqual([{ id: sent.id, threadId: sent.id }]);
  expect((await client.users.labels.get({ userId, id: idOf(label) })).data).toMatchObject({
    messagesTotal: 1,
    messagesUnread: 0,
  });
  await client.users.labels.patch({ userId, id: idOf(label), requestBody: { name: "Bills" } });
  expect(await ask(`GET /api/messages/${uuid}/marks`)).toMatchObject({ tags: ["ARCHIVE", "Bills"] });
  await client.users.labels.delete({ userId, id: idOf(label) });
  expect(await ask(`GET /api/messages/${uuid}/marks`)).toMatchObject({ tags: ["ARCHIVE"] });
  const { data: trashed } = await client.users.messages.trash({ userId, id: idOf(sent) });
  expect(trashed.labelIds).toEqual(["SENT", "TRASH", "STARRED"]);
  const hidden = await client.users.messages.list({ userId, q: "subject:labels" });
  expect(hidden.data.resultSizeEstimate).toBe(0);
  const shown = await client.users.messages.list({ userId, q: "subject:labels", includeSpamTrash: true });
  expect(shown.data.resultSizeEstimate).toBe(1);
  await client.users.messages.untrash({ userId, id: idOf(sent) });
  await client.users.messages.batchModify({ userId, requestBody: { ids: [idOf(sent)], addLabelIds: ["INBOX"] } });
  expect((await client.users.messages.get({ userId, id: idOf(sent), format: "minimal" })).data.labelIds).toEqual([
    "SENT",
    "INBOX",
    "STARRED",
  ]);
  await client.users.messages.delete({ userId, id: idOf(sent) });
  await expect(client.users.messages.get({ userId, id: idOf(sent) })).rejects.toMatchObject({ status: 404 });
});

test("keeps drafts, which keep their id when they are changed, and sends them", async () => {
  const draft = mail(`To: ${zoe}\r\nSubject: Draft`);
  const { data: created } = await client.users.drafts.create({
    userId,
    requestBody: { message: { raw: rawOf(draft) } },
  });
  expect(created.message?.labelIds).toEqual(["DRAFT"]);
  const changed = { message: { raw: rawOf(mail(`To: ${zoe}\r\nSubject: Changed draft`)) } };
  const { data: updated } = await client.users.drafts.update({ userId, id: idOf(created), requestBody: changed });
  expect(updated.id).toBe(created.id);
  expect(updated.message?.id).not.toBe(created.message?.id);
  expect((await client.users.drafts.list({ userId })).data.drafts).toEqual([
    { id: created.id, message: { id: updated.message?.id, threadId: updated.message?.threadId } },
  ]);
  const { data: sent } = await client.users.drafts.send({ userId, requestBody: { id: created.id ?? "" } });
  expect(sent.labelIds).toContain("SENT");
  expect((await client.users.drafts.list({ userId })).data).toEqual({ resultSizeEstimate: 0 });
  await expect(client.users.drafts.get({ userId, id: idOf(created) })).rejects.toMatchObject({ status: 404 });
});

test("joins replies to threads", async () => {
  const send = async (fields: string): Promise<gmail_v1.Schema$Message> => {
    const raw = rawOf(mail(`To: ${zoe}\r\n${fields}`));
    return (await client.users.messages.send({ userId, requestBody: { raw } })).data;
  };
  const question = await send("Subject: Thread\r\nMessage-ID: <t1@shop.example>");
  const answer = await send("Subject: Re: Thread\r\nMessage-ID: <t2@shop.example>\r\nIn-Reply-To: <t1@shop.example>");
  const third = await send("Subject: Re: Thread\r\nMessage-ID: <t3@shop.example>\r\nReferences: <t2@shop.example>");
  expect([answer.threadId, third.threadId]).toEqual([question.id, question.id]);
  const { data: thread } = await client.users.threads.get({ userId, id: idOf(question), format: "minimal" });
  expect(thread.messages?.map(({ id }) => id)).toEqual([question.id, answer.id, third.id]);
  const { data: list } = await client.users.threads.list({ userId, q: "subject:thread" });
  expect(list.threads?.map(({ id }) => id)).toEqual([question.id]);
  await client.users.threads.modify({ userId, id: idOf(question), requestBody: { addLabelIds: ["STARRED"] } });
  expect((await client.users.messages.list({ userId, q: "is:starred subject:thread" })).data.resultSizeEstimate).toBe(
    3,
  );
});

test("lists the history since a point", async () => {
  const { data: profile } = await client.users.getProfile({ userId });
  expect(profile.emailAddress).toBe(`me@${server}.restante.example.com`);
  const startHistoryId = profile.historyId ?? "";
  const raw = rawOf(mail(`To: ${zoe}\r\nSubject: History`));
  const { data: sent } = await client.users.messages.send({ userId, requestBody: { raw } });
  await client.users.messages.modify({ userId, id: idOf(sent), requestBody: { removeLabelIds: ["UNREAD"] } });
  const { data: newest } = await client.users.messages.get({ userId, id: idOf(sent), format: "minimal" });
  await client.users.messages.delete({ userId, id: idOf(sent) });
  const added = await client.users.history.list({ userId, startHistoryId });
  expect(added.data.history).toEqual([
    {
      id: expect.any(String) as string,
      messages: [{ id: sent.id, threadId: sent.id }],
      messagesDeleted: [{ message: { id: sent.id, threadId: sent.id } }],
    },
  ]);
  const later = await client.users.history.list({ userId, startHistoryId: newest.historyId ?? "" });
  expect(later.data.history).toHaveLength(1);
  await expect(client.users.history.list({ userId, startHistoryId: "999999999" })).rejects.toMatchObject({
    status: 404,
  });
});

test("pushes the history of a watched mailbox to the endpoint of its topic", async () => {
  await using application = await startApplication();
  const topic = "projects/shop/topics/mail";
  const name = "projects/shop/subscriptions/push";
  const { credentials } = client.context._options.auth as OAuth2Client;
  const authorization = `Bearer ${credentials.access_token ?? ""}`;
  const response = await fetch(`${service.url}/providers/gmail/v1/${name}`, {
    method: "PUT",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ topic, pushConfig: { pushEndpoint: `${application.origin}/push?token=secret` } }),
  });
  expect(await response.json()).toMatchObject({ name, topic });
  const requestBody = { topicName: topic, labelIds: ["INBOX"] };
  const { data: watching } = await client.users.watch({ userId, requestBody });
  expect(Number(watching.expiration)).toBeGreaterThan(Date.now() + 6 * 24 * 3_600_000);

  const { host, port } = service.smtp;
  await createTransport({ host, port, tls: { ca: service.smtp.tls.ca } }).sendMail({
    from: "customer@example.com",
    to: zoe,
    subject: "Help",
    text: "Please",
  });
  const pushed = (await application.receivedAt("/push?token=secret", 2)).map(({ body }) => {
    const { message, subscription } = JSON.parse(body) as { message: { data: string }; subscription: string };
    return { subscription, ...(JSON.parse(Buffer.from(message.data, "base64").toString("utf8")) as object) };
  });
  const emailAddress = `me@${server}.restante.example.com`;
  expect(pushed).toEqual([
    { subscription: name, emailAddress, historyId: Number(watching.historyId) },
    { subscription: name, emailAddress, historyId: Number(watching.historyId) + 1 },
  ]);
  const { data } = await client.users.history.list({ userId, startHistoryId: watching.historyId ?? "" });
  expect(data.history).toMatchObject([{ messagesAdded: [{ message: { labelIds: ["INBOX", "UNREAD"] } }] }]);
  expect((await client.users.stop({ userId })).status).toBe(204);
});

test("has Google's errors, and those of fault rules", async () => {
  const failure = client.users.messages.send({ userId, requestBody: { raw: rawOf(mail("Subject: Nobody")) } });
  await expect(failure).rejects.toMatchObject({
    status: 400,
    message: "Recipient address required",
    response: { data: { error: { status: "INVALID_ARGUMENT", errors: [{ reason: "invalidArgument" }] } } },
  });
  await expect(client.users.messages.get({ userId, id: "x" })).rejects.toMatchObject({ message: "Invalid id value" });
  await expect(clientFor("wrong key").users.getProfile({ userId })).rejects.toMatchObject({ message: "invalid_grant" });
  const rule = { name: "limit", match: { stage: "request" }, when: { first: 1 }, then: { error: "rateLimited" } };
  await ask(`PUT /api/servers/${server}/faults`, { items: [rule] });
  const raw = rawOf(mail(`To: ${zoe}\r\nSubject: Limited`));
  const send = async (): Promise<unknown> => client.users.messages.send({ userId, requestBody: { raw } });
  await expect(send()).rejects.toMatchObject({ status: 429, message: "Too many concurrent requests for user." });
  await expect(send()).resolves.toMatchObject({ status: 200 });
});
