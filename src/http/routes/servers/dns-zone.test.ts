import { afterAll, beforeAll, describe, expect, test } from "vitest";
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

const zone = 'a.example. TXT "v=spf1 -all"\r\n; ünïcode\r\n';
const path = (): string => `/api/servers/${server.id}/dns`;

describe("a server's zone", () => {
  test("is stored as it was set, also by a key of the server", async () => {
    const { key } = server;
    expect((await api.ask(`GET ${path()}`, { key })).statusCode).toBe(404);
    const put = await api.ask(`PUT ${path()}`, { key, body: { Zone: zone } });
    expect([put.statusCode, put.json()]).toEqual([200, { zone, records: 1 }]);
    expect((await api.ask(`GET ${path()}`, { key })).json()).toEqual({ zone, records: 1 });
    await api.ask(`PUT ${path()}`, { body: { zone: "a.example. A 192.0.2.1\nb.example. A 192.0.2.2" } });
    expect((await api.ask(`GET ${path()}`)).json()).toMatchObject({ records: 2 });
  });

  test("is deleted with 204, and then responds 404", async () => {
    await api.ask(`PUT ${path()}`, { body: { zone } });
    expect((await api.ask(`DELETE ${path()}`)).statusCode).toBe(204);
    expect((await api.ask(`DELETE ${path()}`)).statusCode).toBe(404);
    expect((await api.ask(`GET ${path()}`)).statusCode).toBe(404);
  });

  test.each([
    [{}, "The text of a zone file is required"],
    [{ zone: "" }, "The text of a zone file is required"],
    [{ zone: "a.example. A 1.2.3\n" }, "Line 1: A takes an IPv4 address"],
    [{ zone: ["x"] }, "Must be a string"],
  ])("keeps the former zone and responds 400 to %j", async (body, description) => {
    await api.ask(`PUT ${path()}`, { body: { zone } });
    const reply = await api.ask(`PUT ${path()}`, { body });
    expect(reply.json()).toMatchObject({ status: 400, errors: [{ field: "zone", detail: [{ description }] }] });
    expect((await api.ask(`GET ${path()}`)).json()).toMatchObject({ zone });
  });

  test.each(["GET", "PUT", "DELETE"])("%s responds 404 for an unknown server", async (method) => {
    const body = method === "PUT" ? { body: { zone } } : {};
    expect((await api.ask(`${method} /api/servers/aaaaaaaa/dns`, body)).statusCode).toBe(404);
  });
});
