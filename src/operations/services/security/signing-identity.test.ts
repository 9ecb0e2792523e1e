import { createPublicKey, X509Certificate } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpTestServer, openHttpTestServer } from "../../../testing/http-test-server.test-aid.ts";
import { createSecretBox } from "./secret-box.ts";
import { openSigningIdentity } from "./signing-identity.ts";

let api: HttpTestServer;
beforeAll(async () => {
  api = await openHttpTestServer();
});
afterAll(async () => api[Symbol.asyncDispose]());

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
