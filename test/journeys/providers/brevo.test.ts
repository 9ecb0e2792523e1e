/** Brevo's Node SDK, unmodified, against the service. */
import { Brevo, BrevoClient } from "@getbrevo/brevo";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";

const server = "shop1234";
let service: Restante;
let client: BrevoClient;
beforeAll(async () => {
  service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
  client = new BrevoClient({ apiKey: "xkeysib-any", baseUrl: `${service.url}/providers/brevo/v3` });
});
afterAll(async () => service.stop());

const ask = async (path: string): Promise<unknown> => {
  const authorization = `Basic ${Buffer.from(`${service.apiKey}:`).toString("base64")}`;
  return (await fetch(`${service.url}${path}`, { headers: { authorization } })).json();
};
const mail = {
  sender: { name: "App", email: "app@shop.example" },
  to: [{ name: "Zoë", email: `zoe@${server}.restante.test` }],
  subject: "Hello",
};

test("sends a mail with a template, which is read by the API and by the SDK", async () => {
  const { id } = await client.transactionalEmails.createSmtpTemplate({
    templateName: "welcome",
    subject: "Welcome {{ params.name }}",
    htmlContent: "<p>Your code is {{ params.code }}</p>",
    sender: { email: "app@shop.example" },
    isActive: true,
  });
  const sent = await client.transactionalEmails.sendTransacEmail({
    to: mail.to,
    templateId: id,
    params: { name: "Zoë", code: "482913" },
    tags: ["welcome"],
    headers: { "X-Order": "4711" },
    attachment: [{ name: "a.pdf", content: Buffer.from("PDF").toString("base64") }],
  });
  const query = new URLSearchParams({ server, providerId: sent.messageId ?? "" });
  const [summary] = (await ask(`/api/messages?${query.toString()}`)) as readonly { id: string }[];
  expect(await ask(`/api/messages/${summary?.id ?? ""}`)).toMatchObject({
    subject: "Welcome Zoë",
    html: { codes: [{ value: "482913" }] },
    attachments: [{ fileName: "a.pdf", contentType: "application/pdf", length: 3 }],
    provider: { name: "brevo", tags: ["welcome"], template: { id: String(id), data: { code: "482913" } } },
  });
  const found = await client.transactionalEmails.getTransacEmailsList({ messageId: sent.messageId ?? "" });
  expect(found).toMatchObject({ count: 1, transactionalEmails: [{ subject: "Welcome Zoë", tags: ["welcome"] }] });
});

test("cancels scheduled mail, and sends an SMS", async () => {
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await client.transactionalEmails.sendTransacEmail({ ...mail, textContent: "Later", scheduledAt });
  await client.transactionalEmails.deleteScheduledEmailById({ identifier: scheduled.messageId ?? "" });
  const sms = { sender: "Shop", recipient: "447700900123", content: "Your code is 482913" };
  // The method that replaces it returns no reference.
  // oxlint-disable-next-line typescript/no-deprecated -- applications use it
  const { reference } = await client.transactionalSms.sendTransacSms(sms);
  expect(await ask(`/api/messages/${reference}`)).toMatchObject({
    type: "SMS",
    text: { codes: [{ value: "482913" }] },
  });
});

test("throws the SDK's typed errors", async () => {
  const invalid = client.transactionalEmails.sendTransacEmail({ ...mail, to: [{ email: "x" }], textContent: "x" });
  await expect(invalid).rejects.toBeInstanceOf(Brevo.BadRequestError);
  await expect(invalid).rejects.toMatchObject({
    body: { code: "invalid_parameter", message: "email is not valid in to" },
  });
});
