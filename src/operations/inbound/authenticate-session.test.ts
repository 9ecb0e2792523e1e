import { describe, expect, test } from "vitest";
import { parseServerId, type ServerId } from "../../core/ids.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { Context } from "../context.ts";
import type { SaslProof } from "../../core/smtp-session.ts";
import { createSecretBox } from "../services/security/secret-box.ts";
import { sealServerPassword } from "../services/security/stored-secrets.ts";
import { createThrottle } from "../services/security/throttle.ts";
import { authenticateSession } from "./authenticate-session.ts";

const known = parseServerId("abcd1234") as ServerId;
const secrets = createSecretBox(Buffer.from("a key for nothing but tests"));

/** Returns the dependencies, with one server that has this password, sealed by `box`. */
function contextWith(password: string, box = secrets): Context {
  const stored = sealServerPassword(box, known, password);
  const getServerPassword = async (id: ServerId): Promise<string | undefined> => (id === known ? stored : undefined);
  const store = { getServerPassword } as unknown as Context["store"];
  const issuers: Context["issuers"] = { all: [], find: () => undefined, verify: async () => undefined };
  return { store, secrets, issuers, wrongSecrets: createThrottle(new FakeClock(), 30) } as Context;
}

function passwordOf(password: string): SaslProof {
  return { kind: "password", password };
}

describe("authenticateSession", () => {
  test.each([
    ["any", null, "abcd1234", "secret", known],
    ["any", null, "abcd1234", "other", undefined],
    ["any", null, "app@shop.example", "other", null],
    ["known", null, "app@shop.example", "other", undefined],
    ["known", "the-fixed-token", "app@shop.example", "the-fixed-token", null],
    ["known", "the-fixed-token", "abcd1234", "the-fixed-token", known],
    ["any", "the-fixed-token", "app@shop.example", "other", undefined],
    ["any", "the-fixed-token", "abcd1234", "secret", undefined],
  ] as const)("authenticates in mode %s with the fixed token %s the token of %s, %s: %s", async (...row) => {
    const [mode, fixed, user, token, expected] = row;
    const credentials = { user, proof: { kind: "token", token }, clientAddress: "192.0.2.1" } as const;
    const rules = { mode, token: fixed };
    expect(await authenticateSession(contextWith("secret"), credentials, rules)).toBe(expected);
  });

  test("a fixed token is no password", async () => {
    const credentials = { user: "x", proof: passwordOf("the-fixed-token"), clientAddress: "192.0.2.1" };
    const rules = { mode: "known", token: "the-fixed-token" } as const;
    expect(await authenticateSession(contextWith("secret"), credentials, rules)).toBeUndefined();
  });

  // The challenge, user and digest of RFC 2195 §2, with its password.
  test.each([
    ["b913a602c7eda7a495b4e6e7334d3890", known],
    ["b913a602c7eda7a495b4e6e7334d3891", undefined],
  ])("answers the digest %s by %s", async (digest, expected) => {
    const challenge = "<1896.697170952@postoffice.reston.mci.net>";
    const credentials = {
      user: "abcd1234",
      proof: { kind: "digest", challenge, digest },
      clientAddress: "192.0.2.1",
    } as const;
    const context = contextWith("tanstaaftanstaaf");
    expect(await authenticateSession(context, credentials, { mode: "any", token: null })).toBe(expected);
  });

  test.each([
    ["any", { user: "abcd1234", proof: passwordOf("secret") }, known],
    ["any", { user: "abcd1234@restante.test", proof: passwordOf("secret") }, known],
    ["any", { user: "abcd1234", proof: passwordOf("wrong") }, undefined],
    ["any", { user: "zzzz9999", proof: passwordOf("wrong") }, null],
    ["any", { user: "app@shop.example", proof: passwordOf("") }, null],
    ["known", { user: "abcd1234", proof: passwordOf("secret") }, known],
    ["known", { user: "abcd1234", proof: passwordOf("wrong") }, undefined],
    ["known", { user: "zzzz9999", proof: passwordOf("secret") }, undefined],
    ["known", { user: "app@shop.example", proof: passwordOf("secret") }, undefined],
    ["required", { user: "app@shop.example", proof: passwordOf("secret") }, undefined],
  ] as const)("authenticates in mode %s %j: %s", async (mode, given, expected) => {
    const credentials = { ...given, clientAddress: "192.0.2.1" };
    expect(await authenticateSession(contextWith("secret"), credentials, { mode, token: null })).toBe(expected);
  });

  test("rejects every password of a server that was sealed with another secret key", async () => {
    const other = createSecretBox(Buffer.from("another key of the operator's"));
    for (const password of ["secret", sealServerPassword(other, known, "secret"), ""]) {
      const credentials = { user: "abcd1234", proof: passwordOf(password), clientAddress: "192.0.2.1" };
      expect(
        await authenticateSession(contextWith("secret", other), credentials, { mode: "any", token: null }),
      ).toBeUndefined();
    }
  });
});
