import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerId } from "../../core/ids.ts";
import { type HttpTestServer, openHttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import type { Context } from "../context.ts";
import { addServer } from "../servers/servers.ts";
import { resolveRecipient } from "./resolve-recipient.ts";

const [first, second] = ["first111" as ServerId, "second22" as ServerId];
let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
  await addServer(api.context, { id: first, name: "Z", expiresAt: null });
  api.clock.advance(1);
  await addServer(api.context, { id: second, name: "A", expiresAt: null });
});
afterAll(async () => api[Symbol.asyncDispose]());

const withCatchAll = (catchAll: Context["settings"]["catchAll"]): Context => ({
  ...api.context,
  settings: { ...api.context.settings, catchAll },
});

describe("a recipient belongs to", () => {
  test.each([
    "x@second22.restante.test",
    "x@SECOND22.restante.test",
    "x@second22.mailosaur.net",
    "x@second22.127.0.0.1",
    "x@second22.localhost",
    "x@second22",
    '"a@b"@second22.restante.test',
    "grüße@second22.restante.test",
  ])("the server that the first label names: %s", async (address) => {
    expect(await resolveRecipient(api.context, address, null)).toBe(second);
  });

  test("a known server at once, so that pipelined recipients are answered together", async () => {
    await resolveRecipient(api.context, "x@second22", null);
    expect(resolveRecipient(api.context, "x@second22", null)).toBe(second);
  });

  test("the authenticated server for any address", async () => {
    expect(await resolveRecipient(api.context, "x@second22.restante.test", first)).toBe(first);
    expect(await resolveRecipient(withCatchAll("off"), "customer@gmail.example", second)).toBe(second);
  });

  test.each(["customer@gmail.example", "x@unknown1.restante.test", "x@restante.test", "postmaster", "x@", "@second22"])(
    "the catch-all when it names no server: %s",
    async (address) => {
      const named = address === "@second22";
      expect(await resolveRecipient(api.context, address, null)).toBe(named ? second : first);
      expect(await resolveRecipient(withCatchAll(second), address, null)).toBe(second);
      expect(await resolveRecipient(withCatchAll("off"), address, null)).toBe(named ? second : undefined);
    },
  );

  test("no server when the catch-all server no longer exists", async () => {
    expect(await resolveRecipient(withCatchAll("gone1234" as ServerId), "a@b.example", null)).toBeUndefined();
  });
});
