import twilio from "twilio";
import { expect, test } from "vitest";
import type { ServerId } from "../core/ids.ts";
import type { OwnedNumber } from "../core/owned-number.ts";
import { readForm } from "../sms/form.ts";
import { verifyVonage } from "../sms/vonage-signature.ts";
import { callHook, type HookNeeds } from "./call-hook.ts";
import { encodeHook, type InboundHook } from "./hook-content.ts";
import type { HookCall } from "./web-hook.ts";

const server = "abcd1234" as ServerId;
const number: OwnedNumber = {
  id: "n",
  number: "+15550100",
  server,
  provider: "twilio",
  secret: "secret",
  webhook: "http://app.test/in",
  createdAt: 0,
};
const inbound: InboundHook = {
  kind: "inbound",
  from: "+15550100",
  to: "+447700900123",
  text: "YES & no",
  id: "6d1b9d4e-0000-8000-8000-000000000000",
  server,
};

function needs(changes: Partial<OwnedNumber> | null): { calls: HookCall[]; needs: HookNeeds } {
  const calls: HookCall[] = [];
  const found = changes === null ? undefined : { ...number, ...changes };
  const findPhoneNumber = async (text: string) => (text === found?.number ? found : undefined);
  const store = { phoneNumbers: { findPhoneNumber } } as unknown as HookNeeds["store"];
  return {
    calls,
    needs: { store, clock: { now: () => 1_800_000_000_000 }, call: async (one) => void calls.push(one) },
  };
}

test("Twilio's form is signed so that Twilio's own library takes it", async () => {
  const all = needs({});
  await callHook(all.needs, encodeHook(inbound));
  const [call] = all.calls;
  const form = Object.fromEntries(readForm(call?.body ?? ""));
  expect(form).toMatchObject({ From: "+15550100", To: "+447700900123", Body: "YES & no" });
  const signature = call?.headers["x-twilio-signature"] ?? "";
  expect(twilio.validateRequest("secret", signature, "http://app.test/in", form)).toBe(true);
});

test("Vonage's parameters are signed at the moment of the call", async () => {
  const all = needs({ provider: "vonage" });
  await callHook(all.needs, encodeHook(inbound));
  const fields = readForm(all.calls[0]?.body ?? "");
  expect(verifyVonage(fields, "secret", 1_800_000_000_000)).toBe(true);
  expect(Object.fromEntries(fields)).toMatchObject({ msisdn: "15550100", to: "447700900123", text: "YES & no" });
});

test.each(["twilio", "vonage"] as const)("without a secret nothing is signed: %s", async (provider) => {
  const all = needs({ provider, secret: null });
  await callHook(all.needs, encodeHook(inbound));
  expect(all.calls[0]?.headers).toEqual({});
  expect(all.calls[0]?.body).not.toContain("sig=");
});

test.each([null, { webhook: null }])("a number that lost its hook ends it: %j", async (changes) => {
  const all = needs(changes);
  await expect(callHook(all.needs, encodeHook(inbound))).rejects.toMatchObject({ verdict: "fail" });
  expect(all.calls).toEqual([]);
});

test("status calls are made in order, and end with the first that fails", async () => {
  const seen: string[] = [];
  const call = async ({ url, body }: HookCall): Promise<void> => {
    seen.push(`${url} ${body}`);
    if (body === "two") throw new Error("down");
  };
  const calls = ["one", "two", "three"].map((body) => ({ body, headers: {} }));
  const content = encodeHook({ kind: "status", url: "http://app.test/s", calls });
  await expect(callHook({ ...needs(null).needs, call }, content)).rejects.toThrow("down");
  expect(seen).toEqual(["http://app.test/s one", "http://app.test/s two"]);
});
