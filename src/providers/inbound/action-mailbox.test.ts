/** Fields that the ingresses of Rails Action Mailbox read of a request (actionmailbox/app/controllers in rails/rails). */
import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { sampleInboundMail, sampleInstant, sampleSigning } from "../conformance/callback-samples.test-aid.ts";
import type { CallbackRequest, CallbackSecrets } from "../callbacks.ts";
import { inboundShapes } from "../inbound-shapes.ts";
import { readParts, type ReadPart } from "../conformance/read-form.test-aid.ts";

const mail = sampleInboundMail();
const raw = Buffer.from(mail.raw);
const base = "https://app.example/rails/action_mailbox";
/** Password that Rails compares; the user is always `actionmailbox`. */
const password = "ingress password";
const authorization = `Basic ${btoa(`actionmailbox:${password}`)}`;

interface Route {
  readonly shape: string;
  readonly path: string;
  readonly settings: CallbackSecrets;
}

async function render({ shape, path, settings }: Route): Promise<CallbackRequest> {
  const found = await inboundShapes[shape]?.();
  if (found === undefined) throw new Error(`no shape ${shape}`);
  const { secrets } = await found.createSecrets(settings);
  return found.render(mail, settings, sampleSigning(secrets, { url: `${base}/${path}`, options: settings }));
}

function valueOf(parts: readonly ReadPart[], name: string): Buffer | undefined {
  return parts.find((part) => part.name === name)?.value;
}

test("sendgrid: the user, the field `email`, and a list of recipients in `envelope`", async () => {
  const settings = { raw: "true", basicAuth: `actionmailbox:${password}` };
  const request = await render({ shape: "sendgrid", path: "sendgrid/inbound_emails", settings });
  const parts = await readParts(request);
  expect(request.headers["authorization"]).toBe(authorization);
  expect(valueOf(parts, "email")).toEqual(raw);
  expect(JSON.parse(valueOf(parts, "envelope")?.toString("utf8") ?? "")).toMatchObject({ to: [mail.recipient] });
});

test("mailgun: a signature of the last two minutes, and `body-mime` because the URL ends in `mime`", async () => {
  const settings = { signingKey: "signing-key" };
  const request = await render({ shape: "mailgun", path: "mailgun/inbound_emails/mime", settings });
  const parts = await readParts(request);
  const [timestamp = "", token = "", signature] = ["timestamp", "token", "signature"].map((name) =>
    valueOf(parts, name)?.toString("utf8"),
  );
  expect(valueOf(parts, "body-mime")).toEqual(raw);
  expect(valueOf(parts, "recipient")?.toString("utf8")).toBe(mail.recipient);
  expect(Number(timestamp)).toBe(Math.floor(sampleInstant / 1000));
  expect(signature).toBe(
    createHmac("sha256", "signing-key")
      .update(timestamp + token)
      .digest("hex"),
  );
});

test("postmark: the user, JSON with `RawEmail` and `OriginalRecipient`", async () => {
  const settings = { rawEmail: "true", basicAuth: `actionmailbox:${password}` };
  const request = await render({ shape: "postmark", path: "postmark/inbound_emails", settings });
  const { RawEmail, OriginalRecipient } = JSON.parse(Buffer.from(request.body).toString("utf8")) as Record<
    string,
    unknown
  >;
  expect(request.headers["authorization"]).toBe(authorization);
  expect(request.contentType).toMatch(/^application\/json\b/);
  expect([RawEmail, OriginalRecipient]).toEqual([raw.toString("utf8"), mail.recipient]);
});

test("mandrill: a signature of the URL and the sorted fields, and `raw_msg` of events named `inbound`", async () => {
  const path = "mandrill/inbound_emails";
  const request = await render({ shape: "mandrill", path, settings: { key: "webhook-key" } });
  const parts = await readParts(request);
  const events = valueOf(parts, "mandrill_events")?.toString("utf8") ?? "";
  expect(parts).toHaveLength(1);
  expect(JSON.parse(events)).toMatchObject([{ event: "inbound", msg: { raw_msg: raw.toString("utf8") } }]);
  expect(request.headers["x-mandrill-signature"]).toBe(
    createHmac("sha1", "webhook-key").update(`${base}/${path}mandrill_events${events}`).digest("base64"),
  );
});

test("relay: the user, message/rfc822, and the mail as the body", async () => {
  const request = await render({ shape: "raw", path: "relay/inbound_emails", settings: { password } });
  expect([request.headers["authorization"], request.contentType]).toEqual([authorization, "message/rfc822"]);
  expect(request.body).toEqual(mail.raw);
});
