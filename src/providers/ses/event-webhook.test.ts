import { describe, expect, test } from "vitest";
import {
  sampleEvent,
  sampleEventMail,
  sampleInboundMail,
  sampleSigning,
  secretsOf,
} from "../conformance/callback-samples.test-aid.ts";
import { mailEventTypes, type CallbackRequest, type MailEvent } from "../callbacks.ts";
import { fieldDifferences, type FieldTypes } from "../conformance/field-types.test-aid.ts";
import { sesEvents, sesInboundShape } from "./event-webhook.ts";

type Wire = Readonly<Record<string, unknown>>;

/** Members of feedback notifications, besides those of the type. */
const feedback: FieldTypes = {
  notificationType: "string",
  mail: "object",
  "mail.timestamp": "string",
  "mail.messageId": "string",
  "mail.source": "string",
  "mail.sourceArn": "string",
  "mail.sourceIp": "string",
  "mail.callerIdentity": "string",
  "mail.sendingAccountId": "string",
  "mail.destination": "array",
  "mail.destination[]": "string",
  "mail.headersTruncated": "boolean",
  "mail.headers": "array",
  "mail.headers[]": "object",
  "mail.headers[].name": "string",
  "mail.headers[].value": "string",
  "mail.commonHeaders": "object",
  "mail.commonHeaders.from": "array",
  "mail.commonHeaders.from[]": "string",
  "mail.commonHeaders.to": "array",
  "mail.commonHeaders.to[]": "string",
  "mail.commonHeaders.cc": "array",
  "mail.commonHeaders.cc[]": "string",
  "mail.commonHeaders.date": "string",
  "mail.commonHeaders.messageId": "string",
  "mail.commonHeaders.subject": "string",
};

const feedbackTables: Readonly<Record<string, FieldTypes>> = {
  delivered: {
    delivery: "object",
    "delivery.timestamp": "string",
    "delivery.processingTimeMillis": "integer",
    "delivery.recipients": "array",
    "delivery.recipients[]": "string",
    "delivery.smtpResponse": "string",
    "delivery.reportingMTA": "string",
    "delivery.remoteMtaIp": "string",
  },
  bounced: {
    bounce: "object",
    "bounce.bounceType": "string",
    "bounce.bounceSubType": "string",
    "bounce.bouncedRecipients": "array",
    "bounce.bouncedRecipients[]": "object",
    "bounce.bouncedRecipients[].emailAddress": "string",
    "bounce.bouncedRecipients[].action": "string",
    "bounce.bouncedRecipients[].status": "string",
    "bounce.bouncedRecipients[].diagnosticCode": "string",
    "bounce.timestamp": "string",
    "bounce.feedbackId": "string",
    "bounce.reportingMTA": "string",
    "bounce.remoteMtaIp": "string",
  },
  complained: {
    complaint: "object",
    "complaint.complainedRecipients": "array",
    "complaint.complainedRecipients[]": "object",
    "complaint.complainedRecipients[].emailAddress": "string",
    "complaint.timestamp": "string",
    "complaint.feedbackId": "string",
    "complaint.complaintSubType": "string|null",
    "complaint.userAgent": "string",
    "complaint.complaintFeedbackType": "string",
    "complaint.arrivalDate": "string",
  },
};

async function recordOf(event: MailEvent, options: Readonly<Record<string, string>> = {}): Promise<Wire> {
  const { secrets } = await secretsOf(sesEvents, {});
  return messageOf(sesEvents.render([event], sampleSigning(secrets, { options })));
}

function messageOf({ body }: CallbackRequest): Wire {
  const { Message: message } = JSON.parse(Buffer.from(body).toString("utf8")) as { readonly Message: string };
  return JSON.parse(message) as Wire;
}

describe("feedback notifications", () => {
  test("exist for deliveries, bounces and complaints", () => {
    expect(sesEvents.typesOf?.({ format: "feedback" })).toEqual(["delivered", "bounced", "complained"]);
    expect(sesEvents.typesOf?.({})).toEqual(mailEventTypes);
  });

  test.each(["delivered", "bounced", "complained"] as const)(
    "have their members for mail that was %s",
    async (type) => {
      const record = await recordOf(sampleEvent(type), { format: "feedback" });
      expect(fieldDifferences(record, { ...feedback, ...feedbackTables[type] })).toEqual([]);
      expect(record).toMatchObject({ mail: { commonHeaders: { date: "Fri, 20 Nov 2026 10:42:05 +0000" } } });
    },
  );

  test("have no subject", async () => {
    const { secrets } = await secretsOf(sesEvents, {});
    const request = sesEvents.render(
      [sampleEvent("bounced")],
      sampleSigning(secrets, { options: { format: "feedback" } }),
    );
    expect(JSON.parse(Buffer.from(request.body).toString("utf8"))).not.toHaveProperty("Subject");
  });
});

describe("bounces", () => {
  test.each([
    [{}, "Permanent General 5.1.1 smtp; 550 5.1.1 user unknown"],
    [{ bounce: "soft" }, "Transient MailboxFull 4.2.2 smtp; 552 4.2.2 mailbox full"],
    [{ reason: "mailbox closed", code: 554 }, "Permanent General 5.0.0 smtp; 554 mailbox closed"],
    [{ reason: "550 5.7.1 no", status: "5.7.9", code: 550 }, "Permanent General 5.7.9 smtp; 550 5.7.1 no"],
  ] as const)("%j", async (details, expected) => {
    const record = await recordOf(sampleEvent("bounced", { details }));
    const [bounceType, bounceSubType, status, ...words] = expected.split(" ");
    const shown = { action: "failed", status, diagnosticCode: words.join(" ") };
    const recipient = { emailAddress: "ada@abcd1234.restante.test", ...shown };
    expect(record).toMatchObject({ bounce: { bounceType, bounceSubType, bouncedRecipients: [recipient] } });
  });
});

test("a record without recipients of its own is about the recipient of the event alone", async () => {
  const all = ["ada@abcd1234.restante.test", "grace@abcd1234.restante.test"];
  expect(await recordOf(sampleEvent("opened"))).toMatchObject({ mail: { destination: all.slice(0, 1) } });
  expect(await recordOf(sampleEvent("delivered"))).toMatchObject({ mail: { destination: all } });
});

test("the tags of a mail stand beside those of the service, each with a list of values", async () => {
  const metadata = { "ses:configuration-set": "orders", kind: "receipt" };
  const mail = sampleEventMail({ facts: { tags: [], metadata, template: null } });
  expect(await recordOf(sampleEvent("processed", { mail }))).toMatchObject({
    eventType: "Send",
    send: {},
    mail: { tags: { "ses:configuration-set": ["orders"], kind: ["receipt"], "ses:from-domain": ["shop.example"] } },
  });
});

test("events wait for the confirmation unless the target says otherwise", () => {
  expect(sesEvents.mustConfirm?.({})).toBe(true);
  expect(sesEvents.mustConfirm?.({ confirmation: "none" })).toBe(false);
});

test.each([
  ["pass", "PASS"],
  ["fail", "FAIL"],
  ["softfail", "FAIL"],
  ["none", "GRAY"],
  ["neutral", "GRAY"],
  ["temperror", "PROCESSING_FAILED"],
])("shows the result %s of authentication as %s", async (result, status) => {
  const { secrets } = await secretsOf(sesInboundShape, {});
  const mail = sampleInboundMail({ verdicts: { spf: result, dkim: "pass", dmarc: "pass" } });
  expect(messageOf(sesInboundShape.render(mail, {}, sampleSigning(secrets)))).toMatchObject({
    receipt: { spfVerdict: { status }, dkimVerdict: { status: "PASS" } },
  });
});
