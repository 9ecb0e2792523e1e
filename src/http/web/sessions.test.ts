import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashKey } from "../../operations/authenticate.ts";
import { openHttpDoor, type HttpDoor, type TestServer } from "../../testing/http-door.ts";
import {
  createSessions,
  sessionCountMax,
  sessionIdleMsMax,
  sessionMsMax,
  tokenMsMax,
  type Sessions,
} from "./sessions.ts";

let door: HttpDoor;
let server: TestServer;
let sessions: Sessions;
beforeAll(async () => {
  door = await openHttpDoor();
  server = await door.addServer();
});
afterAll(async () => door[Symbol.asyncDispose]());
beforeEach(() => {
  sessions = createSessions(door.context);
});

const accountHash = (): string => hashKey(door.accountKey);

describe("a session", () => {
  test("speaks for its key, with the key's restriction", async () => {
    expect(await sessions.principalOf(sessions.open(accountHash()))).toMatchObject({ server: null });
    expect(await sessions.principalOf(sessions.open(hashKey(server.key)))).toMatchObject({ server: server.id });
  });

  test("has a name that nobody guesses, and no other name opens it", async () => {
    const names = Array.from({ length: 20 }, () => sessions.open(accountHash()));
    expect(new Set(names).size).toBe(20);
    for (const name of names) expect(name).toMatch(/^[\w-]{43}$/);
    const [name = ""] = names;
    for (const wrong of ["", name.slice(1), `${name}A`, name.toLowerCase(), accountHash()]) {
      expect(await sessions.principalOf(wrong)).toBeUndefined();
    }
  });

  test("ends when it is closed", async () => {
    const name = sessions.open(accountHash());
    sessions.close(name);
    sessions.close("never opened");
    expect(await sessions.principalOf(name)).toBeUndefined();
  });

  test("ends with its key, for good", async () => {
    const made = (await door.ask("POST /api/keys", { body: {} })).json<{ id: string; key: string }>();
    const name = sessions.open(hashKey(made.key));
    expect(await sessions.principalOf(name)).toMatchObject({ keyId: made.id });
    await door.ask(`DELETE /api/keys/${made.id}`);
    expect(await sessions.principalOf(name)).toBeUndefined();
  });

  test("ends when it was not used for a day, not a moment before", async () => {
    const name = sessions.open(accountHash());
    door.clock.advance(sessionIdleMsMax - 1);
    expect(await sessions.principalOf(name)).toBeDefined();
    door.clock.advance(sessionIdleMsMax);
    expect(await sessions.principalOf(name)).toBeUndefined();
  });

  test("ends after a week however much it is used", async () => {
    const name = sessions.open(accountHash());
    const step = sessionIdleMsMax / 2;
    for (let age = step; age < sessionMsMax; age += step) {
      door.clock.advance(step);
      expect(await sessions.principalOf(name)).toBeDefined();
    }
    door.clock.advance(step);
    expect(await sessions.principalOf(name)).toBeUndefined();
  });

  test("gives way, the oldest first, when there are too many", async () => {
    const names = Array.from({ length: sessionCountMax + 1 }, () => sessions.open(accountHash()));
    expect(await sessions.principalOf(names[0] ?? "")).toBeUndefined();
    expect(await sessions.principalOf(names[1] ?? "")).toBeDefined();
    expect(await sessions.principalOf(names.at(-1) ?? "")).toBeDefined();
  });
});

describe("a one-time token", () => {
  test("opens once", () => {
    const token = sessions.issueToken(accountHash());
    expect(sessions.redeemToken(token)).toBe(accountHash());
    expect(sessions.redeemToken(token)).toBeUndefined();
  });

  test("is good for a day", () => {
    const token = sessions.issueToken(accountHash());
    const other = sessions.issueToken(accountHash());
    door.clock.advance(tokenMsMax - 1);
    expect(sessions.redeemToken(token)).toBe(accountHash());
    door.clock.advance(1);
    expect(sessions.redeemToken(other)).toBeUndefined();
  });

  test("is no session, and a session is no token", async () => {
    expect(await sessions.principalOf(sessions.issueToken(accountHash()))).toBeUndefined();
    expect(sessions.redeemToken(sessions.open(accountHash()))).toBeUndefined();
    expect(sessions.redeemToken("")).toBeUndefined();
  });
});
