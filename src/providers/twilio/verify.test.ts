import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callEndpoint } from "../conformance/call-endpoint.test-aid.ts";
import type { ProviderMethod, ProviderResponse } from "../provider.ts";
import { formRequest, jsonOf } from "../conformance/samples.test-aid.ts";
import { memoryServices, startInstant, validKey, type MemoryServices } from "../conformance/services.test-aid.ts";
import { twilio } from "./provider.ts";

const service = `VA${"0a".repeat(16)}`;
const account = `AC${"1b".repeat(16)}`;
const to = "+447700900123";
const base = `http://localhost:8025/providers/twilio/v2/Services`;
const tenMinutes = 10 * 60_000;

interface Call {
  readonly form?: Readonly<Record<string, string>>;
  readonly method?: ProviderMethod;
  readonly key?: string;
}

async function call(
  memory: MemoryServices,
  path: string,
  { form = {}, method = "POST", key = validKey }: Call = {},
): Promise<ProviderResponse> {
  const headers = { authorization: `Basic ${btoa(`${account}:${key}`)}` };
  const url = `${base}${path}`;
  const fields = Object.entries(form);
  const request = formRequest(fields, {
    method,
    headers,
    url,
    key,
    path: `/v2/Services${path.split("?", 1)[0] ?? ""}`,
  });
  return callEndpoint(twilio, request, memory.services);
}

async function start(memory: MemoryServices, form: Readonly<Record<string, string>> = {}): Promise<ProviderResponse> {
  return call(memory, `/${service}/Verifications`, { form: { To: to, Channel: "sms", ...form } });
}

async function check(memory: MemoryServices, form: Readonly<Record<string, string>>): Promise<ProviderResponse> {
  return call(memory, `/${service}/VerificationCheck`, { form: { To: to, ...form } });
}

function sentCode({ sms }: MemoryServices): string {
  return /is: (\w+)/.exec(sms.at(-1)?.text ?? "")?.[1] ?? "";
}

function wrong(code: string): string {
  return code === "000000" ? "000001" : "000000";
}

function errorOf(response: ProviderResponse): readonly unknown[] {
  const { code, message, status } = jsonOf(response);
  expect(status).toBe(response.status);
  return [response.status, code, message];
}

const notFound = [404, 20404, `The requested resource /Services/${service}/VerificationCheck was not found`];

describe("Verifications", () => {
  test("delivers a code that the response does not contain, and approves it once", async () => {
    const memory = memoryServices();
    const started = await start(memory);
    expect(started.status).toBe(201);
    const resource = jsonOf(started);
    expect(resource).toMatchObject({
      service_sid: service,
      account_sid: account,
      to,
      channel: "sms",
      status: "pending",
      valid: false,
      amount: null,
      payee: null,
      lookup: {},
      sna: null,
      send_code_attempts: [{ channel: "SMS", time: "2026-11-20T10:42:07.000Z" }],
      date_created: "2026-11-20T10:42:07Z",
      url: `${base}/${service}/Verifications/${String(resource["sid"])}`,
    });
    expect(resource["sid"]).toMatch(/^VE[0-9a-f]{32}$/);
    const code = sentCode(memory);
    expect(code).toMatch(/^\d{6}$/);
    expect(started.body?.text).not.toContain(code);
    expect(memory.sms).toMatchObject([{ from: "Verify", to, metadata: { channel: "sms", service }, callback: null }]);
    const pending = await check(memory, { Code: wrong(code) });
    expect([pending.status, jsonOf(pending)]).toMatchObject([201, { status: "pending", valid: false }]);
    const approved = await check(memory, { Code: code });
    expect([approved.status, jsonOf(approved)]).toMatchObject([
      201,
      { sid: resource["sid"], status: "approved", valid: true, to, channel: "sms", sna_attempts_error_codes: [] },
    ]);
    expect(errorOf(await check(memory, { Code: code }))).toEqual(notFound);
  });

  test("sends the same code again, at most five times in ten minutes", async () => {
    const memory = memoryServices();
    const first = jsonOf(await start(memory));
    const code = sentCode(memory);
    for (const channel of ["whatsapp", "call", "SMS", "sms"]) {
      const again = jsonOf(await start(memory, { Channel: channel }));
      expect(again).toMatchObject({ sid: first["sid"], channel: channel.toLowerCase() });
      expect(sentCode(memory)).toBe(code);
    }
    expect(memory.sms.map(({ metadata }) => metadata?.["channel"])).toEqual(["sms", "whatsapp", "call", "sms", "sms"]);
    expect(errorOf(await start(memory))).toEqual([429, 60203, "Max send attempts reached"]);
    expect(memory.sms).toHaveLength(5);
    memory.now += tenMinutes;
    expect(jsonOf(await start(memory))["sid"]).not.toBe(first["sid"]);
  });

  test("rejects all checks after five wrong codes, also parallel ones, until the code expires", async () => {
    const memory = memoryServices();
    await start(memory);
    const code = sentCode(memory);
    const checks = await Promise.all(Array.from({ length: 12 }, async () => check(memory, { Code: wrong(code) })));
    expect(checks.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(errorOf(await check(memory, { Code: code }))).toEqual([429, 60202, "Max check attempts reached"]);
    expect(errorOf(await start(memory))).toEqual([429, 60202, "Max check attempts reached"]);
    memory.now += tenMinutes;
    expect(errorOf(await check(memory, { Code: code }))).toEqual(notFound);
    expect((await start(memory)).status).toBe(201);
  });

  test("counts parallel sends", async () => {
    const memory = memoryServices();
    const sends = await Promise.all(Array.from({ length: 8 }, async () => start(memory)));
    expect(sends.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(new Set(memory.sms.map(({ text }) => text)).size).toBe(1);
  });

  test("expires ten minutes after the first send", async () => {
    const memory = memoryServices();
    const { sid } = jsonOf(await start(memory));
    memory.now += tenMinutes - 1;
    await start(memory);
    expect((await call(memory, `/${service}/Verifications/${String(sid)}`, { method: "GET" })).status).toBe(200);
    memory.now = startInstant + tenMinutes;
    expect(errorOf(await check(memory, { Code: sentCode(memory) }))).toEqual(notFound);
    const fetched = await call(memory, `/${service}/Verifications/${String(sid)}`, { method: "GET" });
    expect(errorOf(fetched).slice(0, 2)).toEqual([404, 20404]);
  });

  test("is found by its SID and by its number", async () => {
    const memory = memoryServices();
    const { sid } = jsonOf(await start(memory));
    for (const id of [String(sid), encodeURIComponent(to)]) {
      const fetched = await call(memory, `/${service}/Verifications/${id}`, { method: "GET" });
      expect(jsonOf(fetched)).toMatchObject({ sid, to, status: "pending" });
    }
    const approved = await call(memory, `/${service}/VerificationCheck`, {
      form: { VerificationSid: String(sid), Code: sentCode(memory) },
    });
    expect(jsonOf(approved)).toMatchObject({ sid, status: "approved" });
    const again = jsonOf(await start(memory));
    expect(again["sid"]).not.toBe(sid);
    const old = await call(memory, `/${service}/VerificationCheck`, {
      form: { VerificationSid: String(sid), Code: sentCode(memory) },
    });
    expect(errorOf(old)).toEqual(notFound);
  });

  test.each(["canceled", "approved"])("is ended by the status %s", async (status) => {
    const memory = memoryServices();
    const { sid } = jsonOf(await start(memory));
    const path = `/${service}/Verifications/${String(sid)}`;
    const updated = await call(memory, path, { form: { Status: status } });
    expect([updated.status, jsonOf(updated)]).toMatchObject([200, { sid, status, valid: status === "approved" }]);
    expect(errorOf(await check(memory, { Code: sentCode(memory) }))).toEqual(notFound);
    expect(errorOf(await call(memory, path, { form: { Status: status } })).slice(0, 2)).toEqual([404, 20404]);
    expect(errorOf(await call(memory, path, { form: { Status: "failed" } })).slice(0, 2)).toEqual([400, 60200]);
  });

  test("sends mail from the sender of the channel configuration", async () => {
    const memory = memoryServices();
    const ChannelConfiguration = JSON.stringify({ from: "security@acme.example", from_name: "Acme" });
    const form = { To: "Ada@example.com", Channel: "email", ChannelConfiguration, CustomFriendlyName: "A<b>" };
    expect((await start(memory, { ...form, CustomCode: "AB12" })).status).toBe(201);
    expect(memory.emails).toMatchObject([
      {
        mailFrom: "security@acme.example",
        recipients: ["Ada@example.com"],
        content: {
          from: { name: "Acme", address: "security@acme.example" },
          subject: "Your A<b> verification code",
          text: "Your A<b> verification code is: AB12\n",
          html: "<p>Your A&#60;b&#62; verification code is: AB12</p>\n",
        },
        facts: { metadata: { channel: "email" } },
      },
    ]);
    const approved = await check(memory, { To: "ada@example.com", Code: "AB12" });
    expect(jsonOf(approved)).toMatchObject({ status: "approved", to: "Ada@example.com" });
  });

  test("appends the app hash and the warning of the service to an SMS", async () => {
    const memory = memoryServices();
    const created = jsonOf(
      await call(memory, "", { form: { FriendlyName: "Acme", DoNotShareWarningEnabled: "true", CodeLength: "4" } }),
    );
    const form = { To: to, Channel: "sms", AppHash: "He42w354ol9" };
    await call(memory, `/${String(created["sid"])}/Verifications`, { form });
    expect(memory.sms[0]?.text).toMatch(
      /^<#> Your Acme verification code is: \d{4}\. Don't share this code with anyone; .+\nHe42w354ol9$/,
    );
  });

  test.each([
    [{ To: "" }, "Invalid parameter `To`:"],
    [{ To: "nobody" }, "Invalid parameter `To`: nobody"],
    [{ To: "ada@example.com" }, "Invalid parameter `To`: ada@example.com"],
    [{ Channel: "email" }, `Invalid parameter \`To\`: ${to}`],
    [{ Channel: "" }, "Invalid parameter: Channel"],
    [{ Channel: "pigeon" }, "Invalid parameter: Channel"],
    [{ CustomCode: "123" }, "Invalid parameter: CustomCode"],
    [{ CustomCode: "12345678901" }, "Invalid parameter: CustomCode"],
    [{ CustomFriendlyName: "x".repeat(65) }, "Invalid parameter: CustomFriendlyName"],
    [{ AppHash: "short" }, "Invalid parameter: AppHash"],
    [{ ChannelConfiguration: "{" }, "Invalid parameter: ChannelConfiguration"],
    [{ ChannelConfiguration: '{"from":"nobody"}' }, "Invalid parameter: ChannelConfiguration"],
  ] as const)("rejects %j with 60200", async (form, message) => {
    const memory = memoryServices();
    expect(errorOf(await start(memory, form))).toEqual([400, 60200, message]);
    expect([...memory.sms, ...memory.emails]).toEqual([]);
  });

  test.each([{ Code: "" }, { Code: "123" }, { Code: "12345678901" }, { Code: "123456", To: "" }])(
    "rejects the check %j with 60200",
    async (form) => {
      expect(errorOf(await check(memoryServices(), form)).slice(0, 2)).toEqual([400, 60200]);
    },
  );

  test("responds to any value of a field, and sends nothing on an error", async () => {
    const names = ["To", "Channel", "CustomCode", "CustomFriendlyName", "AppHash", "ChannelConfiguration", "Locale"];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.oneof(fc.string(), fc.json()), async (name, value) => {
        const memory = memoryServices();
        const { status } = await start(memory, { [name]: value });
        expect([201, 400]).toContain(status);
        expect(memory.sms.length + memory.emails.length).toBe(status === 201 ? 1 : 0);
      }),
    );
  });

  test("does not count a send that was refused", async () => {
    const refused = memoryServices({ refusal: "no_server" });
    for (let sends = 0; sends < 6; sends += 1) {
      expect(errorOf(await start(refused))).toEqual([400, 60200, `Invalid parameter \`To\`: ${to}`]);
    }
    expect(errorOf(await check(refused, { Code: "123456" }))).toEqual(notFound);
    const unsubscribed = await start(memoryServices({ refusal: "unsubscribed" }));
    expect(errorOf(unsubscribed)).toEqual([400, 21610, `Attempt to send to unsubscribed recipient ${to}`]);
  });

  test("rejects a malformed service SID, an unknown key and an unknown path", async () => {
    const memory = memoryServices();
    const form = { To: to, Channel: "sms" };
    const malformed = await call(memory, `/${account}/Verifications`, { form });
    expect(errorOf(malformed).slice(0, 2)).toEqual([400, 60200]);
    const stranger = await call(memory, `/${service}/Verifications`, { form, key: "wrong" });
    expect(errorOf(stranger)).toEqual([401, 20003, "Authenticate"]);
    const unknown = await call(memory, `/${service}/Entities`, { form });
    expect(errorOf(unknown)).toEqual([
      404,
      20404,
      `The requested resource /Services/${service}/Entities was not found`,
    ]);
  });
});

describe("Services", () => {
  test("are created, read, listed in pages, changed and deleted", async () => {
    const memory = memoryServices();
    const created = await call(memory, "", { form: { FriendlyName: "Acme", CodeLength: "8" } });
    const resource = jsonOf(created);
    const sid = String(resource["sid"]);
    expect([created.status, resource]).toMatchObject([
      201,
      {
        friendly_name: "Acme",
        code_length: 8,
        account_sid: account,
        custom_code_enabled: false,
        tts_name: null,
        date_created: "2026-11-20T10:42:07Z",
        url: `${base}/${sid}`,
        links: { verifications: `${base}/${sid}/Verifications` },
      },
    ]);
    expect(sid).toMatch(/^VA[0-9a-f]{32}$/);
    await call(memory, `/${sid}/Verifications`, { form: { To: to, Channel: "sms" } });
    expect(memory.sms[0]?.text).toMatch(/^Your Acme verification code is: \d{8}$/);
    await call(memory, "", { form: { FriendlyName: "Other" } });
    memory.now += 1000;
    const changed = jsonOf(await call(memory, `/${sid}`, { form: { CodeLength: "4", CustomCodeEnabled: "true" } }));
    expect(changed).toMatchObject({ friendly_name: "Acme", code_length: 4, custom_code_enabled: true });
    expect(changed["date_updated"]).toBe("2026-11-20T10:42:08Z");
    expect(jsonOf(await call(memory, `/${sid}`, { method: "GET" }))).toEqual(changed);
    const page = jsonOf(await call(memory, "", { method: "GET", form: { PageSize: "1" } }));
    expect(page).toMatchObject({
      services: [{ sid }],
      meta: { key: "services", previous_page_url: null, next_page_url: `${base}?PageSize=1&Page=1` },
    });
    const last = jsonOf(await call(memory, "", { method: "GET", form: { PageSize: "1", Page: "1" } }));
    expect(last).toMatchObject({ services: [{ friendly_name: "Other" }], meta: { next_page_url: null } });
    expect(await call(memory, `/${sid}`, { method: "DELETE" })).toEqual({ status: 204, body: null });
    const gone = [404, 20404, `The requested resource /Services/${sid} was not found`];
    for (const method of ["GET", "POST", "DELETE"] as const) {
      expect(errorOf(await call(memory, `/${sid}`, { method }))).toEqual(gone);
    }
  });

  test.each([
    [{}, "FriendlyName"],
    [{ FriendlyName: "x".repeat(33) }, "FriendlyName"],
    [{ FriendlyName: "Acme", CodeLength: "3" }, "CodeLength"],
    [{ FriendlyName: "Acme", CodeLength: "11" }, "CodeLength"],
    [{ FriendlyName: "Acme", CodeLength: "six" }, "CodeLength"],
  ])("rejects %j with 60200 for %s", async (form, name) => {
    expect(errorOf(await call(memoryServices(), "", { form }))).toEqual([400, 60200, `Invalid parameter: ${name}`]);
  });
});
