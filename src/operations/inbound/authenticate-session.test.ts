import { describe, expect, test } from "vitest";
import { parseServerId, type ServerId } from "../../core/ids.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import type { Context } from "../context.ts";
import { createSecretBox } from "../services/security/secret-box.ts";
import { sealServerPassword } from "../services/security/server-passwords.ts";
import { createThrottle } from "../services/security/throttle.ts";
import { authenticateSession } from "./authenticate-session.ts";

const known = parseServerId("abcd1234") as ServerId;
const secrets = createSecretBox(Buffer.from("a key for nothing but tests"));

/** Returns the dependencies, with one server whose stored password is `stored`. */
function contextWith(stored: string): Pick<Context, "store" | "secrets" | "wrongSecrets"> {
  const getServerPassword = async (id: ServerId): Promise<string | undefined> => (id === known ? stored : undefined);
  const store = { getServerPassword } as unknown as Context["store"];
  return { store, secrets, wrongSecrets: createThrottle(new FakeClock(), 30) };
}

describe("authenticateSession", () => {
  test.each([
    ["any", { user: "abcd1234", password: "secret" }, known],
    ["any", { user: "abcd1234@restante.test", password: "secret" }, known],
    ["any", { user: "abcd1234", password: "wrong" }, undefined],
    ["any", { user: "zzzz9999", password: "wrong" }, null],
    ["any", { user: "app@shop.example", password: "" }, null],
    ["known", { user: "abcd1234", password: "secret" }, known],
    ["known", { user: "abcd1234", password: "wrong" }, undefined],
    ["known", { user: "zzzz9999", password: "secret" }, undefined],
    ["known", { user: "app@shop.example", password: "secret" }, undefined],
    ["required", { user: "app@shop.example", password: "secret" }, undefined],
  ] as const)("in mode %s answers %j by %s", async (mode, given, expected) => {
    const credentials = { ...given, clientAddress: "192.0.2.1" };
    for (const stored of ["secret", sealServerPassword(secrets, known, "secret")]) {
      expect(await authenticateSession(contextWith(stored), credentials, mode)).toBe(expected);
    }
  });

  test("rejects every password of a server that was sealed with another secret key", async () => {
    const other = createSecretBox(Buffer.from("another key of the operator's"));
    const stored = sealServerPassword(other, known, "secret");
    for (const password of ["secret", stored, ""]) {
      const credentials = { user: "abcd1234", password, clientAddress: "192.0.2.1" };
      expect(await authenticateSession(contextWith(stored), credentials, "any")).toBeUndefined();
    }
  });
});
