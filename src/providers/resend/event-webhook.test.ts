import { expect, test } from "vitest";
import { newWebhookSecret } from "../../core/standard-webhooks.ts";
import { sampleEvent, sampleEventMail, sampleSigning } from "../conformance/callback-samples.test-aid.ts";
import type { MailEvent } from "../callbacks.ts";
import { resendEvents } from "./event-webhook.ts";

type Wire = Readonly<Record<string, unknown>>;

function payloadOf(event: MailEvent): Wire {
  const { body } = resendEvents.render([event], sampleSigning({ secret: newWebhookSecret() }));
  return JSON.parse(Buffer.from(body).toString("utf8")) as Wire;
}

test.each([
  ["hard", "Permanent", "General"],
  ["soft", "Transient", "General"],
  ["blocked", "Permanent", "Suppressed"],
] as const)("a %s bounce is %s, %s", (bounce, type, subType) => {
  const event = sampleEvent("bounced", { details: { bounce, reason: "550 no" } });
  expect(payloadOf(event)).toMatchObject({ data: { bounce: { type, subType, message: "550 no" } } });
});

test.each([
  ["hard", "bounce message"],
  ["soft", "bounce message"],
  ["blocked", "suppressed sending"],
] as const)(
  "the message of a %s bounce without a reason contains %j, by which django-anymail knows it",
  (bounce, text) => {
    expect(payloadOf(sampleEvent("bounced", { details: { bounce } }))).toMatchObject({
      data: { bounce: { message: expect.stringContaining(text) as string } },
    });
  },
);

test("shows the header fields of the application", () => {
  expect(payloadOf(sampleEvent("delivered"))).toMatchObject({
    data: { headers: [{ name: "X-Order", value: "1001" }] },
  });
  const mail = sampleEventMail({ headers: [] });
  expect(payloadOf(sampleEvent("delivered", { mail }))["data"]).not.toHaveProperty("headers");
});

test("a mail to a suppressed recipient is email.suppressed, any other dropped one email.failed", () => {
  const blocked = payloadOf(sampleEvent("dropped", { details: { bounce: "blocked" } }));
  expect(blocked).toMatchObject({
    type: "email.suppressed",
    data: { suppressed: { type: "OnAccountSuppressionList", message: expect.any(String) as string } },
  });
  const failed = payloadOf(sampleEvent("dropped", { details: { reason: "reached_daily_quota" } }));
  expect(failed).toMatchObject({ type: "email.failed", data: { failed: { reason: "reached_daily_quota" } } });
});

test("a click shows the link, the address and the client", () => {
  const details = { url: "https://shop.example/a", ip: "198.51.100.7", userAgent: "Reader/1.0" };
  expect(payloadOf(sampleEvent("clicked", { details }))).toMatchObject({
    data: { click: { link: details.url, ipAddress: details.ip, userAgent: details.userAgent } },
  });
});

test("svix-id is the same on every attempt, and the signature is of the attempt", () => {
  const secrets = { secret: newWebhookSecret() };
  const [first, second] = [0, 5000].map((later) => {
    const signing = sampleSigning(secrets);
    return resendEvents.render([sampleEvent("delivered")], { ...signing, now: signing.now + later }).headers;
  });
  expect(first?.["svix-id"]).toMatch(/^msg_[0-9A-Za-z]{27}$/);
  expect(second?.["svix-id"]).toBe(first?.["svix-id"]);
  expect(second?.["svix-timestamp"]).not.toBe(first?.["svix-timestamp"]);
  expect(second?.["svix-signature"]).not.toBe(first?.["svix-signature"]);
});

test.each(["secret", "whsec_", "whsec_c2hvcnQ=", `whsec_${"A".repeat(88)}`, `whsec_${"A".repeat(42)}`])(
  "rejects the secret %s",
  (secret) => {
    expect(() => resendEvents.createSecrets({ secret })).toThrow(expect.objectContaining({ code: "invalid_request" }));
  },
);
