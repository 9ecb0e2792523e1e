/** Resend's Node SDK, unmodified, against the service. */
import { Resend } from "resend";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";

const server = "shop1234";
let service: Restante;
let client: Resend;
beforeAll(async () => {
  service = await startRestante({ servers: [{ id: server, name: "Shop" }] });
  client = new Resend("re_any", { baseUrl: `${service.url}/providers/resend` });
});
afterAll(async () => service.stop());

const ask = async (path: string): Promise<unknown> => {
  const authorization = `Basic ${Buffer.from(`${service.apiKey}:`).toString("base64")}`;
  return (await fetch(`${service.url}${path}`, { headers: { authorization } })).json();
};
const mail = { from: "App <app@shop.example>", to: `zoe@${server}.restante.test`, subject: "Hello" };

test("sends a mail, which is read by the API and by the SDK", async () => {
  const { data, error } = await client.emails.send(
    {
      ...mail,
      html: "<p>Code <b>482913</b></p><img src='cid:logo'>",
      replyTo: "support@shop.example",
      bcc: `audit@${server}.restante.test`,
      headers: { "X-Order": "4711" },
      tags: [{ name: "category", value: "confirm" }],
      attachments: [{ filename: "logo.png", content: Buffer.from([0, 255, 13, 10]), contentId: "logo" }],
    },
    { idempotencyKey: "order-4711" },
  );
  expect(error).toBeNull();
  const message = await ask(`/api/messages/${data?.id ?? ""}`);
  expect(message).toMatchObject({
    subject: "Hello",
    bcc: [{ email: `audit@${server}.restante.test` }],
    html: { codes: [{ value: "482913" }] },
    attachments: [{ fileName: "logo.png", contentId: "logo", contentType: "image/png", length: 4 }],
    provider: { name: "resend", id: data?.id, metadata: { category: "confirm" } },
  });
  expect((await client.emails.get(data?.id ?? "")).data).toMatchObject({ subject: "Hello", last_event: "delivered" });
  const repeated = await client.emails.send({ ...mail, text: "Other" }, { idempotencyKey: "order-4711" });
  expect(repeated.error).toMatchObject({ statusCode: 409, name: "invalid_idempotent_request" });
  expect(await ask(`/api/messages?server=${server}&provider=resend`)).toHaveLength(1);
});

test("sends a batch, and cancels a scheduled mail", async () => {
  const { data } = await client.batch.send([
    { ...mail, subject: "First", text: "1" },
    { ...mail, subject: "Second", text: "2" },
  ]);
  expect(data?.data).toHaveLength(2);
  const scheduled = await client.emails.send({ ...mail, text: "Later", scheduledAt: "in 1 hour" });
  const id = scheduled.data?.id ?? "";
  expect((await client.emails.get(id)).data).toMatchObject({ last_event: "scheduled" });
  expect((await client.emails.update({ id, scheduledAt: "in 2 hours" })).error).toBeNull();
  expect((await client.emails.cancel(id)).data).toEqual({ object: "email", id });
  expect((await client.emails.get(id)).error).toMatchObject({ statusCode: 404, name: "not_found" });
});

test("sends with a template that the SDK has created and published", async () => {
  const created = await client.templates
    .create({
      name: "welcome",
      alias: "welcome",
      subject: "Welcome {{{NAME}}}",
      html: "<p>Hi {{{NAME}}}</p>",
      variables: [{ key: "NAME", type: "string" }],
    })
    .publish();
  expect(created.error).toBeNull();
  const { data, error } = await client.emails.send({
    from: mail.from,
    to: mail.to,
    template: { id: "welcome", variables: { NAME: "Zoë" } },
  });
  expect(error).toBeNull();
  expect(await ask(`/api/messages/${data?.id ?? ""}`)).toMatchObject({
    subject: "Welcome Zoë",
    html: { body: expect.stringContaining("<p>Hi Zoë</p>") as string },
    provider: { template: { id: "welcome", data: { NAME: "Zoë" } } },
  });
});

test("returns the SDK's typed errors", async () => {
  const invalid = await client.emails.send({ ...mail, to: "nobody", text: "x" });
  expect(invalid.error).toMatchObject({ statusCode: 422, name: "validation_error" });
  const unknown = await client.emails.get("0199aabb-ccdd-8eee-8fff-001122334455");
  expect(unknown.error).toMatchObject({ statusCode: 404, name: "not_found", message: "Email not found" });
});
