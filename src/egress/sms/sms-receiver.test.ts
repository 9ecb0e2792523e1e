import twilio from "twilio";
import { expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import type { NumberSecrets, OwnedNumber } from "../../core/phone-number.ts";
import { readForm } from "../../core/read-form.ts";
import { verifyVonage } from "../../providers/vonage/message.ts";
import type { RenderedCallback, SmsContent, StatusContent } from "../callbacks/delivery-content.ts";
import { type NumberDependencies, smsReceiver } from "./deliver-sms.ts";

const number: OwnedNumber = {
  id: "n",
  number: "+15550100",
  server: "abcd1234" as ServerId,
  provider: "twilio",
  sealedSecrets: null,
  webhook: "http://app.test/in",
  createdAt: 0,
};
const reply: SmsContent = {
  kind: "sms",
  reply: {
    kind: "inbound",
    from: "+15550100",
    to: "+447700900123",
    text: "YES & no",
    id: "6d1b9d4e-0000-8000-8000-000000000000",
    server: number.server,
  },
};
const now = 1_800_000_000_000;

async function render(
  changes: Partial<OwnedNumber> | null,
  { secrets, content = reply }: { secrets?: NumberSecrets | null; content?: SmsContent | StatusContent } = {},
): Promise<RenderedCallback & { readonly form: string }> {
  const found = changes === null ? undefined : { ...number, ...changes };
  const findPhoneNumber = async (text: string) => (text === found?.number ? found : undefined);
  const store = { phoneNumbers: { findPhoneNumber } } as unknown as NumberDependencies["store"];
  const opened = secrets === undefined ? { signing: "secret", account: null } : (secrets ?? undefined);
  const callback = await smsReceiver({ store, openSecrets: () => opened }, content).render([], now);
  return { ...callback, form: Buffer.from(callback.request.body).toString() };
}

test("signs Twilio's form so that Twilio's own library accepts it", async () => {
  const { url, request, form: text } = await render({});
  const form = Object.fromEntries(readForm(text));
  expect(form).toMatchObject({ From: "+15550100", To: "+447700900123", Body: "YES & no" });
  expect(twilio.validateRequest("secret", request.headers["x-twilio-signature"] ?? "", url, form)).toBe(true);
  expect([url, request.contentType]).toEqual(["http://app.test/in", "application/x-www-form-urlencoded"]);
});

test("signs Vonage's parameters at the time of the attempt", async () => {
  const fields = readForm((await render({ provider: "vonage" })).form);
  expect(verifyVonage(fields, "secret", now)).toBe(true);
  expect(Object.fromEntries(fields)).toMatchObject({ msisdn: "15550100", to: "447700900123", text: "YES & no" });
});

test.each(["twilio", "vonage"] as const)("does not sign without a secret (%s)", async (provider) => {
  const { request, form } = await render({ provider }, { secrets: { signing: null, account: null } });
  expect(request.headers).toEqual({ accept: "application/json" });
  expect(form).not.toContain("sig=");
});

test.each<[string, Partial<OwnedNumber> | null]>([
  ["a deleted number", null],
  ["a number without its webhook", { webhook: null }],
])("fails permanently for %s", async (_name, changes) => {
  await expect(render(changes)).rejects.toMatchObject({ verdict: "fail" });
});

test("retries while the secrets cannot be decrypted", async () => {
  await expect(render({}, { secrets: null })).rejects.toMatchObject({ verdict: "retry" });
});

test("renders a status report unchanged; a response 4yz fails it", async () => {
  const call = { body: "a=b&c=%20", headers: { "x-signed": "yes" } };
  const callback = await render(null, { content: { kind: "status", url: "http://app.test/s", call } });
  expect(callback).toMatchObject({ url: "http://app.test/s", form: call.body, failsOnClientError: true });
  expect(callback.request.headers).toMatchObject(call.headers);
});
