import { expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import type { NumberSecrets, OwnedNumber } from "../../core/phone-number.ts";
import { deliverSms, type PhoneSms, type SmsDependencies } from "./deliver-sms.ts";
import type { SmsReply } from "../callbacks/delivery-content.ts";
import { encodeSmsReply } from "./sms-deliveries.ts";

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
const reply: SmsReply = {
  kind: "provider",
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
): { sent: PhoneSms[]; dependencies: SmsDependencies } {
  const sent: PhoneSms[] = [];
  const found = changes === null ? undefined : { ...number, ...changes };
  const findPhoneNumber = async (text: string) => (text === found?.number ? found : undefined);
  const store = { phoneNumbers: { findPhoneNumber } };
  return {
    sent,
    dependencies: {
      store: store as unknown as SmsDependencies["store"],
      openSecrets: () => opened,
      send: async (one) => void sent.push(one),
    },
  };
}

const entryOf = (content: SmsReply) => ({ content: encodeSmsReply(content) });

test("sends through the provider with the account", async () => {
  const all = setUp({ webhook: null });
  await deliverSms(all.dependencies, entryOf(reply));
  const { from, to, text } = reply;
  expect(all.sent).toMatchObject([{ provider: { name: "twilio" }, account, from, to, text }]);
});

test.each<[string, Parameters<typeof setUp>]>([
  ["a deleted number", [null]],
  ["a number without its account", [{}, { signing: "secret", account: null }]],
])("fails permanently for %s", async (_name, parameters) => {
  const all = setUp(...parameters);
  await expect(deliverSms(all.dependencies, entryOf(reply))).rejects.toMatchObject({
    verdict: "fail",
  });
  expect(all.sent).toEqual([]);
});

test("retries while the secrets cannot be decrypted", async () => {
  const all = setUp({});
  const locked = { ...all.dependencies, openSecrets: () => undefined };
  await expect(deliverSms(locked, entryOf(reply))).rejects.toMatchObject({
    verdict: "retry",
  });
  expect(all.sent).toEqual([]);
});
