import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import {
  sampleEvent,
  sampleEventMail,
  sampleInboundMail,
  sampleInstant,
  sampleSigning,
} from "../conformance/callback-samples.test-aid.ts";
import { memoryServices } from "../conformance/services.test-aid.ts";
import type { Call } from "../kit/endpoints.ts";
import { mailerSendEvents, mailerSendInbound, receiverTest } from "./event-webhook.ts";

const signing = sampleSigning({ secret: "s" });

test("writes JSON as PHP does: in ASCII, with escaped slashes", () => {
  const event = sampleEvent("delivered", { mail: sampleEventMail({ subject: "Zoë 🧾" }) });
  const body = Buffer.from(mailerSendEvents.render([event], signing).body).toString("latin1");
  expect(body).toContain('"subject":"Zo\\u00eb \\ud83e\\uddfe"');
  expect(body).toContain('"url":"https:\\/\\/app.example\\/hook"');
});

test.each([
  ["hard", "hard_bounced"],
  ["soft", "soft_bounced"],
  ["blocked", "hard_bounced"],
] as const)("a %s bounce is %s", (bounce, type) => {
  const { body } = mailerSendEvents.render(
    [sampleEvent("bounced", { details: { bounce, reason: "550 no" } })],
    signing,
  );
  const event = JSON.parse(Buffer.from(body).toString()) as unknown;
  expect(event).toMatchObject({
    type: `activity.${type}`,
    data: { type, email: { status: "rejected" }, morph: { object: "recipient_bounce", reason: "550 no" } },
  });
});

test("shows the whole mail", () => {
  const mail = sampleInboundMail();
  const { body } = mailerSendInbound.render(mail, {}, signing);
  const { data } = JSON.parse(Buffer.from(body).toString()) as { data: { raw: string } };
  expect(data.raw).toBe(Buffer.from(mail.raw).toString());
});

test("shows repeated header fields as an array, as they were received", () => {
  const { body } = mailerSendInbound.render(sampleInboundMail(), {}, signing);
  expect(JSON.parse(Buffer.from(body).toString())).toMatchObject({
    data: { headers: { "X-Trace": ["one", "two"], Subject: "=?utf-8?q?Re=3A_Order_=E2=82=AC_1001?=" } },
  });
});

test("events about SMS name the number, the recipient and the message, and are signed", () => {
  const sms = {
    id: "018f0000-0000-7000-8000-000000000001",
    providerId: "",
    from: "+15550100",
    to: "+447700900123",
    text: "Hi",
    metadata: {},
  };
  const event = { id: "1", type: "sent", at: sampleInstant, sms } as const;
  const request = mailerSendEvents.sms?.render(event, signing);
  const wire = JSON.parse(Buffer.from(request?.body ?? "").toString()) as { readonly data: unknown };
  expect(wire).toMatchObject({
    type: "sms.sent",
    sms_number_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    sms_webhook_id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    url: "https://app.example/hook",
    data: {
      status: "sent",
      sms_message_id: "018f0000000070008000000000000001",
      sms: { to: "+447700900123", text: "Hi", segment_count: 1, recipient: { number: "+447700900123" } },
    },
  });
  expect(request?.headers["Signature"]).toBe(
    createHmac("sha256", "s")
      .update(request?.body ?? "")
      .digest("hex"),
  );
  expect(mailerSendEvents.sms?.isReported(sms)).toBe(false);
});

test("a test of a receiver is signed with a secret that all webhooks share", () => {
  const { services } = memoryServices();
  const request = receiverTest.requestOf({ url: "https://app.example/hook", secrets: {} }, { services } as Call);
  const secret = "test_Am3L1GuOIc4blLUuHqAPxxwkZaJyEk8G";
  expect(request.headers["Signature"]).toBe(createHmac("sha256", secret).update(request.body).digest("hex"));
  expect(JSON.parse(Buffer.from(request.body).toString())).toMatchObject({ type: "webhook.test" });
});
