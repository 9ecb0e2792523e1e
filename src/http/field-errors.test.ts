/** Checks for every route that one response reports all field errors of a request. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../testing/http-test-server.test-aid.ts";
import type { BodyRule, QueryParameter, Route } from "./route.ts";
import { routeTable } from "./route-table.ts";
import type { WireError } from "./wire/error-schema.ts";
import { type SchemaShape } from "../core/schema.ts";

let api: HttpTestServer;
let server: TestServer;
let message: string;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
  message = await api.deliver(server);
});
afterAll(async () => api[Symbol.asyncDispose]());

/** A value of another type than the schema's, and the path that its error names. */
interface WrongValue {
  readonly name: string;
  readonly value: unknown;
  readonly field: string;
}

/** Returns every member of a body's schema with a value of a wrong type, members of nested objects included. */
function wrongValues(shape: SchemaShape): readonly WrongValue[] {
  return Object.entries(shape.properties ?? {}).flatMap(([name, member]): readonly WrongValue[] => {
    const inner = member.anyOf?.[0] ?? member;
    const nested = wrongValues(inner).map(({ name: key, value, field }) => {
      return { name, value: { [key]: value }, field: `${name}.${field}` };
    });
    return [{ name, value: inner.type === "string" ? 5 : "\u0000wrong", field: name }, ...nested];
  });
}

/** Returns a query parameter with a value that its schema forbids; undefined when it allows every string. */
function wrongParameter({ name, schema }: QueryParameter): WrongValue | undefined {
  const { type, enum: members, anyOf } = schema;
  const allowsAnyText = type === "string" && name !== "before";
  return allowsAnyText || (type === undefined && members === undefined && anyOf === undefined)
    ? undefined
    : { name, value: "wrong", field: name };
}

/** Returns every pair of values that belong to different members. */
function pairsOf(values: readonly WrongValue[]): readonly (readonly [WrongValue, WrongValue])[] {
  return values.flatMap((one, at) =>
    values.slice(at + 1).flatMap((other) => (other.name === one.name ? [] : [[one, other] as const])),
  );
}

async function errorFieldsOf(
  route: Route,
  request: { readonly query?: readonly WrongValue[]; readonly body?: readonly WrongValue[] },
): Promise<readonly string[]> {
  const parameters = new URLSearchParams((request.query ?? []).map(({ name, value }) => [name, String(value)]));
  if (route.query?.some(({ name }) => name === "server") === true) parameters.set("server", server.id);
  const id = route.path.startsWith("/api/servers/") ? server.id : message;
  const reply = await api.ask(`${route.method} ${route.path.replace(":id", id)}?${parameters.toString()}`, {
    body: request.body === undefined ? undefined : Object.fromEntries(request.body.map((one) => [one.name, one.value])),
  });
  expect(reply.statusCode).toBe(400);
  return reply.json<WireError>().errors.map(({ field }) => field);
}

/** Leaves out required fields that the body lacks: they are reported too. */
function withoutMissing({ body }: Route, fields: readonly string[], given: readonly string[] = []): readonly string[] {
  const missing = (body?.schema.required ?? []).filter((field) => !given.includes(field));
  return fields.filter((field) => !missing.includes(field));
}

async function errorFieldsOfLine(line: string, body: object): Promise<readonly string[]> {
  const reply = await api.ask(line.replace(":id", message).replace(":server", server.id), { body });
  expect(reply.statusCode).toBe(400);
  const { errors } = reply.json<WireError>();
  return errors.map(({ field }) => field).toSorted();
}

const documented = routeTable.filter(({ operationId }) => operationId !== null);
const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const bodies = documented.flatMap((route) =>
  route.body === undefined ? [] : [[nameOf(route), route, route.body] as const],
);
const queries = documented.flatMap((route) => {
  const wrong = (route.query ?? []).flatMap((parameter) => wrongParameter(parameter) ?? []);
  return wrong.length === 0 ? [] : [[nameOf(route), route, wrong] as const];
});
const wrongIn = (body: BodyRule): readonly WrongValue[] => wrongValues(body.schema.anyOf?.[0] ?? body.schema);

describe("two wrong fields", () => {
  test.each(bodies.filter(([, , body]) => pairsOf(wrongIn(body)).length > 0))(
    "reports both wrong fields of a body: %s",
    async (_, route, body) => {
      for (const pair of pairsOf(wrongIn(body))) {
        // Required fields that the body lacks are reported too.
        const fields = pair.map(({ field }) => field);
        expect(await errorFieldsOf(route, { body: pair })).toEqual(expect.arrayContaining(fields));
      }
    },
  );

  test.each(queries.filter(([, , wrong]) => pairsOf(wrong).length > 0))(
    "reports both wrong fields of a query: %s",
    async (_, route, wrong) => {
      for (const pair of pairsOf(wrong)) {
        const fields = await errorFieldsOf(route, { query: pair });
        expect(withoutMissing(route, fields).toSorted()).toEqual(pair.map(({ field }) => field).toSorted());
      }
    },
  );

  test.each(
    queries.flatMap(([name, route, wrong]) =>
      route.body === undefined ? [] : [[name, route, { body: route.body, wrong }] as const],
    ),
  )("of query and body are both reported: %s", async (_, route, { body, wrong }) => {
    const [member] = wrongIn(body);
    for (const parameter of wrong) {
      const fields = await errorFieldsOf(route, { query: [parameter], body: member === undefined ? [] : [member] });
      const wrongFields = [parameter.field, member?.field ?? ""];
      expect(withoutMissing(route, fields, wrongFields).toSorted()).toEqual(wrongFields.toSorted());
    }
  });

  test.each([
    ["POST /api/servers", { ttlSeconds: 0, quota: { messages: 0 } }, ["name", "quota.messages", "ttlSeconds"]],
    ["POST /api/devices", { name: " ", sharedSecret: "!" }, ["name", "sharedSecret"]],
    ["POST /api/devices", { name: "x".repeat(201) }, ["name", "sharedSecret"]],
    ["POST /api/devices", { sharedSecret: "otpauth://totp/anna?secret=!" }, ["sharedSecret"]],
    ["POST /api/keys", { name: "x".repeat(201), expires: "yesterday" }, ["expires", "name"]],
    ["POST /api/sms", { text: "x".repeat(1601), received: "soon" }, ["from", "received", "text", "to"]],
    ["POST /api/messages/:id/bounce", { status: "2.0.0", diagnostic: "x".repeat(501) }, ["diagnostic", "status"]],
    [
      "POST /api/phone-numbers",
      { webhook: "x", account: {} },
      ["account.id", "account.secret", "number", "server", "webhook"],
    ],
  ])("are both reported when their types are right: %s %j", async (line, body, fields) => {
    expect(await errorFieldsOfLine(line, body)).toEqual(fields);
  });

  test.each([
    [
      "POST /api/servers",
      { name: 5, ttlSeconds: 0, quota: { messages: "x", bytes: 0 } },
      "name quota.bytes quota.messages ttlSeconds",
    ],
    ["POST /api/servers", { ttlSeconds: "x" }, "name ttlSeconds"],
    [
      "PUT /api/servers/:server",
      { name: " ", retention: { ageSecondsMax: "x", messageCountMax: 0 } },
      "name retention.ageSecondsMax retention.messageCountMax",
    ],
    ["POST /api/devices", { name: 5, sharedSecret: "!" }, "name sharedSecret"],
    ["POST /api/devices", { name: "x".repeat(201), sharedSecret: 5 }, "name sharedSecret"],
    ["POST /api/devices", { sharedSecret: 5 }, "sharedSecret"],
    ["POST /api/keys", { name: 5, expires: "yesterday" }, "expires name"],
    ["POST /api/keys", { name: "x".repeat(201), networks: ["127.0.0.1", 5] }, "name networks[1]"],
    ["POST /api/sms", { from: "!", to: 5, text: "x".repeat(1601) }, "from text to"],
    [
      "POST /api/phone-numbers",
      { number: 5, webhook: "x", account: { id: 5 } },
      "account.id account.secret number server webhook",
    ],
    ["POST /api/phone-numbers", { provider: "x", number: "5", account: { apiUrl: "x" } }, "number provider server"],
    [
      "POST /api/messages?server=:server",
      { to: "x", send: "yes", attachments: [{ content: "!" }] },
      "attachments[0].content send to",
    ],
    [
      "POST /api/messages?server=:server",
      { to: 5, send: true, attachments: [{ content: "!" }, { content: 5 }] },
      "attachments[1].content to",
    ],
    ["POST /api/messages", { to: "x" }, "server to"],
    ["POST /api/messages/:id/forward", { cc: "x", text: 5 }, "cc text to"],
    ["POST /api/messages/:id/reply", { cc: "x", text: 5 }, "cc text"],
    ["POST /api/messages/:id/bounce", { status: "2.0.0", diagnostic: 5 }, "diagnostic status"],
    ["POST /api/messages/:id/bounce", { action: "x", status: "4.0.0" }, "action"],
    ["POST /api/messages/search?server=:server", { subject: 5, body: "x".repeat(1001) }, "body subject"],
    ["POST /api/messages/search?server=:server&itemsPerPage=0", { body: "x".repeat(1001) }, "body itemsPerPage"],
  ])("are both reported when one has a wrong type and the other a wrong value: %s %j", async (line, body, fields) => {
    expect(await errorFieldsOfLine(line, body)).toEqual(fields.split(" "));
  });

  test("reports both wrong fields of a changed phone number when one has a wrong type and the other a wrong value", async () => {
    const number = { number: "+15550177", server: server.id };
    expect((await api.ask("POST /api/phone-numbers", { body: number })).statusCode).toBe(200);
    const body = { webhook: "x", secret: 5, account: { apiUrl: 5 } };
    expect(await errorFieldsOfLine("PUT /api/phone-numbers/+15550177", body)).toEqual([
      "account.apiUrl",
      "secret",
      "webhook",
    ]);
  });
});
