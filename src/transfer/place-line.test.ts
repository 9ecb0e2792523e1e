import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerId } from "../core/ids.ts";
import { createSecretBox, type SecretBox } from "../operations/services/security/secret-box.ts";
import { openServerPassword, sealServerPassword } from "../operations/services/security/stored-secrets.ts";
import { openHttpTestServer, type HttpTestServer } from "../testing/http-test-server.test-aid.ts";
import { readBodyLine, type LineOf } from "./export-lines.ts";
import { ContentConflict, placeLine, type LineTarget } from "./place-line.ts";

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

function serverLine(id: ServerId, password: string): LineOf<"server"> {
  const retention = { ageSecondsMax: null, messageCountMax: null };
  const quota = { messages: null, bytes: null };
  const times = { createdAt: 0, expiresAt: null, uidValidity: 1 };
  const rest = {
    name: "n",
    users: [],
    retention,
    quota,
    readerDeletion: "delete" as const,
    retired: 0,
    isProtected: false,
    ...times,
    zone: null,
  };
  return { kind: "server", id, password, ...rest };
}

/** Imports lines with the given secret key; collects the servers with new passwords. */
function targetOf(secrets: SecretBox | null): LineTarget & { readonly resets: readonly ServerId[] } {
  const resets: ServerId[] = [];
  return { store: api.context.store, secrets, now: 0, onPasswordReset: (id) => resets.push(id), resets };
}

describe("placeLine", () => {
  test("accepts a line again, and refuses one with another password", async () => {
    const { store, secrets } = api.context;
    const target = targetOf(secrets);
    const id = "aaaa1111" as ServerId;
    const line = serverLine(id, sealServerPassword(secrets, id, "first"));
    await placeLine(target, line);
    await placeLine(target, line);
    await placeLine(target, serverLine(id, sealServerPassword(secrets, id, "first")));
    expect(await store.getServerPassword(id)).toBe(line.password);
    const other = placeLine(target, serverLine(id, sealServerPassword(secrets, id, "other")));
    await expect(other).rejects.toThrow(new ContentConflict(`server ${id} exists with a different password`));
  });

  test("stores a sealed password as it is when the secret key of the target is not known", async () => {
    const { store, secrets } = api.context;
    const target = targetOf(null);
    const id = "bbbb2222" as ServerId;
    const sealed = sealServerPassword(secrets, id, "secret");
    await placeLine(target, serverLine(id, sealed));
    await placeLine(target, serverLine(id, sealed));
    expect(await store.getServerPassword(id)).toBe(sealed);
  });

  test("stores a new password when that of the line was sealed with another secret key, and keeps it", async () => {
    const { store, secrets } = api.context;
    const target = targetOf(secrets);
    const id = "cccc3333" as ServerId;
    const foreign = createSecretBox(randomBytes(32));
    const line = serverLine(id, sealServerPassword(foreign, id, "secret"));
    await placeLine(target, line);
    const stored = (await store.getServerPassword(id)) ?? "";
    expect(openServerPassword(secrets, id, stored)).toMatch(/^[\w-]{16}$/);
    expect(target.resets).toEqual([id]);
    await placeLine(target, line);
    expect(await store.getServerPassword(id)).toBe(stored);
    expect(target.resets).toEqual([id]);
  });

  test("replaces an existing password that the secret key does not open", async () => {
    const { store, secrets } = api.context;
    const id = "dddd4444" as ServerId;
    const foreign = createSecretBox(randomBytes(32));
    const line = serverLine(id, sealServerPassword(secrets, id, "secret"));
    const wrong = targetOf(foreign);
    await placeLine(wrong, line);
    const target = targetOf(secrets);
    await placeLine(target, line);
    expect(openServerPassword(secrets, id, (await store.getServerPassword(id)) ?? "")).toBe("secret");
    expect([wrong.resets, target.resets]).toEqual([[id], []]);
  });

  test("sets the link scanner of a line, and refuses one that differs from that of the server", async () => {
    const { store, secrets } = api.context;
    const target = targetOf(secrets);
    const id = "eeee5555" as ServerId;
    const line = { ...serverLine(id, "secret"), scanner: '{"profile":"safelinks"}' };
    await placeLine(target, line);
    await placeLine(target, line);
    await placeLine(target, serverLine(id, "secret"));
    expect(await store.scanners.findScanner(id)).toBe(line.scanner);
    const other = placeLine(target, { ...line, scanner: '{"profile":"custom"}' });
    await expect(other).rejects.toThrow(new ContentConflict(`server ${id} has a different link scanner`));
  });

  test.each(["{", '{"profile":"other"}', "[]"])("refuses the settings %s of a link scanner", (scanner) => {
    const line = { ...serverLine("eeee5555" as ServerId, "secret"), scanner };
    expect(() => readBodyLine(line)).toThrow("scanner");
  });
});
