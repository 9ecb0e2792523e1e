import { expect, test } from "vitest";
import { decodeMessageId, type MessageId, type ServerId } from "../../core/ids.ts";
import type { NumberSecrets, OwnedNumber } from "../../core/owned-number.ts";
import { deliverSms, type SmsDependencies } from "./deliver-sms.ts";
import { encodeSmsDelivery, type SmsDelivery, type SmsReply } from "./sms-delivery.ts";
import type { NewDelivery } from "../../store/callback-store.ts";
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
): { added: NewDelivery[]; calls: WebhookCall[]; sent: PhoneSms[]; dependencies: SmsDependencies } {
  const added: NewDelivery[] = [];
  const calls: WebhookCall[] = [];
  const sent: PhoneSms[] = [];
  const found = changes === null ? undefined : { ...number, ...changes };
  const findPhoneNumber = async (text: string) => (text === found?.number ? found : undefined);
  const addDeliveries = async (deliveries: readonly NewDelivery[]) => void added.push(...deliveries);
  const store = { phoneNumbers: { findPhoneNumber }, callbacks: { addDeliveries } };
  return {
    added,
    calls,
    sent,
    dependencies: {
      store: store as unknown as SmsDependencies["store"],
      openSecrets: () => opened,
      call: async (one) => void calls.push(one),
      send: async (one) => void sent.push(one),
      wakeCallbacks: () => undefined,
    },
  };
}

const entryOf = (content: SmsDelivery) => ({ id: "entry", at: 7, content: encodeSmsDelivery(content) });

test("hands replies to webhooks over to the callbacks, with the same id each time", async () => {
  const all = setUp({});
  await deliverSms(all.dependencies, entryOf(inbound));
  await deliverSms(all.dependencies, entryOf(inbound));
  const [one, other] = all.added;
  expect(one).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/) as string,
    server: decodeMessageId(inbound.id as MessageId).server,
    target: null,
    queue: "http://app.test",
    message: inbound.id,
    deliversMessage: true,
    dueAt: 7,
  });
  expect(other).toEqual(one);
  expect([...all.calls, ...all.sent]).toEqual([]);
});

test("sends through the provider with the account and calls no webhook", async () => {
  const all = setUp({ webhook: null });
  await deliverSms(all.dependencies, entryOf({ ...inbound, kind: "provider" }));
  const { from, to, text } = inbound;
  expect(all.sent).toMatchObject([{ provider: { name: "twilio" }, account, from, to, text }]);
  expect(all.calls).toEqual([]);
});

test.each<[string, Parameters<typeof setUp>]>([
  ["a deleted number", [null]],
  ["a number without its account", [{}, { signing: "secret", account: null }]],
])("fails permanently for %s", async (_name, parameters) => {
  const all = setUp(...parameters);
  await expect(deliverSms(all.dependencies, entryOf({ ...inbound, kind: "provider" }))).rejects.toMatchObject({
    verdict: "fail",
  });
  expect([...all.calls, ...all.sent]).toEqual([]);
});

test("retries while the secrets cannot be decrypted", async () => {
  const all = setUp({});
  const locked = { ...all.dependencies, openSecrets: () => undefined };
  await expect(deliverSms(locked, entryOf({ ...inbound, kind: "provider" }))).rejects.toMatchObject({
    verdict: "retry",
  });
  expect([...all.calls, ...all.sent]).toEqual([]);
});

test("makes status calls of older versions in order until the first failure", async () => {
  const seen: string[] = [];
  const call = async ({ url, body }: WebhookCall): Promise<void> => {
    seen.push(`${url} ${body}`);
    if (body === "two") throw new Error("down");
  };
  const calls = ["one", "two", "three"].map((body) => ({ body, headers: {} }));
  const content = entryOf({ kind: "status", url: "http://app.test/s", calls });
  await expect(deliverSms({ ...setUp(null).dependencies, call }, content)).rejects.toThrow("down");
  expect(seen).toEqual(["http://app.test/s one", "http://app.test/s two"]);
});
