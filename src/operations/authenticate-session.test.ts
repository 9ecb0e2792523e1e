import { describe, expect, test } from "vitest";
import { parseServerId, type ServerId } from "../core/ids.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import type { Context } from "./context.ts";
import { createThrottle } from "./throttle.ts";
import { authenticateSession } from "./authenticate-session.ts";

const known = parseServerId("abcd1234");

/** A store with one server. */
const getServerPassword = async (id: ServerId): Promise<string | undefined> => (id === known ? "secret" : undefined);

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
  ] as const)("in mode %s answers %j by %s", async (mode, said, expected) => {
    const wrongSecrets = createThrottle(new FakeClock(), 30);
    const context = { store: { getServerPassword }, wrongSecrets } as unknown as Pick<
      Context,
      "store" | "wrongSecrets"
    >;
    const credentials = { ...said, clientAddress: "192.0.2.1" };
    expect(await authenticateSession(context, credentials, mode)).toBe(expected);
  });
});
