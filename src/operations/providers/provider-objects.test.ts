import { afterAll, beforeAll, expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import type { ProviderObjects } from "../../providers/email.ts";
import { openHttpTestServer, type HttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import { openProviderObjects } from "./provider-session.ts";

let api: HttpTestServer;
let server: TestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const objectsOf = (own: ServerId | null, provider = "acme"): ProviderObjects =>
  openProviderObjects(api.context, { principal: { keyId: "k", server: own }, provider, isKnown: true });

test("objects belong to a provider and to the account or a server; a restricted key also gets those of the account", async () => {
  const [account, restricted] = [objectsOf(null), objectsOf(server.id)];
  await account.put("template", "a", { value: { subject: "Hello" } });
  expect(await restricted.get("template", "a")).toMatchObject({ kind: "template", id: "a", version: 1 });
  expect(await restricted.list("template")).toEqual([]);
  expect(await restricted.remove("template", "a")).toBe(false);
  expect(await restricted.put("template", "a", { value: 2, version: 0 })).toBe(true);
  expect((await restricted.get("template", "a"))?.value).toBe(2);
  expect((await account.get("template", "a"))?.value).toEqual({ subject: "Hello" });
  expect(await objectsOf(null, "other").get("template", "a")).toBeUndefined();
  expect((await account.list("template")).map(({ id }) => id)).toEqual(["a"]);
});

test("an object expires at its instant", async () => {
  const objects = objectsOf(null);
  await objects.put("code", "1", { value: null, expiresAt: api.clock.now() + 10 });
  expect(await objects.get("code", "1")).toMatchObject({ value: null });
  api.clock.advance(10);
  expect(await objects.get("code", "1")).toBeUndefined();
});

test.each([
  ["kind", { kind: "x".repeat(41), id: "a", value: 1 }],
  ["kind", { kind: "", id: "a", value: 1 }],
  ["id", { kind: "template", id: "x".repeat(201), value: 1 }],
  ["value", { kind: "template", id: "a", value: "x".repeat(1024 * 1024) }],
])("rejects a %s beyond its bounds", async (field, { kind, id, value }) => {
  await expect(objectsOf(null).put(kind, id, { value })).rejects.toMatchObject({
    code: "invalid_request",
    fields: [{ field }],
  });
});
