/** Codes through the Twilio Verify-compatible API over real sockets, with the unmodified library. */
import twilio from "twilio";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningService } from "../../../src/app/service.ts";
import type { ServerId } from "../../../src/core/ids.ts";
import type { Message } from "../../../src/core/message.ts";
import { parsePhoneNumber } from "../../../src/core/phone-number.ts";
import { startSilently, type SilentService } from "./start-silently.ts";

const key = "key-for-journeys";
const server = "twvr1234" as ServerId;
const to = "+15550100";
const verifyService = `VA${"0a".repeat(16)}`;

let stop: SilentService["stop"];
let service: RunningService;
let client: ReturnType<typeof twilio>;

beforeAll(async () => {
  const number = parsePhoneNumber(to);
  ({ service, stop } = await startSilently({
    apiKey: key,
    servers: [{ id: server, name: "Twilio Verify" }],
    numbers: number === undefined ? [] : [{ number, server }],
  }));
  client = openTwilio(key);
});
afterAll(async () => {
  await stop();
});

function openTwilio(token: string): ReturnType<typeof twilio> {
  const opened = twilio(`AC${"0".repeat(32)}`, token);
  opened.verify.baseUrl = `${service.url}/providers/twilio`;
  return opened;
}

async function ask<Answer>(path: string): Promise<Answer> {
  const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } });
  return (await response.json()) as Answer;
}

/** Returns the newest message of a verification, as a test finds it. */
async function messageOf(sid: string): Promise<Message> {
  const [found] = await ask<Message[]>(`/api/messages?server=${server}&provider=twilio&providerId=${sid}`);
  return ask<Message>(`/api/messages/${found?.id ?? ""}`);
}

function wrong(code: string): string {
  return code === "000000" ? "000001" : "000000";
}

test("a test reads the code that the application never sees, and the library checks it", async () => {
  const { verifications, verificationChecks } = client.verify.v2.services(verifyService);
  const started = await verifications.create({ to, channel: "sms" });
  expect(started).toMatchObject({ to, channel: "sms", status: "pending", valid: false, serviceSid: verifyService });
  const message = await messageOf(started.sid);
  expect(message).toMatchObject({
    type: "SMS",
    provider: { name: "twilio", id: started.sid, metadata: { channel: "sms", service: verifyService } },
  });
  const code = message.text.codes[0]?.value ?? "";
  expect(code).toMatch(/^\d{6}$/);
  expect(await verificationChecks.create({ to, code: wrong(code) })).toMatchObject({ status: "pending", valid: false });
  expect(await verifications(to).fetch()).toMatchObject({ sid: started.sid, status: "pending" });
  const approved = await verificationChecks.create({ to, code });
  expect(approved).toMatchObject({ sid: started.sid, status: "approved", valid: true });
  expect(approved.dateCreated).toBeInstanceOf(Date);
  await expect(verificationChecks.create({ to, code })).rejects.toMatchObject({
    status: 404,
    code: 20404,
    message: `The requested resource /Services/${verifyService}/VerificationCheck was not found`,
  });
});

test("the library creates a service, and its mail carries the name and the code", async () => {
  const created = await client.verify.v2.services.create({ friendlyName: "Acme", codeLength: 8 });
  expect(created).toMatchObject({ friendlyName: "Acme", codeLength: 8, customCodeEnabled: false });
  const second = await client.verify.v2.services.create({ friendlyName: "Other" });
  const listed = await client.verify.v2.services.list({ pageSize: 1 });
  expect(listed.map(({ sid }) => sid)).toEqual(expect.arrayContaining([created.sid, second.sid]));
  await client.verify.v2.services(second.sid).remove();
  await expect(client.verify.v2.services(second.sid).fetch()).rejects.toMatchObject({ code: 20404 });
  const address = `ada@${server}.restante.test`;
  const { verifications, verificationChecks } = client.verify.v2.services(created.sid);
  const started = await verifications.create({ to: address, channel: "email" });
  const mail = await messageOf(started.sid);
  expect(mail).toMatchObject({ type: "Email", subject: "Your Acme verification code", to: [{ email: address }] });
  const code = mail.html.codes[0]?.value ?? "";
  expect(code).toMatch(/^\d{8}$/);
  const approved = await verificationChecks.create({ verificationSid: started.sid, code });
  expect(approved).toMatchObject({ status: "approved", to: address });
});

test("the library sees the limits of Twilio as its errors, also for parallel checks", async () => {
  const { verifications, verificationChecks } = client.verify.v2.services(`VA${"0b".repeat(16)}`);
  const started = await verifications.create({ to, channel: "call" });
  const message = await messageOf(started.sid);
  const code = wrong(message.text.codes[0]?.value ?? "");
  const checks = Array.from({ length: 8 }, async () => verificationChecks.create({ to, code }));
  const results = await Promise.allSettled(checks);
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
  await expect(verificationChecks.create({ to, code })).rejects.toMatchObject({ status: 429, code: 60202 });
  await verifications(started.sid).update({ status: "canceled" });
  for (let sends = 0; sends < 5; sends += 1) await verifications.create({ to, channel: "sms" });
  await expect(verifications.create({ to, channel: "sms" })).rejects.toMatchObject({ status: 429, code: 60203 });
  const invalid = verifications.create({ to: "nobody", channel: "sms" });
  await expect(invalid).rejects.toMatchObject({ status: 400, code: 60200, message: "Invalid parameter `To`: nobody" });
  const stranger = openTwilio("wrong").verify.v2.services(verifyService).verifications.create({ to, channel: "sms" });
  await expect(stranger).rejects.toMatchObject({ status: 401, code: 20003 });
});
