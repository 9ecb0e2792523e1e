import { createHash } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Problem } from "../../core/errors.ts";
import { createRevocations, freshKey } from "../../core/api-key.ts";
import { hashKey as hashWith } from "../../operations/services/security/stored-secrets.ts";
import { type HttpTestServer, openHttpTestServer, type TestServer } from "../../testing/http-test-server.test-aid.ts";
import {
  createSessions,
  isTicketTarget,
  ownSessionCountMax,
  sessionIdleMsMax,
  sessionMsMax,
  type Sessions,
  type SessionSecrets,
  sessionUseNotedMs,
  ticketMsMax,
  ownTokenCountMax,
  tokenMsMax,
} from "./sessions.ts";

let api: HttpTestServer;
let server: TestServer;
let sessions: Sessions;
/** Returns the sessions of another node on the same store, which is not notified of closed sessions. */
let elsewhere: Sessions;
beforeAll(async () => {
  api = await openHttpTestServer();
  server = await api.addServer();
});
afterAll(async () => api[Symbol.asyncDispose]());
beforeEach(() => {
  sessions = createSessions(api.context);
  elsewhere = createSessions({ ...api.context, revocations: createRevocations() });
});
afterEach(() => vi.restoreAllMocks());

const hashKey = (key: string): string => hashWith(api.context.secrets, key);
const accountHash = (): string => hashKey(api.accountKey);
const nameOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");
const wrong = (cookie: string, page: string): SessionSecrets => ({ cookie, page });
const joined = ({ cookie, page }: SessionSecrets): string => `${cookie}.${page}`;
const isStored = async (secret: string): Promise<boolean> =>
  (await api.context.store.signIns.findSignIn(nameOf(secret))) !== undefined;
const aKey = async (): Promise<{ readonly id: string; readonly key: string }> =>
  (await api.ask("POST /api/keys", { body: {} })).json();

describe("a session", () => {
  test("has the principal of its key, with its restriction", async () => {
    expect(await sessions.principalOf(await sessions.open(accountHash()))).toMatchObject({ server: null });
    expect(await sessions.principalOf(await sessions.open(hashKey(server.key)))).toMatchObject({ server: server.id });
  });

  test("has two random secrets, neither of which is valid alone or with another session's", async () => {
    const sessionsOpened = await Promise.all(Array.from({ length: 20 }, async () => sessions.open(accountHash())));
    expect(new Set(sessionsOpened.flatMap(({ cookie, page }) => [cookie, page])).size).toBe(40);
    for (const { cookie, page } of sessionsOpened) expect([cookie, page].join()).toMatch(/^[\w-]{43},[\w-]{43}$/);
    const [one, other] = sessionsOpened;
    const { cookie, page } = one ?? wrong("", "");
    for (const guess of ["", cookie, page.slice(1), `${page}A`, page.toLowerCase(), other?.page ?? "", accountHash()]) {
      expect(await sessions.principalOf(wrong(cookie, guess))).toBeUndefined();
    }
    expect(await sessions.principalOf(wrong(other?.cookie ?? "", page))).toBeUndefined();
    expect(await sessions.principalOf({ cookie, page })).toBeDefined();
  });

  test("costs one read more than its key, and none for a malformed secret", async () => {
    const name = await sessions.open(accountHash());
    const find = vi.spyOn(api.context.store.signIns, "findSignIn");
    const use = vi.spyOn(api.context.store.signIns, "useSignIn");
    await sessions.principalOf(name);
    await sessions.principalOf(wrong(name.cookie, "not-a-secret"));
    await sessions.redeemToken("not-a-secret");
    expect([find.mock.calls.length, use.mock.calls.length]).toEqual([1, 0]);
    find.mockClear();
    expect((await api.ask("GET /api/servers")).statusCode).toBe(200);
    expect(find).not.toHaveBeenCalled();
  });

  test("is invalid after it was closed", async () => {
    const name = await sessions.open(accountHash());
    const publish = vi.spyOn(api.context.revocations, "publish");
    await sessions.close(wrong("never", "opened"));
    expect(publish).not.toHaveBeenCalled();
    await sessions.close(name);
    expect(publish).toHaveBeenCalledOnce();
    expect(await sessions.principalOf(name)).toBeUndefined();
  });

  test("is invalid once its key is revoked, permanently", async () => {
    const created = await aKey();
    const name = await sessions.open(hashKey(created.key));
    expect(await sessions.principalOf(name)).toMatchObject({ keyId: created.id });
    await api.ask(`DELETE /api/keys/${created.id}`);
    expect(await sessions.principalOf(name)).toBeUndefined();
    expect(await isStored(joined(name))).toBe(false);
  });

  test("rejects a session of an unknown key, also when such a key is added later", async () => {
    const hash = hashKey("a key of the operator's choice");
    const name = await sessions.open(hash);
    expect(await sessions.principalOf(name)).toBeUndefined();
    await api.context.store.addKey({
      ...freshKey,
      id: "later",
      name: "",
      hash,
      server: null,
      createdAt: api.clock.now(),
    });
    expect(await sessions.principalOf(name)).toBeUndefined();
  });

  test("expires exactly after a day without use", async () => {
    const name = await sessions.open(accountHash());
    api.clock.advance(sessionIdleMsMax - 1);
    expect(await sessions.principalOf(name)).toBeDefined();
    api.clock.advance(sessionIdleMsMax);
    expect(await sessions.principalOf(name)).toBeUndefined();
  });

  test("stores its use once an hour, not on every request", async () => {
    const name = await sessions.open(accountHash());
    const use = vi.spyOn(api.context.store.signIns, "useSignIn");
    const request = async (later: number): Promise<number> => {
      api.clock.advance(later);
      expect(await sessions.principalOf(name)).toBeDefined();
      return use.mock.calls.length;
    };
    expect([await request(0), await request(sessionUseNotedMs - 1)]).toEqual([0, 0]);
    expect([await request(1), await request(sessionUseNotedMs - 1), await request(1)]).toEqual([1, 1, 2]);
    api.clock.advance(sessionIdleMsMax - 1);
    expect(await sessions.principalOf(name)).toBeDefined();
  });

  test("stays valid when its use cannot be stored because the disk is full", async () => {
    const name = await sessions.open(accountHash());
    const use = vi.spyOn(api.context.store.signIns, "useSignIn");
    use.mockRejectedValueOnce(new Problem("storage_full"));
    api.clock.advance(sessionUseNotedMs);
    expect(await sessions.principalOf(name)).toBeDefined();
    expect(await sessions.principalOf(name)).toBeDefined();
    expect(use).toHaveBeenCalledTimes(2);
    use.mockRejectedValueOnce(new Error("an internal error"));
    api.clock.advance(sessionUseNotedMs);
    await expect(sessions.principalOf(name)).rejects.toThrow("an internal error");
  });

  test("expires after a week despite being used", async () => {
    const name = await sessions.open(accountHash());
    const step = sessionIdleMsMax / 2;
    for (let age = step; age < sessionMsMax; age += step) {
      api.clock.advance(step);
      expect(await sessions.principalOf(name)).toBeDefined();
    }
    api.clock.advance(step);
    expect(await sessions.principalOf(name)).toBeUndefined();
  });

  test("is closed, the oldest first, when there are too many", async () => {
    const names: SessionSecrets[] = [];
    for (let count = 0; count <= ownSessionCountMax; count += 1) {
      api.clock.advance(1);
      names.push(await sessions.open(accountHash()));
    }
    expect(await sessions.principalOf(names[0] ?? wrong("", ""))).toBeUndefined();
    expect(await sessions.principalOf(names[1] ?? wrong("", ""))).toBeDefined();
    expect(await sessions.principalOf(names.at(-1) ?? wrong("", ""))).toBeDefined();
  });
});

describe("on several nodes", () => {
  test("a session is valid on all nodes, and signing out on one closes it on all", async () => {
    const name = await sessions.open(accountHash());
    expect(await elsewhere.principalOf(name)).toMatchObject({ server: null });
    await elsewhere.close(name);
    expect(await sessions.principalOf(name)).toBeUndefined();
    expect(await elsewhere.principalOf(name)).toBeUndefined();
  });

  test("use on one node extends the session on all", async () => {
    const name = await sessions.open(accountHash());
    api.clock.advance(sessionIdleMsMax - 1);
    expect(await elsewhere.principalOf(name)).toBeDefined();
    api.clock.advance(sessionIdleMsMax - 1);
    expect(await sessions.principalOf(name)).toBeDefined();
  });

  test("a token that is redeemed on two nodes at once is accepted by one", async () => {
    const token = await sessions.issueToken(accountHash());
    const redeemed = await Promise.all([sessions, elsewhere].map(async (node) => node.redeemToken(token)));
    expect(redeemed.filter((hash) => hash !== undefined)).toEqual([accountHash()]);
  });
});

describe("a one-time token", () => {
  test("is valid once", async () => {
    const token = await sessions.issueToken(accountHash());
    expect(await sessions.redeemToken(token)).toBe(accountHash());
    expect(await sessions.redeemToken(token)).toBeUndefined();
  });

  test("is valid for a day", async () => {
    const token = await sessions.issueToken(accountHash());
    const other = await sessions.issueToken(accountHash());
    api.clock.advance(tokenMsMax - 1);
    expect(await sessions.redeemToken(token)).toBe(accountHash());
    api.clock.advance(1);
    expect(await sessions.redeemToken(other)).toBeUndefined();
  });

  test("is not a session, and a session is not a token", async () => {
    const token = await sessions.issueToken(accountHash());
    expect(await sessions.principalOf(wrong(token, token))).toBeUndefined();
    const session = await sessions.open(accountHash());
    expect(await sessions.redeemToken(session.cookie)).toBeUndefined();
    expect(await sessions.redeemToken(session.page)).toBeUndefined();
    expect(await sessions.principalOf(session)).toBeDefined();
    expect(await sessions.redeemToken("")).toBeUndefined();
  });

  test("expires, the oldest first, when there are too many", async () => {
    const tokens: string[] = [];
    for (let count = 0; count <= ownTokenCountMax; count += 1) {
      api.clock.advance(1);
      tokens.push(await sessions.issueToken(accountHash()));
    }
    expect(await sessions.redeemToken(tokens[0] ?? "")).toBeUndefined();
    expect(await sessions.redeemToken(tokens[1] ?? "")).toBe(accountHash());
  });
});

describe("the store", () => {
  test("deletes expired sessions and tokens, and no valid ones", async () => {
    const idle = joined(await sessions.open(accountHash()));
    const token = await sessions.issueToken(accountHash());
    api.clock.advance(sessionIdleMsMax - 1);
    const good = joined(await sessions.open(accountHash()));
    await sessions.forgetEnded();
    expect(await Promise.all([idle, token, good].map(isStored))).toEqual([true, true, true]);
    api.clock.advance(2);
    await sessions.forgetEnded();
    expect(await Promise.all([idle, token, good].map(isStored))).toEqual([false, false, true]);
  });

  test("contains no valid secret in plain text", async () => {
    const add = vi.spyOn(api.context.store.signIns, "addSignIn");
    const session = await sessions.open(accountHash());
    const token = await sessions.issueToken(accountHash());
    expect(add.mock.calls.map(([{ name }]) => name)).toEqual([joined(session), token].map(nameOf));
    for (const secret of [session.cookie, session.page, token])
      expect(JSON.stringify(add.mock.calls)).not.toContain(secret);
  });
});

describe("a signed URL", () => {
  const target = "/api/files/email/x?y=1";

  test("is valid with the cookie of its session, on every node, for five minutes", async () => {
    const session = await sessions.open(accountHash());
    const url = sessions.signTarget(session, target);
    expect(url.startsWith(`${target}&ticket=`)).toBe(true);
    expect(await sessions.principalOfTicket(url, session.cookie)).toMatchObject({ server: null });
    expect(await elsewhere.principalOfTicket(url, session.cookie)).toMatchObject({ server: null });
    api.clock.advance(ticketMsMax - 1);
    expect(await sessions.principalOfTicket(url, session.cookie)).toBeDefined();
    api.clock.advance(1);
    expect(await sessions.principalOfTicket(url, session.cookie)).toBeUndefined();
  });

  test("is invalid without its cookie, after signing out, or when modified", async () => {
    const session = await sessions.open(accountHash());
    const other = await sessions.open(accountHash());
    const url = sessions.signTarget(session, target);
    expect(await sessions.principalOfTicket(url, other.cookie)).toBeUndefined();
    expect(await sessions.principalOfTicket(url, "")).toBeUndefined();
    const opening: string[] = [];
    for (let at = 0; at < url.length; at += 1) {
      const changed = url.slice(0, at) + (url[at] === "A" ? "B" : "A") + url.slice(at + 1);
      if ((await sessions.principalOfTicket(changed, session.cookie)) !== undefined) opening.push(changed);
    }
    // The last character of a MAC of 32 bytes carries four bits only, so it has four spellings.
    expect(opening.filter((changed) => changed.slice(0, -1) !== url.slice(0, -1))).toEqual([]);
    await sessions.close(session);
    expect(await sessions.principalOfTicket(url, session.cookie)).toBeUndefined();
  });

  test.each([
    ["/api/files/email/x", true],
    ["/web/messages/x/html?dark=1", true],
    ["/web/images/x", true],
    ["/api/messages/5a1c2e4f-0b7d-8c31-9e02-4b6f0a8d1c55/bundle", true],
    ["/api/messages/x/bundle", false],
    ["/api/servers/shop1234/bundle", true],
    ["/api/servers/shop1234/password", false],
    ["/api/messages/5a1c2e4f-0b7d-8c31-9e02-4b6f0a8d1c55", false],
    ["/api/messages?server=x", false],
    ["/web/session", false],
    ["//evil.example/api/files/x", false],
    ["/api/files/x?ticket=y", false],
    [`/api/files/${"x".repeat(2000)}`, false],
  ])("is issued only for what browsers fetch without script: %s", (path, isAllowed) => {
    expect(isTicketTarget(path)).toBe(isAllowed);
  });
});
