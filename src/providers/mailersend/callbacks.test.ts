import { expect, test } from "vitest";
import {
  sampleEvent,
  sampleEventMail,
  sampleInboundMail,
  sampleSigning,
} from "../conformance/callback-samples.test-aid.ts";
import { mailerSendEvents } from "./event-webhook.ts";
import { mailerSendInbound } from "./inbound-shape.ts";

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
