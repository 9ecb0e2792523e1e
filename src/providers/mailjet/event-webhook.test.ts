import { expect, test } from "vitest";
import { sampleEvent, sampleEventMail, sampleSigning } from "../conformance/callback-samples.test-aid.ts";
import type { MailEvent } from "../callbacks.ts";
import { mailjetEvents } from "./event-webhook.ts";
import { messageIdOf } from "./messages.ts";

function bodyOf(events: readonly MailEvent[], options: Readonly<Record<string, string>> = {}): unknown {
  const { body } = mailjetEvents.render(events, sampleSigning({ basicAuth: "a:b" }, { options }));
  return JSON.parse(Buffer.from(body).toString("utf8"));
}

test("version 1 sends one event as an object, version 2 groups events in an array", () => {
  const events = [sampleEvent("opened"), sampleEvent("clicked")];
  expect(mailjetEvents.batchCountMaxOf?.({ version: "1" })).toBe(1);
  expect(bodyOf(events.slice(0, 1), { version: "1" })).toMatchObject({ event: "open" });
  expect(mailjetEvents.batchCountMaxOf?.({})).toBe(mailjetEvents.batchCountMax);
  expect(bodyOf(events)).toMatchObject([{ event: "open" }, { event: "click" }]);
});

test("ids are those of the API, and the campaign, CustomID and EventPayload of the mail are repeated", () => {
  const facts = { tags: ["spring"], metadata: { CustomID: "order-1", EventPayload: "eu,1" }, template: null };
  const mail = sampleEventMail({ facts });
  expect(bodyOf([sampleEvent("delivered", { mail })])).toMatchObject([
    {
      event: "sent",
      time: 1795171326,
      MessageID: messageIdOf(mail.providerId),
      mj_message_id: String(messageIdOf(mail.providerId)),
      Message_GUID: mail.providerId,
      customcampaign: "spring",
      CustomID: "order-1",
      Payload: "eu,1",
    },
  ]);
});

test.each([
  ["hard", { hard_bounce: true, blocked: false, error: "user unknown" }],
  ["soft", { hard_bounce: false, blocked: false, error: "quota exceeded" }],
  ["blocked", { hard_bounce: false, blocked: true, error: "sender blocked" }],
] as const)("a %s bounce", (bounce, members) => {
  const event = sampleEvent("bounced", { details: { bounce, reason: "550 no" } });
  expect(bodyOf([event])).toMatchObject([{ event: "bounce", ...members, comment: "550 no" }]);
});

test("rejects credentials that are no user and password", async () => {
  const create = async () => mailjetEvents.createSecrets({ basicAuth: "password" });
  await expect(create()).rejects.toMatchObject({ code: "invalid_request" });
});
