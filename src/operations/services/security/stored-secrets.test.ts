import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPublicKey, X509Certificate } from "node:crypto";
import type { ServerId } from "../../../core/ids.ts";
import { type HttpTestServer, openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import { getServerPassword, resetServerPassword } from "../../servers/servers.ts";
import { createSecretBox } from "./secret-box.ts";
import {
  countForeignPasswords,
  openServerPassword,
  sealServerPassword,
  openNumberSecrets,
  sealNumberSecrets,
  openSigningIdentity,
} from "./stored-secrets.ts";
import type { NumberSecrets } from "../../../core/phone-number.ts";

const [one, other] = ["aaaa1111", "bbbb2222"] as [ServerId, ServerId];
const box = createSecretBox(Buffer.from("a key for nothing but tests"));
const foreignBox = createSecretBox(Buffer.from("another key of the operator's"));
const principal = { keyId: "test", server: null };

let api: HttpTestServer;

beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

describe("openServerPassword", () => {
  test.each(["secret", "", "pässword ✉", "sealed:"])("opens the sealed form of %j", (password) => {
    const stored = sealServerPassword(box, one, password);
    expect(stored).toMatch(/^sealed:[\w-]+$/);
    expect(openServerPassword(box, one, stored)).toBe(password);
  });

  test("returns undefined for another secret key, another server and a damaged form", () => {
    const stored = sealServerPassword(box, one, "secret");
    expect(openServerPassword(foreignBox, one, stored)).toBeUndefined();
    expect(openServerPassword(box, other, stored)).toBeUndefined();
    expect(openServerPassword(box, one, stored.slice(0, -2))).toBeUndefined();
    expect(openServerPassword(box, one, "sealed:")).toBeUndefined();
  });

  test("returns undefined for a password that is not sealed", () => {
    expect(openServerPassword(box, one, "secret")).toBeUndefined();
  });
});

test("a server's password is not readable in the store", async () => {
  const { id } = await api.addServer();
  const password = await getServerPassword(api.context, principal, id);
  const stored = (await api.context.store.getServerPassword(id)) ?? "";
  expect(stored).toMatch(/^sealed:/);
  expect(stored).not.toContain(password);
});

test("countForeignPasswords counts what another secret key sealed, until it is reset", async () => {
  const { store, secrets } = api.context;
  const { id } = await api.addServer();
  expect(await countForeignPasswords(store, secrets)).toBe(0);
  await store.setServerPassword(id, sealServerPassword(foreignBox, id, "lost"));
  expect(await countForeignPasswords(store, secrets)).toBe(1);
  await expect(getServerPassword(api.context, principal, id)).rejects.toMatchObject({ code: "conflict" });
  const fresh = await resetServerPassword(api.context, principal, id);
  expect(await getServerPassword(api.context, principal, id)).toBe(fresh);
  expect(await countForeignPasswords(store, secrets)).toBe(0);
});

describe("resetServerPassword", () => {
  test("replaces the password by a new random one", async () => {
    const { id } = await api.addServer();
    const before = await getServerPassword(api.context, principal, id);
    const value = await resetServerPassword(api.context, { keyId: "own", server: id }, id);
    expect(value).toMatch(/^[\w-]{16}$/);
    expect(value).not.toBe(before);
    expect(await getServerPassword(api.context, principal, id)).toBe(value);
  });

  test("rejects with not_found for another server's key and for an unknown server", async () => {
    const { id } = await api.addServer();
    const foreign = { keyId: "foreign", server: other };
    await expect(resetServerPassword(api.context, foreign, id)).rejects.toMatchObject({ code: "not_found" });
    await expect(resetServerPassword(api.context, principal, other)).rejects.toMatchObject({ code: "not_found" });
  });
});

const account = { id: "AC1", key: null, secret: "auth-token", apiUrl: null };
const secrets: NumberSecrets = { signing: "signing-secret", account };

test("sealed secrets are opened only with the same key and number, and reveal nothing", () => {
  const sealedSecrets = sealNumberSecrets(box, "one", secrets);
  expect(openNumberSecrets(box, { id: "one", sealedSecrets })).toEqual(secrets);
  expect(openNumberSecrets(box, { id: "two", sealedSecrets })).toBeUndefined();
  expect(openNumberSecrets(foreignBox, { id: "one", sealedSecrets })).toBeUndefined();
  const bytes = Buffer.from(sealedSecrets ?? []).toString("latin1");
  for (const secret of ["signing-secret", "auth-token", "AC1"]) expect(bytes).not.toContain(secret);
});

test("a number without secrets stores and returns none", () => {
  const none = { signing: null, account: null };
  expect(sealNumberSecrets(box, "one", none)).toBeNull();
  expect(openNumberSecrets(box, { id: "one", sealedSecrets: null })).toEqual(none);
});

describe("openSigningIdentity", () => {
  test("returns one key of a provider, also to calls at the same time, with its certificate", async () => {
    const open = async () => openSigningIdentity(api.context, "acme");
    const [one, other] = await Promise.all([open(), open()]);
    expect(other).toEqual(one);
    const { publicKey } = new X509Certificate(one.certificate);
    expect(createPublicKey(one.key).equals(publicKey)).toBe(true);
    expect((await openSigningIdentity(api.context, "other")).key).not.toBe(one.key);
  });

  test("stores the key sealed, and not in exports", async () => {
    const { key } = await openSigningIdentity(api.context, "acme");
    const { providerObjects } = api.context.store;
    const scope = { provider: "acme", server: null, kind: "signing identity" };
    const [stored] = await providerObjects.listObjects(scope, { offset: 0, limit: 10, now: api.clock.now() });
    expect(stored?.json).not.toContain(key.slice(40, 60));
    expect(await providerObjects.walkObjects(null, 10)).toEqual([]);
  });

  test("makes another key after a year, and when the secret key of the service was replaced", async () => {
    const { key } = await openSigningIdentity(api.context, "acme");
    const secrets = createSecretBox(Buffer.alloc(32, 7));
    const replaced = await openSigningIdentity({ ...api.context, secrets }, "acme");
    expect(replaced.key).not.toBe(key);
    api.clock.advance(365 * 86_400_000);
    expect((await openSigningIdentity({ ...api.context, secrets }, "acme")).key).not.toBe(replaced.key);
  });
});
