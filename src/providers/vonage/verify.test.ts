import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import type { ProviderMethod, ProviderResponse } from "../provider.ts";
import { jsonOf, jsonRequest } from "../conformance/samples.test-aid.ts";
import { memoryServices, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { vonage } from "./provider.ts";
import { readVonageKey } from "./read-key.ts";

const to = "447700900123";
const sms = { channel: "sms", to };
const email = { channel: "email", to: "ada@example.com", from: "security@acme.example" };
const errors = "https://developer.vonage.com/api-errors";

async function call(
  memory: MemoryServices,
  line: string,
  { body = {}, key = validKey }: { readonly body?: unknown; readonly key?: string } = {},
): Promise<ProviderResponse> {
  const [method = "", path = ""] = line.split(" ");
  return callEndpoint(vonage, jsonRequest(body, { method: method as ProviderMethod, path, key }), memory.services);
}

async function start(memory: MemoryServices, changes: object = {}): Promise<ProviderResponse> {
  return call(memory, "POST /v2/verify", { body: { brand: "Acme", workflow: [sms], ...changes } });
}

async function startedId(memory: MemoryServices, changes: object = {}): Promise<string> {
  const response = await start(memory, changes);
  expect(response.status).toBe(202);
  return String(jsonOf(response)["request_id"]);
}

function sentCode({ sms: messages }: MemoryServices): string {
  return /code: (\w+)/.exec(messages.at(-1)?.text ?? "")?.[1] ?? "";
}

function wrong(code: string): string {
  return code === "0000" ? "0001" : "0000";
}

function errorOf(response: ProviderResponse): readonly unknown[] {
  expect(response.body?.contentType).toMatch(/^application\/problem\+json/);
  const { type, title, detail, instance } = jsonOf(response);
  expect([title, detail, instance].every((text) => typeof text === "string" && text !== "")).toBe(true);
  return [response.status, type];
}

const expired = [410, `${errors}/verify#expired`];
const invalidCode = [400, `${errors}/verify#invalid-code`];
const notFound = [404, `${errors}#not-found`];

describe("POST /v2/verify", () => {
  test("delivers a code that the response does not contain, and completes it once", async () => {
    const memory = memoryServices();
    const response = await start(memory, { client_ref: "order 1", locale: "en-gb" });
    const id = String(jsonOf(response)["request_id"]);
    const code = sentCode(memory);
    expect(code).toMatch(/^\d{4}$/);
    expect(jsonOf(response)).toEqual({ request_id: id });
    expect(memory.sms).toMatchObject([
      {
        from: "Verify",
        to: `+${to}`,
        text: `Acme code: ${code}. Valid for 3 minutes.`,
        metadata: { channel: "sms", client_ref: "order 1" },
      },
    ]);
    const completed = await call(memory, `POST /v2/verify/${id}`, { body: { code } });
    expect([completed.status, jsonOf(completed)]).toEqual([200, { request_id: id, status: "completed" }]);
    const again = await call(memory, `POST /v2/verify/${id}`, { body: { code } });
    expect(errorOf(again)).toEqual(notFound);
    expect(jsonOf(again)["detail"]).toBe(`Request '${id}' was not found or it has been verified already.`);
  });

  test("rejects a second verification of a number with the id of the first until it ends", async () => {
    const memory = memoryServices();
    const first = await startedId(memory, { workflow: [sms, email] });
    for (const workflow of [[sms], [{ channel: "voice", to: "447700900124" }, email]]) {
      const conflict = await start(memory, { workflow });
      expect(errorOf(conflict)).toEqual([409, "https://www.developer.vonage.com/api-errors/verify#conflict"]);
      expect(jsonOf(conflict)["request_id"]).toBe(first);
    }
    expect((await call(memory, `DELETE /v2/verify/${first}`)).status).toBe(204);
    expect(errorOf(await call(memory, `DELETE /v2/verify/${first}`))).toEqual(notFound);
    const second = await startedId(memory, { workflow: [{ channel: "voice", to: "447700900124" }, sms] });
    await call(memory, `POST /v2/verify/${second}`, { body: { code: sentCode(memory) } });
    await startedId(memory);
    memory.now += 180_000;
    await startedId(memory);
  });

  test("accepts one of parallel requests for a number", async () => {
    const memory = memoryServices();
    const responses = await Promise.all(Array.from({ length: 6 }, async () => start(memory)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409, 409, 409, 409, 409]);
    expect(memory.sms).toHaveLength(1);
  });

  test("terminates after three wrong codes, also parallel ones", async () => {
    const memory = memoryServices();
    const id = await startedId(memory);
    const code = sentCode(memory);
    const checks = await Promise.all(
      Array.from({ length: 6 }, async () => call(memory, `POST /v2/verify/${id}`, { body: { code: wrong(code) } })),
    );
    expect(checks.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([400, 400, 400, 410, 410, 410]);
    expect(checks.filter(({ status }) => status === 400).map(errorOf)[0]).toEqual(invalidCode);
    expect(errorOf(await call(memory, `POST /v2/verify/${id}`, { body: { code } }))).toEqual(expired);
    expect(errorOf(await call(memory, `POST /v2/verify/${id}/next-workflow`))).toEqual(notFound);
    await startedId(memory);
  });

  test("expires after the time of all channels, and is forgotten an hour later", async () => {
    const memory = memoryServices();
    const id = await startedId(memory, { channel_timeout: 60, workflow: [sms, email] });
    memory.now += 120_000;
    expect(errorOf(await call(memory, `POST /v2/verify/${id}`, { body: { code: sentCode(memory) } }))).toEqual(expired);
    expect(errorOf(await call(memory, `DELETE /v2/verify/${id}`))).toEqual(notFound);
    memory.now += 3_600_000;
    expect(errorOf(await call(memory, `POST /v2/verify/${id}`, { body: { code: sentCode(memory) } }))).toEqual(
      notFound,
    );
  });

  test.each(["next-workflow", "next_workflow"])("sends the same code by the next channel: %s", async (name) => {
    const memory = memoryServices();
    const code = "AB12cd";
    const workflow = [{ ...sms, app_hash: "He42w354ol9" }, { channel: "whatsapp", to, from: "447700900999" }, email];
    const id = await startedId(memory, { code, workflow });
    const next = await call(memory, `POST /v2/verify/${id}/${name}`);
    expect([next.status, jsonOf(next)]).toEqual([200, { request_id: id }]);
    expect(memory.sms).toMatchObject([
      { text: `<#> Acme code: ${code}. Valid for 9 minutes.\nHe42w354ol9` },
      { from: "+447700900999", metadata: { channel: "whatsapp" } },
    ]);
    expect((await call(memory, `POST /v2/verify/${id}/${name}`)).status).toBe(200);
    expect(memory.emails).toMatchObject([
      { mailFrom: email.from, recipients: [email.to], content: { subject: "Acme verification code" } },
    ]);
    expect(errorOf(await call(memory, `POST /v2/verify/${id}/${name}`))).toEqual([409, `${errors}/verify#no-events`]);
    expect((await call(memory, `POST /v2/verify/${id}`, { body: { code } })).status).toBe(200);
  });

  test.each<[object, string]>([
    [{ brand: undefined }, "brand"],
    [{ brand: "" }, "brand"],
    [{ brand: "x".repeat(17) }, "brand"],
    [{ code: "123" }, "code"],
    [{ code: "?!@%" }, "code"],
    [{ locale: "klingon" }, "locale"],
    [{ client_ref: "x".repeat(17) }, "client_ref"],
    [{ channel_timeout: 14 }, "channel_timeout"],
    [{ channel_timeout: 901 }, "channel_timeout"],
    [{ code_length: 3 }, "code_length"],
    [{ code_length: 1000 }, "code_length"],
    [{ workflow: undefined }, "workflow"],
    [{ workflow: [] }, "workflow"],
    [{ workflow: [sms, sms, sms, sms] }, "workflow"],
    [{ workflow: [null] }, "workflow[0]"],
    [{ workflow: [sms, { channel: "carrier_pigeon", to }] }, "workflow[1]"],
    [{ workflow: [{ channel: "sms", to: "123" }] }, "workflow[0]"],
    [{ workflow: [{ channel: "email", to: "not-an-email-address" }] }, "workflow[0]"],
    [{ workflow: [{ ...sms, from: "not a sender id!" }] }, "workflow[0]"],
    [{ workflow: [{ ...sms, app_hash: "00" }] }, "workflow[0]"],
    [{ workflow: [{ channel: "whatsapp", to, app_hash: "He42w354ol9" }] }, "workflow[0]"],
  ])("rejects %j and names %s", async (changes, name) => {
    const memory = memoryServices();
    const response = await start(memory, changes);
    expect(errorOf(response)).toEqual([422, `${errors}#invalid-params`]);
    expect(jsonOf(response)["invalid_parameters"]).toMatchObject([{ name }]);
    expect([...memory.sms, ...memory.emails]).toEqual([]);
  });

  test("rejects silent authentication, an unknown key, an unknown id and a body that is no object", async () => {
    const memory = memoryServices();
    const silent = await start(memory, { workflow: [{ channel: "silent_auth", to }, sms] });
    expect(errorOf(silent)).toEqual([403, `${errors}#forbidden`]);
    const stranger = await call(memory, "POST /v2/verify", { body: { brand: "Acme", workflow: [sms] }, key: "wrong" });
    expect(errorOf(stranger)).toEqual([401, `${errors}#unauthorized`]);
    const unknown = await call(memory, "POST /v2/verify/5fcc26ef-1e54-48a6-83ab-c47546a19824", {
      body: { code: "1234" },
    });
    expect(errorOf(unknown)).toEqual(notFound);
    expect(errorOf(await call(memory, "POST /v2/verify", { body: [] }))).toEqual([422, `${errors}#invalid-params`]);
    expect(errorOf(await call(memory, "POST /v2/verify/x", { body: { code: 1234 } }))).toEqual([
      422,
      `${errors}#invalid-params`,
    ]);
    expect(errorOf(await call(memory, "GET /v2/verify/templates"))).toEqual(notFound);
  });

  test("responds to any member of the body, and sends nothing on an error", async () => {
    const names = ["brand", "workflow", "code", "code_length", "channel_timeout", "client_ref", "locale"];
    const step = fc.record({ channel: fc.constantFrom("sms", "email"), to: fc.jsonValue(), from: fc.jsonValue() });
    const value = fc.oneof(fc.jsonValue(), fc.array(step, { maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), value, async (name, given) => {
        const memory = memoryServices();
        const { status } = await start(memory, { [name]: given });
        expect([202, 422]).toContain(status);
        expect(memory.sms.length + memory.emails.length).toBe(status === 202 ? 1 : 0);
      }),
    );
  });

  test("keeps no verification that was refused", async () => {
    const memory = memoryServices({ refusal: "no_server" });
    for (const response of [await start(memory), await start(memory)]) {
      expect(errorOf(response)).toEqual([422, `${errors}#invalid-params`]);
    }
  });
});

describe("readVonageKey", () => {
  const jwtOf = (claims: unknown): string =>
    `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.c2lnbmF0dXJl`;

  test.each([
    ["the secret of Basic", `Basic ${btoa("key:secret")}`, "secret"],
    ["the user name of Basic without a secret", `Basic ${btoa("key:")}`, "key"],
    ["the application id of a JWT", `Bearer ${jwtOf({ application_id: "key-1", iat: 1 })}`, "key-1"],
    ["a JWT without an application id", `Bearer ${jwtOf({})}`, jwtOf({})],
    ["any other token", "Bearer token", "token"],
    ["nothing of another scheme", "Digest x", null],
    ["nothing of an empty field", "", null],
  ])("returns %s", (_title, authorization, key) => {
    expect(readVonageKey({ authorization })).toBe(key);
  });
});
