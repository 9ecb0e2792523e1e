import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Device } from "../../../core/device.ts";
import { type HttpTestServer, openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import type { WirePassword } from "../../wire/account-schema.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

const secret = "ONSWG4TFOQYTEMY=";
const create = async (body: unknown): Promise<Device> => (await api.ask("POST /api/devices", { body })).json();
const list = async (): Promise<readonly Device[]> => (await api.ask("GET /api/devices")).json();

describe("POST /api/devices", () => {
  test("returns exactly the members of list items, and a hyphen in the id", async () => {
    const created = await create({ name: "Phone", sharedSecret: secret });
    expect(created).toEqual({ id: created.id, name: "Phone" });
    expect(created.id).toMatch(/^[0-9a-f]{8}-/);
    expect(await list()).toContainEqual(created);
  });

  test("accepts the spelling of .NET, the slash of PHP and the label of a URI", async () => {
    const reply = await api.ask("POST /api/devices/", { body: { Name: "Net", SharedSecret: secret } });
    expect([reply.statusCode, reply.json<Device>().name]).toEqual([200, "Net"]);
    const uri = "otpauth://totp/Acme:alice?secret=ONSWG4TFOQYTEMY&issuer=Acme";
    expect((await create({ sharedSecret: uri })).name).toBe("Acme: alice");
  });

  test.each([
    [{ name: "n" }, "sharedSecret"],
    [{ name: "n", sharedSecret: "0189" }, "sharedSecret"],
    [{ name: "n", sharedSecret: 5 }, "sharedSecret"],
    [{ sharedSecret: secret }, "name"],
    [{ name: " ", sharedSecret: secret }, "name"],
    [{ name: "n".repeat(201), sharedSecret: secret }, "name"],
  ])("responds 400 to %j", async (body, field) => {
    const reply = await api.ask("POST /api/devices", { body });
    expect(reply.json()).toMatchObject({ type: "ValidationError", status: 400, errors: [{ field }] });
  });

  test("accepts a name of 200 characters", async () => {
    expect((await create({ name: "n".repeat(200), sharedSecret: secret })).name).toHaveLength(200);
  });
});

describe("one-time passwords", () => {
  test("are the same for a device and for its secret, including the expiry", async () => {
    const { id } = await create({ name: "Phone", sharedSecret: secret });
    const kept = (await api.ask(`GET /api/devices/${id.toUpperCase()}/otp`)).json<WirePassword>();
    const posted = await api.ask("POST /api/devices/otp", { body: { name: "", sharedSecret: secret } });
    expect(posted.statusCode).toBe(200);
    expect(posted.json()).toEqual(kept);
    expect(kept.code).toMatch(/^\d{6}$/);
    expect(kept.expires).toBe("2026-01-01T00:00:30.000Z");
    api.clock.advance(29_999);
    expect((await api.ask(`GET /api/devices/${id}/otp`)).json()).toEqual(kept);
    api.clock.advance(1);
    const next = (await api.ask(`GET /api/devices/${id}/otp`)).json<WirePassword>();
    expect(next.expires).toBe("2026-01-01T00:01:00.000Z");
    expect(next.code).not.toBe(kept.code);
  });

  test("use the digits and the period of a URI", async () => {
    const uri = "otpauth://totp/x?secret=ONSWG4TFOQYTEMY&algorithm=SHA256&digits=8&period=3600";
    const { id } = await create({ name: "Long", sharedSecret: uri });
    const { code, expires } = (await api.ask(`GET /api/devices/${id}/otp`)).json<WirePassword>();
    expect(code).toMatch(/^\d{8}$/);
    expect(expires).toBe("2026-01-01T01:00:00.000Z");
  });

  test("respond 404 for an unknown device and 400 for an invalid secret", async () => {
    expect((await api.ask("GET /api/devices/6d1b9d4e-0000-4000-8000-000000000000/otp")).statusCode).toBe(404);
    expect((await api.ask("GET /api/devices/nonsense/otp")).statusCode).toBe(404);
    const reply = await api.ask("POST /api/devices/otp", { body: {} });
    expect(reply.json()).toMatchObject({ status: 400, errors: [{ field: "sharedSecret" }] });
  });

  test("respond 409 for a device that was sealed with another secret key", async () => {
    const id = "11111111-0000-4000-8000-000000000000";
    await api.context.store.addDevice({ id, name: "old", sealedSecret: Uint8Array.of(1, 2, 3), createdAt: 0 });
    const reply = await api.ask(`GET /api/devices/${id}/otp`);
    expect([reply.statusCode, reply.json<{ message: string }>().message]).toEqual([
      409,
      expect.stringContaining("another secret key"),
    ]);
  });
});

describe("DELETE /api/devices/:id", () => {
  test("removes the device from the list, and responds 404 afterwards", async () => {
    const { id } = await create({ name: "short-lived", sharedSecret: secret });
    expect((await api.ask(`DELETE /api/devices/${id}`)).statusCode).toBe(204);
    expect((await list()).map((device) => device.id)).not.toContain(id);
    expect((await api.ask(`DELETE /api/devices/${id}`)).statusCode).toBe(404);
    expect((await api.ask(`GET /api/devices/${id}/otp`)).statusCode).toBe(404);
  });
});

describe("a restricted key", () => {
  test.each([
    "GET /api/devices",
    "POST /api/devices",
    "GET /api/devices/x/otp",
    "POST /api/devices/otp",
    "DELETE /api/devices/x",
  ])("gets 403 for %s", async (line) => {
    const { key } = await api.addServer();
    expect((await api.ask(line, { key, ...(line.startsWith("POST") && { body: {} }) })).statusCode).toBe(403);
  });
});

test("stores no secret in plain text", async () => {
  await create({ name: "Phone", sharedSecret: "MFRGGZDFMZTWQ2LK" });
  const kept = (await api.context.store.listDevices()).map(({ sealedSecret }) => Buffer.from(sealedSecret));
  expect(kept.length).toBeGreaterThan(0);
  for (const bytes of kept) expect(bytes.includes("MFRGGZDFMZTWQ2LK")).toBe(false);
});
