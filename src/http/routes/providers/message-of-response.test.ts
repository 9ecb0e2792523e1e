/** Messages by the ids that the providers' responses carry. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { minimalSample } from "../../../providers/conformance/sample-emails.test-aid.ts";
import type { ProviderSamples } from "../../../providers/conformance/samples.test-aid.ts";
import { providers } from "../../../providers/registry.ts";
import {
  openHttpTestServer,
  type HttpTestServer,
  type TestServer,
} from "../../../testing/http-test-server.test-aid.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

/** Header fields in which the providers expect a key. */
const credentials: Readonly<Record<string, (key: string) => Readonly<Record<string, string>>>> = {
  acs: (key) => ({ authorization: `Bearer ${key}` }),
  brevo: (key) => ({ "api-key": key }),
  graph: (key) => ({ authorization: `Bearer ${key}` }),
  gmail: (key) => ({ authorization: `Bearer ${key}` }),
  mailersend: (key) => ({ authorization: `Bearer ${key}` }),
  mailgun: (key) => ({ authorization: `Basic ${btoa(`api:${key}`)}` }),
  mailjet: (key) => ({ authorization: `Basic ${btoa(`public:${key}`)}` }),
  mailtrap: (key) => ({ "api-token": key }),
  postmark: (key) => ({ "x-postmark-server-token": key }),
  resend: (key) => ({ authorization: `Bearer ${key}` }),
  sendgrid: (key) => ({ authorization: `Bearer ${key}` }),
  ses: (key) => ({ authorization: `AWS4-HMAC-SHA256 Credential=${key}/20261127/us-east-1/ses/aws4_request` }),
};

describe.each(providers.filter(({ email }) => email !== null).map(({ name }) => name))("%s", (name) => {
  test("responds with an id by which the message can be retrieved at once, with access to its server only", async () => {
    const { samples } = (await import(`../../../providers/${name}/samples.test-aid.ts`)) as {
      readonly samples: Required<ProviderSamples>;
    };
    const { email } = samples;
    const { method, headers, body, url } = email.send(minimalSample, { key: server.key });
    const { search } = new URL(url);
    const response = await api.ask(
      `${method} /providers/${name}${email.sendPath.replace(":domain", "mg.example.com")}${search}`,
      {
        key: null,
        headers: { ...(headers as Record<string, string>), ...credentials[name]?.(server.key) },
        body: Buffer.from(body),
      },
    );
    const [id = ""] = email.idsOf({
      status: response.statusCode,
      headers: {
        ...(response.headers as Record<string, string>),
        "X-Message-Id": String(response.headers["x-message-id"]),
      },
      body: response.body === "" && name === "graph" ? null : { contentType: "", text: response.body },
    });
    const path = `GET /api/messages/${encodeURIComponent(id)}`;
    const found = await api.ask(path, { key: server.key });
    expect([found.statusCode, found.json()]).toMatchObject([200, { provider: { name, id } }]);
    const other = await api.addServer();
    expect((await api.ask(path, { key: other.key })).statusCode).toBe(404);
  });
});

test("the SID of an SMS names its message", async () => {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    authorization: `Basic ${btoa(`AC1:${server.key}`)}`,
  };
  const body = "To=%2B15550101&From=%2B15550100&Body=hello";
  const path = "POST /2010-04-01/Accounts/AC1/Messages.json";
  const { sid } = (await api.ask(path, { key: null, headers, body })).json<{ readonly sid: string }>();
  const found = await api.ask(`GET /api/messages/${sid}`, { key: server.key });
  expect(found.json()).toMatchObject({ type: "SMS", provider: { id: sid } });
});

test.each(["SM00", "<none@example.com>", `<${"9".repeat(300)}@smtp-relay.mailin.fr>`, "x".repeat(1000)])(
  "no message has the id %s",
  async (id) => {
    expect((await api.ask(`GET /api/messages/${encodeURIComponent(id)}`)).statusCode).toBe(404);
  },
);
