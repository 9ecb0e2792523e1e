/** Requests to providers' APIs that no endpoint handles, and failures of the service. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KeyGuard } from "../../../operations/services/security/key-guard.ts";
import { openHttpTestServer, type HttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import { Problem } from "../../../core/errors.ts";
import { providers } from "../../../providers/registry.ts";
import { providerRoutes } from "./provider-routes.ts";

let api: HttpTestServer;
beforeAll(async () => (api = await openHttpTestServer()));
afterAll(async () => api[Symbol.asyncDispose]());

const form = { "content-type": "application/x-www-form-urlencoded" };
const messages = "/2010-04-01/Accounts/AC1/Messages.json";

test("the paths of Twilio and Vonage are served at the root and below their prefix", () => {
  const paths = [
    "POST /2010-04-01/Accounts/:account/Messages.json",
    "GET /2010-04-01/Accounts/:account/Messages.json",
    "GET /2010-04-01/Accounts/:account/Messages/:id",
    "GET /2010-04-01/Accounts/:account/Messages/:id/Media.json",
    "GET /2010-04-01/Accounts/:account/Messages/:id/Media/:media",
  ];
  const served = new Set(providerRoutes.map(({ method, path }) => `${method} ${path}`));
  const below = paths.map((line) => line.replace(" ", " /providers/twilio"));
  const expected = [...paths, ...below, "POST /sms/json", "POST /providers/vonage/sms/json"];
  expect(expected.filter((line) => !served.has(line))).toEqual([]);
  const own = / \/(?:(?:providers|api|gmail|upload\/gmail|batch\/gmail)\/|emails[:/]|sms$)/;
  const atRoot = Array.from(served).filter((line) => !own.test(line));
  expect(atRoot.toSorted()).toEqual([...paths, "POST /sms/json"].toSorted());
});

describe.each(providers.map(({ name }) => name))("%s", (name) => {
  test.each([
    ["an unknown path", "GET", "/no/such/path"],
    ["an unknown path of HEAD", "HEAD", "/no/such/path"],
    ["invalid percent-encoding", "POST", "/%zz/a"],
    ["invalid percent-encoding in an otherwise known path", "POST", "/2010-04-01/Accounts/%/Messages.json"],
    ["a method that no endpoint has", "PATCH", "/no/such/path"],
  ] as const)("responds to %s with its own error", async (_title, method, path) => {
    const response = await api.ask(`${method} /providers/${name}${path}`);
    expect(response.statusCode).toBeLessThan(500);
    // The service's own errors have a type and a list of fields.
    expect(response.body).not.toContain('"errors":[],');
    expect(response.body).not.toContain('"type":"NotFound"');
    expect(response.body === "").toBe(method === "HEAD");
  });

  test("rejects a body that is no gzip with its own error", async () => {
    const endpoint = providers.find((one) => one.name === name)?.endpoints.find((one) => one.method === "POST");
    const url = `/providers/${name}${(endpoint?.path ?? "").replaceAll(/:\w+/g, "x")}`;
    const response = await api.ask(`POST ${url}`, { headers: { ...form, "content-encoding": "gzip" }, body: "\u001F" });
    expect(response.statusCode).toBeLessThan(500);
    expect(response.body).not.toBe("");
    expect(response.body).not.toContain('"type":"UnsupportedMediaType"');
  });
});

test("decodes gzip, and rejects what is none or is too large when it is decoded", async () => {
  const { id, key } = await api.addServer();
  const mail = { from: "app@shop.example", to: "zoe@shop.example", subject: "Compressed", text: "Hi" };
  const send = async (body: Buffer) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-encoding": "gzip" };
    return api.ask("POST /providers/resend/emails", { key: null, headers, body });
  };
  expect((await send(gzipSync(JSON.stringify(mail)))).statusCode).toBe(200);
  expect((await send(Buffer.from("none"))).json()).toMatchObject({ statusCode: 400 });
  expect((await send(gzipSync(JSON.stringify(mail)).subarray(0, 20))).json()).toMatchObject({ statusCode: 400 });
  const large = gzipSync(Buffer.alloc(api.context.limits.contentBodyBytesMax + 1));
  expect(large.byteLength).toBeLessThan(api.context.limits.contentBodyBytesMax / 100);
  expect((await send(large)).json()).toMatchObject({ statusCode: 413 });
  const [stored] = (await api.ask(`GET /api/messages?server=${id}`, { key })).json<
    readonly { readonly subject: string }[]
  >();
  expect(stored).toMatchObject({ subject: "Compressed" });
});

test("a failure of the service keeps its status, has the body of the provider, and is logged", async () => {
  const failure = new Problem("unavailable", { retryAfterSeconds: 3 });
  const fail = (): never => {
    throw failure;
  };
  const keyGuard: KeyGuard = { allowsAddress: fail, admit: fail };
  const failing = await openHttpTestServer({ context: { keyGuard } });
  const headers = { ...form, authorization: `Basic ${btoa(`AC1:${failing.accountKey}`)}` };
  const body = "From=%2B15550100&To=%2B15550101&Body=Hi";
  const response = await failing.ask(`POST ${messages}`, { key: null, headers, body });
  expect(response.statusCode).toBe(503);
  expect(response.json()).toMatchObject({ code: 20500, message: "Internal Server Error" });
  expect(response.headers["x-request-id"]).toBeDefined();
  expect(response.headers["retry-after"]).toBe("3");
  expect(failing.failed.map(({ id }) => id)).toEqual([response.headers["x-request-id"]]);
  await failing[Symbol.asyncDispose]();
});
