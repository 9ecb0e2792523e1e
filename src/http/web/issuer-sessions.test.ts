import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Problem } from "../../core/errors.ts";
import type { IssuerIdentity, IssuerSettings } from "../../core/issuer.ts";
import type { User } from "../../core/people.ts";
import { openHttpTestServer, type HttpTestServer } from "../../testing/http-test-server.test-aid.ts";
import { addTestUser } from "../../testing/people.test-aid.ts";
import { createSessions, type SessionSecrets } from "./sessions.ts";
import { refreshIssuerSessions, refreshMs } from "../../operations/people/issuer-sessions.ts";
import { addTeam } from "../../operations/people/teams.ts";
import { changeUser } from "../../operations/people/users.ts";

const url = "https://login.corp.example";
const name = "default";

type Issuer = HttpTestServer["context"]["issuers"]["all"][number];
type RefreshedSession = NonNullable<Awaited<ReturnType<Issuer["refresh"]>>>;

let api: HttpTestServer;
let user: User;
/** Refresh tokens that the issuer got. */
let received: string[];
/** Response of the issuer to a refresh; undefined: it has ended the session. */
let refresh: (token: string) => RefreshedSession | undefined;

/** Returns a session as it is after a refresh, with the next refresh token. */
const refreshed = (token: string, identity: Partial<IssuerIdentity> | null = null): RefreshedSession => ({
  identity:
    identity === null
      ? null
      : { issuer: url, subject: "ann", email: null, isEmailVerified: false, name: "", ...identity },
  tokens: { idToken: null, refreshToken: `${token}+` },
});
const refused = (code: "forbidden" | "unavailable") => () => {
  throw new Problem(code);
};

beforeEach(async () => {
  received = [];
  refresh = refreshed;
  const issuer = {
    settings: { name, issuer: url } as IssuerSettings,
    refresh: async (token: string) => {
      received.push(token);
      return refresh(token);
    },
  } as unknown as Issuer;
  const find = (wanted: string): Issuer | undefined => (wanted === name ? issuer : undefined);
  api = await openHttpTestServer({ context: { issuers: { all: [issuer], find, verify: async () => undefined } } });
  const { id } = await addTestUser(api, "ann");
  user = await changeUser(api.context, id, { issuer: url, subject: "ann" });
});
afterEach(async () => api[Symbol.asyncDispose]());

async function open(refreshToken: string | null, issuer = name): Promise<SessionSecrets> {
  const refreshAt = refreshToken === null ? null : api.context.clock.now() + refreshMs;
  const tokens = { idToken: null, refreshToken };
  return createSessions(api.context).openForUser(user.id, { issuer, sid: null, tokens, refreshAt });
}
const isOpen = async (session: SessionSecrets): Promise<boolean> =>
  (await createSessions(api.context).principalOf(session)) !== undefined;
const round = async (): Promise<void> => {
  api.clock.advance(refreshMs);
  await refreshIssuerSessions(api.context);
};

describe("the refresh of sessions", () => {
  test("is due after 15 minutes, uses the token of the last one, and leaves sessions without a token alone", async () => {
    const [session, without] = [await open("t"), await open(null)];
    api.clock.advance(refreshMs - 1);
    await refreshIssuerSessions(api.context);
    expect(received).toEqual([]);
    api.clock.advance(1);
    await refreshIssuerSessions(api.context);
    await refreshIssuerSessions(api.context);
    expect(received).toEqual(["t"]);
    await round();
    expect(received).toEqual(["t", "t+"]);
    expect([await isOpen(session), await isOpen(without)]).toEqual([true, true]);
  });

  test("refreshes each of many sessions once in a round", async () => {
    for (let at = 0; at < 25; at += 1) await open(`t${at}`);
    await round();
    expect(new Set(received).size).toBe(25);
    expect(received).toHaveLength(25);
  });

  test("reads the groups of the user again", async () => {
    const team = await addTeam(api.context, { name: "web" });
    await open("t");
    refresh = (token) => refreshed(token, { groups: ["web"] });
    await round();
    expect(await api.context.store.people.listMemberships({ user: user.id })).toMatchObject([
      { team: team.id, source: "oidc" },
    ]);
    refresh = (token) => refreshed(token, { groups: [] });
    await round();
    expect(await api.context.store.people.listMemberships({ user: user.id })).toEqual([]);
  });

  test.each([
    ["the issuer has ended it", () => undefined],
    ["a rule of the issuer's settings refuses the user", refused("forbidden")],
  ])("ends a session and notifies its callers when %s", async (_text, response) => {
    const session = await open("t");
    const revoked: (string | null)[] = [];
    api.context.revocations.subscribe((key) => revoked.push(key));
    refresh = response;
    await round();
    expect([await isOpen(session), revoked]).toEqual([false, [null]]);
    await round();
    expect(received).toEqual(["t"]);
  });

  test("ends a session whose issuer is not configured, without a request", async () => {
    const session = await open("t", "former");
    await round();
    expect([await isOpen(session), received]).toEqual([false, []]);
  });

  test("ends a session whose tokens another secret key has sealed", async () => {
    const session = await open("t");
    const { secrets } = api.context;
    const wrong = { ...secrets, open: () => undefined };
    api.clock.advance(refreshMs);
    await refreshIssuerSessions({ ...api.context, secrets: wrong });
    expect([await isOpen(session), received]).toEqual([false, []]);
  });

  test("keeps sessions of an issuer that does not answer, reports it, and tries again in the next round", async () => {
    const [first, second] = [await open("a"), await open("b")];
    refresh = (token) => (token === "a" ? refused("unavailable")() : refreshed(token));
    api.clock.advance(refreshMs);
    await expect(refreshIssuerSessions(api.context)).rejects.toMatchObject({ code: "unavailable" });
    expect([await isOpen(first), await isOpen(second)]).toEqual([true, true]);
    await refreshIssuerSessions(api.context);
    refresh = refreshed;
    await round();
    expect(received.toSorted()).toEqual(["a", "a", "b", "b+"]);
  });
});
