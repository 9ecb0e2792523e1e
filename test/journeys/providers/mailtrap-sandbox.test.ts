/** The sandbox API of Mailtrap's Node SDK, unmodified, against the service. */
import type { MailtrapClient } from "mailtrap";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";
import { mailtrapClient } from "./mailtrap-library.ts";

const server = "shop1234";
const other = "othr1234";
const inboxId = Number.parseInt(server, 36);
let service: Restante;
let client: MailtrapClient;
beforeAll(async () => {
  const servers = [server, other].map((id) => ({ id, name: `Sandbox ${id}` }));
  service = await startRestante({ servers });
  client = mailtrapClient(service.url, { token: service.apiKey, accountId: 1, sandbox: true, testInboxId: inboxId });
});
afterAll(async () => service.stop());
beforeEach(async () => {
  await client.testing.inboxes.cleanInbox(inboxId);
});

const mail = {
  from: { email: "app@shop.example", name: "App" },
  to: [{ email: "zoe@customer.example", name: "Zoë" }],
  subject: "Your code",
  text: "Your code is 482913",
  html: "<p>Your code is <b>482913</b></p>",
};

/** Sends a mail to the sandbox, and returns its number. */
async function send(changes: object = {}): Promise<number> {
  const { message_ids: ids } = await client.send({ ...mail, ...changes });
  expect(ids).toHaveLength(1);
  return Number(ids[0]);
}

test("lists sandboxes, which are the servers, and their projects", async () => {
  await send();
  const inboxes = (await client.testing.inboxes.getList()) ?? [];
  const names = inboxes.map(({ id, name, emails_count: count }) => [id, name, count]);
  expect(names).toContainEqual([inboxId, "Sandbox shop1234", 1]);
  expect(names).toContainEqual([Number.parseInt(other, 36), "Sandbox othr1234", 0]);
  expect(await client.testing.inboxes.getInboxAttributes(inboxId)).toMatchObject({
    id: inboxId,
    emails_unread_count: 1,
  });
  expect(await client.testing.projects.getList()).toMatchObject([{ id: 1 }]);
  expect(await client.general.accounts.getAllAccounts()).toMatchObject([{ id: 1 }]);
});

test("stores mail for any recipient in the sandbox that the application sends to", async () => {
  const id = await send();
  const message = await client.testing.messages.showEmailMessage(inboxId, id);
  expect(message).toMatchObject({
    id,
    inbox_id: inboxId,
    subject: "Your code",
    from_email: "app@shop.example",
    to_email: "zoe@customer.example",
    to_name: "Zoë",
    is_read: false,
  });
  expect(await client.testing.messages.getHtmlMessage(inboxId, id)).toContain("<b>482913</b>");
  expect(await client.testing.messages.getMessageHtmlSource(inboxId, id)).toContain("<b>482913</b>");
  expect(await client.testing.messages.getTextMessage(inboxId, id)).toBe("Your code is 482913");
  expect(await client.testing.messages.getRawMessage(inboxId, id)).toContain("Subject: Your code");
  expect(await client.testing.messages.getMessageAsEml(inboxId, id)).toContain("Subject: Your code");
  expect(await client.testing.messages.getMailHeaders(inboxId, id)).toMatchObject({
    headers: { subject: "Your code" },
  });
  const absent = mailtrapClient(service.url, { token: service.apiKey, sandbox: true, testInboxId: 1 });
  await expect(absent.send(mail)).rejects.toThrow("Not Found");
  const foreign = client.testing.messages.showEmailMessage(Number.parseInt(other, 36), id);
  await expect(foreign).rejects.toThrow("Not Found");
});

test("reads mail that arrived by SMTP, finds it and marks it", async () => {
  const transport = createTransport(service.smtp);
  const to = `"Ada" <ada@${server}.restante.test>`;
  await transport.sendMail({ from: "app@shop.example", to, subject: "By SMTP", text: "Hi" });
  await send();
  const [found, ...more] = await client.testing.messages.get(inboxId, { search: "ada@" });
  expect([found?.subject, found?.smtp_information, more]).toMatchObject([
    "By SMTP",
    { ok: true, data: { mail_from_addr: "app@shop.example" } },
    [],
  ]);
  const id = found?.id ?? 0;
  expect(await client.testing.messages.updateMessage(inboxId, id, { isRead: true })).toMatchObject({ is_read: true });
  const [newest] = await client.testing.messages.get(inboxId);
  expect(await client.testing.messages.get(inboxId, { last_id: newest?.id ?? 0 })).toMatchObject([{ id }]);
  expect(await client.testing.inboxes.markAsRead(inboxId)).toMatchObject({ emails_count: 2, emails_unread_count: 0 });
  expect(await client.testing.messages.deleteMessage(inboxId, id)).toMatchObject({ id });
  await expect(client.testing.messages.showEmailMessage(inboxId, id)).rejects.toThrow("Not Found");
});

test("lists attachments, and returns their content by the path that they name", async () => {
  const content = Buffer.from([0, 255, 13, 10]);
  const id = await send({ attachments: [{ filename: "data.bin", content }] });
  const [file] = await client.testing.attachments.getList(inboxId, id);
  expect(file).toMatchObject({ filename: "data.bin", attachment_size: 4, attachment_human_size: "4 Bytes" });
  expect(await client.testing.attachments.get(inboxId, id, file?.id ?? 0)).toEqual(file);
  const url = `${service.url}/providers/mailtrap${file?.download_path ?? ""}`;
  const response = await fetch(url, { headers: { "api-token": service.apiKey } });
  expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
});

test("reports spam and features of the HTML that email clients lack", async () => {
  const id = await send({ html: '<div style="display:grid;position:sticky">Hi</div>' });
  expect(await client.testing.messages.getSpamScore(inboxId, id)).toMatchObject({
    report: { ResponseMessage: "EX_OK", Spam: false, Details: expect.any(Array) as unknown },
  });
  const { report } = (await client.testing.messages.getHtmlAnalysis(inboxId, id)) as unknown as {
    readonly report: { readonly status: string; readonly errors: readonly { readonly rule_name: string }[] };
  };
  expect(report.status).toBe("success");
  expect(report.errors.map((one) => one.rule_name).join("; ")).toContain("grid");
});

test("sends a batch to the sandbox", async () => {
  const requests = [{ to: mail.to }, { to: mail.to, subject: "Second" }];
  const { from, subject, text } = mail;
  const { responses } = await client.batchSend({ base: { from, subject, text }, requests });
  const sent = responses.map((one) => Number(one.message_ids?.[0]));
  const listed = (await client.testing.messages.get(inboxId)).map(({ id }) => id);
  expect(new Set(listed)).toEqual(new Set(sent));
});

/** Returns a new key of the other server. */
async function createKey(scope: string): Promise<string> {
  const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ name: scope, server: other, scope });
  const response = await fetch(`${service.url}/api/keys`, { method: "POST", headers, body });
  return ((await response.json()) as { readonly key: string }).key;
}

test("needs a key of the service, and shows only the server of a restricted one", async () => {
  const unknown = mailtrapClient(service.url, { token: "any", accountId: 1 });
  await expect(unknown.testing.inboxes.getList()).rejects.toThrow("Incorrect API token");
  const [readKey, fullKey] = [await createKey("read"), await createKey("full")];
  const restricted = mailtrapClient(service.url, { token: readKey, accountId: 1 });
  const inboxes = (await restricted.testing.inboxes.getList()) ?? [];
  expect(inboxes.map(({ id }) => id)).toEqual([Number.parseInt(other, 36)]);
  const sandbox = { sandbox: true, testInboxId: inboxId };
  await expect(mailtrapClient(service.url, { token: readKey, ...sandbox }).send(mail)).rejects.toThrow(
    "Access forbidden",
  );
  await expect(mailtrapClient(service.url, { token: fullKey, ...sandbox }).send(mail)).rejects.toThrow("Not Found");
  await expect(restricted.testing.messages.get(inboxId)).rejects.toThrow("Not Found");
  await expect(restricted.testing.inboxes.cleanInbox(Number.parseInt(other, 36))).rejects.toThrow("Access forbidden");
});
