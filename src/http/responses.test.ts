/** Checks real responses against the OpenAPI document, and every route with arbitrary requests. */
import fc from "fast-check";
import { Check } from "typebox/schema";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../testing/http-test-server.test-aid.ts";
import { routeTable } from "./route-table.ts";
import { urlPath, urlQuery } from "../testing/url-parts.test-aid.ts";

interface OpenApiDocument {
  readonly components: object;
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Described>> }>>>
  >;
}
interface Described {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

let api: HttpTestServer;
let server: TestServer;
let document: OpenApiDocument;
let message: string;

const raw =
  "From: App <app@x.example>\r\nSubject: Code\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n" +
  '<a href="https://x.example/"><img src="cid:1" alt="logo"></a> Your code is 804219\r\n--b\r\nContent-Type: image/png; name=a.png\r\n\r\nhi\r\n--b--\r\n';

beforeAll(async () => {
  api = await openHttpTestServer({ limits: { wrongKeyCountPerMinuteMax: 100_000 } });
  server = await api.addServer();
  message = await api.deliver(server, { raw });
  document = (await api.ask("GET /openapi.json")).json();
});
afterAll(async () => api[Symbol.asyncDispose]());

/** Returns the schema without room for further members. */
function strict(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(strict);
  const members = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strict(value)]));
  return "properties" in schema ? { ...members, additionalProperties: false } : members;
}

/** Returns whether a JSON response matches the document for the route and status. */
async function isAsDescribed(line: string, path: string, body?: unknown): Promise<boolean> {
  const reply = await api.ask(line, { body });
  const [method = ""] = line.toLowerCase().split(" ");
  const { content } = document.paths[path]?.[method]?.responses[String(reply.statusCode)] ?? {};
  const schema = content?.["application/json"]?.schema;
  if (schema === undefined) throw new Error(`${line} ${String(reply.statusCode)} is not described`);
  const whole = strict({ ...schema, components: document.components });
  return Check(whole as Parameters<typeof Check>[0], reply.json());
}

describe("responses", () => {
  test.each([
    ["GET /api/messages?server=SERVER", "/api/messages", undefined],
    ["POST /api/messages/search?server=SERVER", "/api/messages/search", { subject: "code" }],
    ["GET /api/messages/MESSAGE", "/api/messages/{id}", undefined],
    ["GET /api/servers", "/api/servers", undefined],
    ["POST /api/servers", "/api/servers", { name: "n", withKey: true, ttlSeconds: 5 }],
    ["GET /api/servers/SERVER", "/api/servers/{id}", undefined],
    ["PUT /api/servers/SERVER", "/api/servers/{id}", { users: ["u"], retention: { ageSecondsMax: 9999 } }],
    ["GET /api/servers/SERVER/password", "/api/servers/{id}/password", undefined],
    ["GET /api/keys", "/api/keys", undefined],
    ["POST /api/keys", "/api/keys", { name: "n" }],
    ["POST /api/messages?server=SERVER", "/api/messages", {}],
    ["POST /api/messages?server=SERVER", "/api/messages", { to: "friend@outside.example", send: true, text: "x" }],
    ["POST /api/messages?server=SERVER", "/api/messages", { to: "x@stranger.example", send: true }],
    ["POST /api/messages/MESSAGE/forward", "/api/messages/{id}/forward", { to: "friend@outside.example" }],
    ["POST /api/messages/MESSAGE/reply", "/api/messages/{id}/reply", { text: "x" }],
    ["POST /api/messages/MESSAGE/bounce", "/api/messages/{id}/bounce", undefined],
    ["GET /api/verified-addresses", "/api/verified-addresses", undefined],
    ["POST /api/verified-addresses", "/api/verified-addresses", { address: "described@new.example" }],
    ["POST /api/sms", "/api/sms", { from: "App", to: "+15550100", text: "Code 4321" }],
    ["POST /api/phone-numbers", "/api/phone-numbers", { number: "+15550100", server: "SERVER", secret: "s" }],
    ["GET /api/phone-numbers", "/api/phone-numbers", undefined],
    ["PUT /api/approved-phrases", "/api/approved-phrases", { phrases: ["YES"] }],
    ["GET /api/messages", "/api/messages", undefined],
    ["GET /api/servers/nothing", "/api/servers/{id}", undefined],
  ])("match the document: %s", async (template, path, body) => {
    const line = template.replace("SERVER", server.id).replace("MESSAGE", message);
    const text = body === undefined ? undefined : JSON.stringify(body).replace("SERVER", server.id);
    expect(await isAsDescribed(line, path, text === undefined ? undefined : JSON.parse(text))).toBe(true);
  });

  test("fail the check where they differ from the document", () => {
    const schema = strict({ type: "object", properties: { a: { type: "string" } } }) as Parameters<typeof Check>[0];
    expect([Check(schema, { a: "x" }), Check(schema, { a: 5 }), Check(schema, { b: "x" })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("requests", () => {
  const bodies = fc.oneof(
    fc.json(),
    fc.string(),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc
      .dictionary(
        fc.constantFrom("name", "Users", "retention", "server", "subject", "match", "withKey", "ttlSeconds"),
        fc.jsonValue(),
      )
      .map((body) => JSON.stringify(body)),
  );
  const withBody = routeTable.filter((route) => route.body !== undefined);

  test.each(withBody.map((route) => [`${route.method} ${route.path}`]))(
    "cause no 5xx response with any body: %s",
    async (name) => {
      const line = `${name.replace(":id", server.id)}?server=${server.id}`;
      await fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          const reply = await api.ask(line, { body, headers: { "content-type": "application/json" } });
          expect([200, 400, 404]).toContain(reply.statusCode);
        }),
        { numRuns: 40 },
      );
      expect(api.failed).toEqual([]);
    },
  );

  test("cause no 5xx response with any path, query and header field", async () => {
    const parts = fc.oneof(urlPath, fc.constantFrom("/api/messages", "/api/servers", "/api/files/email/x", "/healthz"));
    const headers = fc.dictionary(
      fc.constantFrom("authorization", "range", "if-none-match", "user-agent", "origin", "host", "content-type"),
      fc.stringMatching(/^[\x20-\x7e]{0,40}$/),
    );
    await fc.assert(
      fc.asyncProperty(parts, urlQuery, headers, async (path, query, given) => {
        const reply = await api.ask(`GET ${path === "" ? "/" : path}?${query}`, { headers: given });
        expect(reply.statusCode).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
    expect(api.failed).toEqual([]);
  });
});
