import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KeyScope } from "../../../core/api-key.ts";
import type { Context } from "../../../operations/context.ts";
import { addKey, newSecret } from "../../../operations/keys/keys.ts";
import {
  type HttpTestServer,
  openHttpTestServer,
  type Reply,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";

const path = "/providers/twilio/2010-04-01/Accounts/AC1/Messages.json";
const sms = "To=%2B15550101&From=%2B15550100&Body=hello";

async function send(api: HttpTestServer, key: string | null, to = path): Promise<Reply> {
  const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
  if (key !== null) headers["authorization"] = `Basic ${Buffer.from(`AC1:${key}`).toString("base64")}`;
  return api.ask(`POST ${to}`, { key: null, headers, body: sms });
}

async function list(api: HttpTestServer, key: string): Promise<readonly string[]> {
  const headers = { authorization: `Basic ${Buffer.from(`AC1:${key}`).toString("base64")}` };
  const reply = await api.ask(`GET ${path}`, { key: null, headers });
  return reply.json<{ messages: readonly { body: string }[] }>().messages.map(({ body }) => body);
}

describe("with RESTANTE_PROVIDER_KEYS=any", () => {
  let api: HttpTestServer;
  let server: TestServer;
  beforeAll(async () => {
    api = await openHttpTestServer({ settings: { acceptsAnyProviderKey: true } });
    server = await api.addServer();
  });
  afterAll(async () => api[Symbol.asyncDispose]());

  async function keyOf(scope: KeyScope): Promise<string> {
    const secret = newSecret();
    await addKey(api.context, { secret, name: scope, server: null, scope });
    return secret;
  }

  test("an unknown key submits by recipient, and the message names its provider", async () => {
    const reply = await send(api, "a-key-of-twilio");
    const { sid } = reply.json<{ sid: string }>();
    expect([reply.statusCode, sid]).toEqual([201, expect.stringMatching(/^SM[0-9a-f]{32}$/)]);
    const query = `server=${server.id}&provider=twilio&providerId=${sid}`;
    const [found] = (await api.ask(`GET /api/messages?${query}`)).json<readonly { id: string }[]>();
    expect((await api.ask(`GET /api/messages/${found?.id ?? ""}`)).json()).toMatchObject({
      provider: { name: "twilio", id: sid, tags: [], metadata: {}, template: null, scheduledAt: null },
    });
  });

  test("an unknown key reads only SMS that came through the provider", async () => {
    const body = { from: "+15550100", to: "+15550101", text: "from elsewhere" };
    await api.ask("POST /api/sms", { body });
    expect(await list(api, api.accountKey)).toContain("from elsewhere");
    expect(await list(api, "a-key-of-twilio")).not.toContain("from elsewhere");
    expect(await list(api, "another-key")).toContain("hello");
  });

  test("an unknown key in a form that a page of another site sends is rejected", async () => {
    const send = async (site: string): Promise<Reply> => {
      const headers = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": site };
      const body = "api_key=k&api_secret=any&from=Shop&to=15550101&text=forged";
      return api.ask("POST /sms/json", { key: null, headers, body });
    };
    expect((await send("cross-site")).body).toContain("Bad Credentials");
    expect((await send("none")).body).toContain('"status":"0"');
  });

  test("unknown keys do not count as wrong ones", async () => {
    const { wrongKeyCountPerMinuteMax } = api.context.limits;
    for (let n = 0; n <= wrongKeyCountPerMinuteMax; n += 1) {
      expect((await send(api, `unknown-${String(n)}`)).statusCode).toBe(201);
    }
    expect((await api.ask("GET /api/servers", { key: "wrong" })).statusCode).toBe(401);
  });

  test("a request without a key is not authenticated", async () => {
    expect((await send(api, null)).statusCode).toBe(401);
  });

  test("a known key needs the scope of the request", async () => {
    // Twilio's status for every key that may not send.
    expect((await send(api, await keyOf("read"))).statusCode).toBe(401);
    expect((await send(api, await keyOf("send"))).statusCode).toBe(201);
  });

  test("a restricted key submits to its server", async () => {
    const other = await api.addServer();
    const reply = await send(api, other.key);
    const query = `server=${other.id}&providerId=${reply.json<{ sid: string }>().sid}`;
    expect((await api.ask(`GET /api/messages?${query}`)).json()).toHaveLength(1);
  });
});

test("an unknown key gets the error of the provider with RESTANTE_PROVIDER_KEYS=known, and counts as wrong", async () => {
  await using api = await openHttpTestServer({ limits: { wrongKeyCountPerMinuteMax: 2 } });
  await api.addServer();
  const statuses: number[] = [];
  for (const key of ["one", "two", "three"]) statuses.push((await send(api, key)).statusCode);
  expect(statuses).toEqual([401, 401, 429]);
  expect((await send(api, api.accountKey, "/2010-04-01/Accounts/AC1/Messages.json")).statusCode).toBe(201);
});

describe("a mail with the key in its body", () => {
  const path = "POST /providers/mandrill/api/1.0/messages/send";
  const ask = async (api: HttpTestServer, site: string, textLength: number): Promise<number> => {
    const server = await api.addServer();
    const to = [{ email: `zoe@${server.id}.restante.test` }];
    const message = { from_email: "app@shop.example", to, text: "x".repeat(textLength) };
    const headers = { "sec-fetch-site": site };
    return (await api.ask(path, { key: null, headers, body: { message, key: server.key } })).statusCode;
  };
  const limits = { unauthenticatedBytesInFlightMax: 128 * 1024 };

  test("uses the memory of callers while the service accepts any key", async () => {
    await using api = await openHttpTestServer({ settings: { acceptsAnyProviderKey: true }, limits });
    expect(await ask(api, "none", 500_000)).toBe(200);
    expect(await ask(api, "cross-site", 500_000)).toBe(429);
  });

  test("uses the memory of clients that are not authenticated otherwise", async () => {
    await using api = await openHttpTestServer({ limits });
    expect(await ask(api, "none", 90_000)).toBe(200);
    expect(await ask(api, "none", 500_000)).toBe(429);
  });
});

test("a batch of Gmail needs no token of its own when its requests have one", async () => {
  await using api = await openHttpTestServer({ limits: { unauthenticatedBytesInFlightMax: 64 * 1024 } });
  const { key } = await api.addServer();
  const batch = async (own: string | null, outer: string | null, padding = ""): Promise<readonly unknown[]> => {
    const authorization = own === null ? "" : `Authorization: Bearer ${own}\r\n`;
    const part = `\r\nGET /gmail/v1/users/me/profile\r\n${authorization}\r\n${padding}`;
    const headers: Record<string, string> = { "content-type": "multipart/mixed; boundary=b" };
    if (outer !== null) headers["authorization"] = `Bearer ${outer}`;
    const body = Buffer.from(`--b\r\n${part}\r\n--b--`);
    const reply = await api.ask("POST /providers/gmail/batch/gmail/v1", { key: null, headers, body });
    return [reply.statusCode, /HTTP\/1\.1 (\d+)/.exec(reply.body)?.[1]];
  };
  expect(await batch(key, null)).toEqual([200, "200"]);
  expect(await batch(null, key)).toEqual([200, "200"]);
  expect(await batch(null, null)).toEqual([200, "401"]);
  expect(await batch(key, "wrong")).toEqual([401, undefined]);
  // Without a token, the body uses the memory of clients that are not authenticated.
  const padding = "x".repeat(100_000);
  expect(await batch(key, key, padding)).toEqual([200, "200"]);
  expect(await batch(key, null, padding)).toEqual([429, undefined]);
});

test("unknown keys of one client address are one caller of the workers that render templates", async () => {
  const callers: string[] = [];
  const templates: Context["templates"] = {
    render: async ({ sources }, { key }) => {
      callers.push(key);
      return sources;
    },
    close: async () => undefined,
  };
  await using api = await openHttpTestServer({ settings: { acceptsAnyProviderKey: true }, context: { templates } });
  const server = await api.addServer();
  const body = {
    sender: { email: "app@shop.example" },
    to: [{ email: `zoe@${server.id}.restante.test` }],
    subject: "Hello",
    htmlContent: "<p>{{ params.a }}</p>",
    params: { a: "b" },
  };
  for (const key of ["one", "two", server.key]) {
    const reply = await api.ask("POST /providers/brevo/v3/smtp/email", {
      key: null,
      headers: { "api-key": key },
      body,
    });
    expect(reply.statusCode).toBe(201);
  }
  const [one, two, known] = callers;
  expect([two, one?.startsWith("address:"), known?.startsWith("address:")]).toEqual([one, true, false]);
});
