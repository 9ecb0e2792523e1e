import twilio from "twilio";
import { expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import type { NumberSecrets, OwnedNumber } from "../../core/owned-number.ts";
import { readForm } from "../../providers/form.ts";
import { verifyVonage } from "../../providers/vonage/signature.ts";
import { deliverSms, type SmsDependencies } from "./deliver-sms.ts";
import { encodeSmsDelivery, type SmsReply } from "./sms-delivery.ts";
import type { PhoneSms } from "./send-by-provider.ts";
import type { WebhookCall } from "./call-webhook.ts";

const server = "abcd1234" as ServerId;
const number: OwnedNumber = {
  id: "n",
  number: "+15550100",
  server,
  provider: "twilio",
  sealedSecrets: null,
  webhook: "http://app.test/in",
  createdAt: 0,
};
const inbound: SmsReply = {
  kind: "inbound",
  from: "+15550100",
  to: "+447700900123",
  text: "YES & no",
  id: "6d1b9d4e-0000-8000-8000-000000000000",
  server,
};

const account = { id: "AC1", key: null, secret: "token", apiUrl: null };
const secrets: NumberSecrets = { signing: "secret", account };

function setUp(
  changes: Partial<OwnedNumber> | null,
  opened: NumberSecrets | undefined = secrets,
): { calls: WebhookCall[]; sent: PhoneSms[]; dependencies: SmsDependencies } {
  const calls: WebhookCall[] = [];
  const sent: PhoneSms[] = [];
  const found = changes === null ? undefined : { ...number, ...changes };
  const findPhoneNumber = async (text: string) => (text === found?.number ? found : undefined);
  const store = { phoneNumbers: { findPhoneNumber } } as unknown as SmsDependencies["store"];
  return {
    calls,
    sent,
    dependencies: {
      store,
      clock: { now: () => 1_800_000_000_000 },
      openSecrets: () => opened,
      call: async (one) => void calls.push(one),
      send: async (one) => void sent.push(one),
    },
  };
}

test("signs Twilio's form so that Twilio's own library accepts it", async () => {
  const all = setUp({});
  await deliverSms(all.dependencies, encodeSmsDelivery(inbound));
  const [call] = all.calls;
  const form = Object.fromEntries(readForm(call?.body ?? ""));
  expect(form).toMatchObject({ From: "+15550100", To: "+447700900123", Body: "YES & no" });
  const signature = call?.headers["x-twilio-signature"] ?? "";
  expect(twilio.validateRequest("secret", signature, "http://app.test/in", form)).toBe(true);
});

test("signs Vonage's parameters at the time of the attempt", async () => {
  const all = setUp({ provider: "vonage" });
  await deliverSms(all.dependencies, encodeSmsDelivery(inbound));
  const fields = readForm(all.calls[0]?.body ?? "");
  expect(verifyVonage(fields, "secret", 1_800_000_000_000)).toBe(true);
  expect(Object.fromEntries(fields)).toMatchObject({ msisdn: "15550100", to: "447700900123", text: "YES & no" });
});

test.each(["twilio", "vonage"] as const)("does not sign without a secret (%s)", async (provider) => {
  const all = setUp({ provider }, { signing: null, account });
  await deliverSms(all.dependencies, encodeSmsDelivery(inbound));
  expect(all.calls[0]?.headers).toEqual({});
  expect(all.calls[0]?.body).not.toContain("sig=");
});

test("sends through the provider with the account and calls no webhook", async () => {
  const all = setUp({ webhook: null });
  await deliverSms(all.dependencies, encodeSmsDelivery({ ...inbound, kind: "provider" }));
  const { from, to, text } = inbound;
  expect(all.sent).toMatchObject([{ provider: { name: "twilio" }, account, from, to, text }]);
  expect(all.calls).toEqual([]);
});

test.each<[string, SmsReply["kind"], Parameters<typeof setUp>]>([
  ["a deleted number", "inbound", [null]],
  ["a number without its webhook", "inbound", [{ webhook: null }]],
  ["a number without its account", "provider", [{}, { signing: "secret", account: null }]],
])("fails permanently for %s", async (_name, kind, parameters) => {
  const all = setUp(...parameters);
  await expect(deliverSms(all.dependencies, encodeSmsDelivery({ ...inbound, kind }))).rejects.toMatchObject({
    verdict: "fail",
  });
  expect([...all.calls, ...all.sent]).toEqual([]);
});

test.each(["inbound", "provider"] as const)("retries %s while the secrets cannot be decrypted", async (kind) => {
  const all = setUp({});
  const locked = { ...all.dependencies, openSecrets: () => undefined };
  await expect(deliverSms(locked, encodeSmsDelivery({ ...inbound, kind }))).rejects.toMatchObject({
    verdict: "retry",
  });
  expect([...all.calls, ...all.sent]).toEqual([]);
});

test("makes status calls in order until the first failure", async () => {
  const seen: string[] = [];
  const call = async ({ url, body }: WebhookCall): Promise<void> => {
    seen.push(`${url} ${body}`);
    if (body === "two") throw new Error("down");
  };
  const calls = ["one", "two", "three"].map((body) => ({ body, headers: {} }));
  const content = encodeSmsDelivery({ kind: "status", url: "http://app.test/s", calls });
  await expect(deliverSms({ ...setUp(null).dependencies, call }, content)).rejects.toThrow("down");
  expect(seen).toEqual(["http://app.test/s one", "http://app.test/s two"]);
});
