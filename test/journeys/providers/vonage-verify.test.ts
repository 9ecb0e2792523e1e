/** Codes through the Vonage Verify-compatible API over real sockets, with the unmodified library. */
import { generateKeyPairSync } from "node:crypto";
import { Channels, Verify2 } from "@vonage/verify2";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningService } from "../../../src/app/service.ts";
import type { ServerId } from "../../../src/core/ids.ts";
import type { Message } from "../../../src/core/message.ts";
import { parsePhoneNumber } from "../../../src/core/phone-number.ts";
import { startSilently, type SilentService } from "./start-silently.ts";

const key = "key-for-journeys";
const server = "vgvr1234" as ServerId;
const to = "15550100";
const email = `ada@${server}.restante.test`;
const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

let stop: SilentService["stop"];
let service: RunningService;
let client: Verify2;

beforeAll(async () => {
  const number = parsePhoneNumber(`+${to}`);
  ({ service, stop } = await startSilently({
    apiKey: key,
    servers: [{ id: server, name: "Vonage Verify" }],
    numbers: number === undefined ? [] : [{ number, server }],
  }));
  client = openVonage(key);
});
afterAll(async () => {
  await stop();
});

function openVonage(applicationId: string): Verify2 {
  return new Verify2({ applicationId, privateKey }, { apiHost: `${service.url}/providers/vonage` });
}

async function ask<Answer>(path: string): Promise<Answer> {
  const response = await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } });
  return (await response.json()) as Answer;
}

/** Returns the newest message of a verification, as a test finds it. */
async function messageOf(id: string): Promise<Message> {
  const [found] = await ask<Message[]>(`/api/messages?server=${server}&provider=vonage&providerId=${id}`);
  return ask<Message>(`/api/messages/${found?.id ?? ""}`);
}

/** Returns the status and the problem details of a request that the library rejects. */
async function problemOf(call: Promise<unknown>): Promise<readonly [status: number, problem: unknown]> {
  const error: unknown = await call.then(
    () => expect.unreachable("the request was accepted"),
    (reason: unknown) => reason,
  );
  const { response } = error as { response: Response };
  return [response.status, await response.json()];
}

function wrong(code: string): string {
  return code === "0000" ? "0001" : "0000";
}

test("a test reads the code that the application never sees, and the library checks it", async () => {
  const { requestId } = await client.newRequest({
    brand: "Acme",
    workflow: [
      { channel: Channels.SMS, to },
      { channel: Channels.EMAIL, to: email },
    ],
  });
  const message = await messageOf(requestId);
  expect(message).toMatchObject({
    type: "SMS",
    provider: { name: "vonage", id: requestId, metadata: { channel: "sms" } },
  });
  const code = message.text.codes[0]?.value ?? "";
  expect(code).toMatch(/^\d{4}$/);
  expect(await client.nextWorkflow(requestId)).toBe(true);
  expect(await messageOf(requestId)).toMatchObject({ type: "Email", html: { codes: [{ value: code }] } });
  expect(await client.nextWorkflow(requestId)).toBe(false);
  const [status, problem] = await problemOf(client.checkCode(requestId, wrong(code)));
  expect([status, problem]).toMatchObject([400, { title: "Invalid Code" }]);
  expect(await client.checkCode(requestId, code)).toBe("completed");
  expect((await problemOf(client.checkCode(requestId, code)))[0]).toBe(404);
});

test("the library sees the limits of Vonage as its errors, also for parallel checks", async () => {
  const request = { brand: "Acme", workflow: [{ channel: Channels.VOICE, to }] } as const;
  const { requestId } = await client.newRequest({ ...request, workflow: [...request.workflow], codeLength: 6 });
  const code = (await messageOf(requestId)).text.codes[0]?.value ?? "";
  const conflict = await problemOf(client.newRequest({ ...request, workflow: [...request.workflow] }));
  expect(conflict).toMatchObject([409, { title: "Conflict", request_id: requestId }]);
  const checks = Array.from({ length: 5 }, async () => problemOf(client.checkCode(requestId, "0000")));
  const statuses = (await Promise.all(checks)).map(([status]) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([400, 400, 400, 410, 410]);
  expect((await problemOf(client.checkCode(requestId, code)))[0]).toBe(410);
  expect(await client.cancel(requestId)).toBe(false);
  const next = await client.newRequest({ ...request, workflow: [...request.workflow] });
  expect(await client.cancel(next.requestId)).toBe(true);
  const invalid = problemOf(client.newRequest({ brand: "Acme", workflow: [{ channel: Channels.SMS, to: "123" }] }));
  expect(await invalid).toMatchObject([422, { invalid_parameters: [{ name: "workflow[0]" }] }]);
  const stranger = openVonage("unknown").newRequest({ ...request, workflow: [...request.workflow] });
  expect((await problemOf(stranger))[0]).toBe(401);
});
