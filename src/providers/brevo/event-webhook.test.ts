import { expect, test } from "vitest";
import { sampleEvent, sampleEventMail, sampleSigning } from "../conformance/callback-samples.test-aid.ts";
import type { MailEvent } from "../callbacks.ts";
import { brevoEvents } from "./event-webhook.ts";

function payloadOf(event: MailEvent): unknown {
  return JSON.parse(Buffer.from(brevoEvents.render([event], sampleSigning({ token: "t" })).body).toString("utf8"));
}

test.each([
  ["hard", "hard_bounce"],
  ["soft", "soft_bounce"],
  ["blocked", "hard_bounce"],
] as const)("a %s bounce is %s", (bounce, name) => {
  const event = sampleEvent("bounced", { details: { bounce, reason: "550 5.1.1 no" } });
  expect(payloadOf(event)).toMatchObject({ event: name, reason: "550 5.1.1 no" });
});

test("times are in seconds, in milliseconds, and in the time zone of the account", () => {
  const [winter, summer] = [Date.UTC(2026, 10, 20, 10, 42, 7, 975), Date.UTC(2026, 6, 1, 22, 30)];
  expect(payloadOf(sampleEvent("opened", { at: winter }))).toMatchObject({
    ts: 1795171327,
    ts_event: 1795171327,
    ts_epoch: winter,
    date: "2026-11-20 11:42:07",
  });
  expect(payloadOf(sampleEvent("opened", { at: summer }))).toMatchObject({ date: "2026-07-02 00:30:00" });
});

test("tags are an array and its JSON, and the custom header field and the number of the template are repeated", () => {
  const facts = {
    tags: ["a", "b"],
    metadata: { "X-Mailin-custom": '{"order":1}' },
    template: { id: "12", data: {} },
  };
  expect(payloadOf(sampleEvent("clicked", { mail: sampleEventMail({ facts }) }))).toMatchObject({
    tags: ["a", "b"],
    tag: '["a","b"]',
    "X-Mailin-custom": '{"order":1}',
    template_id: 12,
  });
});

test("a user and password are sent instead of the token", () => {
  const authorizationWith = (secrets: Readonly<Record<string, string>>): string | undefined =>
    brevoEvents.render([sampleEvent("opened")], sampleSigning(secrets)).headers["authorization"];
  expect(authorizationWith({ token: "t" })).toBe("Bearer t");
  expect(authorizationWith({ token: "t", basicAuth: "user:päss:" })).toBe(
    `Basic ${Buffer.from("user:päss:").toString("base64")}`,
  );
});

test.each(["", "two words", "ümlaut", "x".repeat(501)])("rejects or replaces the token %j", async (token) => {
  const create = async () => brevoEvents.createSecrets({ token });
  if (token === "") expect((await create()).secret).toMatch(/^[0-9a-f]{32}$/);
  else await expect(create()).rejects.toMatchObject({ code: "invalid_request" });
});
