import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CookieBrowser, testClient, TestIssuer } from "../../testing/oidc-issuer.test-aid.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { issuerPauseMs } from "./issuer-fetch.ts";
import type { IssuerSettings, SignInSecrets } from "../../core/issuer.ts";
import { type Issuer, openIssuer } from "./open-issuer.ts";

const redirectUri = "http://127.0.0.1:1/web/oidc/default/callback";
let provider: TestIssuer;
let settings: IssuerSettings;
let clock: FakeClock;
let outcomes: string[];

const open = (own: Partial<IssuerSettings> = {}): Issuer => {
  const task = { succeeded: () => outcomes.push("ok"), failed: (error: unknown) => outcomes.push(String(error)) };
  return openIssuer({ ...settings, ...own }, { clock, task });
};

/** Signs in as a user at the provider, and returns the URL that it redirects to. */
async function respond(
  issuer: Issuer,
  browser = new CookieBrowser(),
): Promise<{ response: URL; secrets: SignInSecrets }> {
  const { url, secrets } = await issuer.begin(redirectUri);
  const { next } = await browser.open(url, (at) => at.startsWith(redirectUri));
  return { response: new URL(next), secrets };
}

beforeAll(async () => {
  provider = await TestIssuer.start();
  provider.register({
    redirectUris: [redirectUri],
    returnUris: ["http://127.0.0.1:1/"],
    logoutUri: "http://127.0.0.1:1/logout",
  });
});
afterAll(async () => provider[Symbol.asyncDispose]());
beforeEach(() => {
  provider.outage = null;
  provider.user = {
    sub: "ann",
    email: "ann@corp.example",
    email_verified: true,
    name: "Ann",
    groups: ["web", "owners"],
  };
  clock = new FakeClock(Date.now());
  outcomes = [];
  settings = {
    name: "default",
    label: "Corp",
    issuer: provider.url,
    clientId: testClient.id,
    clientSecret: testClient.secret,
    scopes: ["openid", "profile", "email"],
    audiences: [testClient.id],
    groupsClaim: "groups",
    accountGroups: ["owners"],
    domains: [],
    mayCreate: true,
  };
});

describe("sign-in at an issuer", () => {
  test("returns identity, session and tokens, refreshes them, and ends with the user", async () => {
    const issuer = open();
    expect(outcomes).toEqual([]);
    const { response, secrets } = await respond(issuer);
    const session = await issuer.complete(response, secrets);
    expect(session).toMatchObject({
      identity: {
        issuer: provider.url,
        subject: "ann",
        email: "ann@corp.example",
        isEmailVerified: true,
        name: "Ann",
        groups: ["web", "owners"],
        isOwner: true,
      },
      sid: expect.any(String) as string,
      tokens: { idToken: expect.any(String) as string, refreshToken: expect.any(String) as string },
    });
    expect(new Set(outcomes)).toEqual(new Set(["ok"]));
    provider.users.set("ann", { ...provider.user, groups: ["web"] });
    const refreshed = await issuer.refresh(session.tokens.refreshToken ?? "", "ann");
    expect(refreshed?.identity).toMatchObject({ groups: ["web"], isOwner: false });
    provider.users.delete("ann");
    expect(await issuer.refresh(refreshed?.tokens.refreshToken ?? "", "ann")).toBeUndefined();
    const end = new URL((await issuer.endSessionUrl(session.tokens.idToken, "http://127.0.0.1:1/")) ?? "");
    expect(end.origin).toBe(provider.url);
    expect(Object.fromEntries(end.searchParams)).toEqual({
      id_token_hint: session.tokens.idToken,
      post_logout_redirect_uri: "http://127.0.0.1:1/",
      client_id: testClient.id,
    });
  });

  test.each([
    ["another state", (response: URL) => response.searchParams.set("state", "other"), {}, "unauthenticated"],
    ["another nonce", () => undefined, { nonce: "other" }, "unauthenticated"],
    ["another PKCE verifier", () => undefined, { verifier: "x".repeat(43) }, "unauthenticated"],
    [
      "another issuer (mix-up, RFC 9207)",
      (response: URL) => response.searchParams.set("iss", "http://127.0.0.1:2"),
      {},
      "unauthenticated",
    ],
    ["no issuer", (response: URL) => response.searchParams.delete("iss"), {}, "unauthenticated"],
    ["an invented code", (response: URL) => response.searchParams.set("code", "invented"), {}, "unauthenticated"],
    [
      "the refusal of the issuer",
      (response: URL) => {
        response.search = `?error=access_denied&error_description=No&state=${response.searchParams.get("state") ?? ""}&iss=${provider.url}`;
      },
      {},
      "forbidden",
    ],
  ] as const)("rejects a response with %s", async (...[, change, own, code]) => {
    const issuer = open();
    const { response, secrets } = await respond(issuer);
    change(response);
    await expect(issuer.complete(response, { ...secrets, ...own })).rejects.toMatchObject({ code });
  });

  test("rejects a code that was used before", async () => {
    const issuer = open();
    const { response, secrets } = await respond(issuer);
    await issuer.complete(response, secrets);
    await expect(issuer.complete(response, secrets)).rejects.toMatchObject({
      code: "unauthenticated",
      message: expect.stringContaining("invalid_grant") as string,
    });
  });

  test("follows rotated keys, and rejects an ID token of a key that the issuer does not publish", async () => {
    const issuer = open();
    const first = await respond(issuer);
    await issuer.complete(first.response, first.secrets);
    await provider.rotateKeys("second");
    const second = await respond(open());
    await expect(open().complete(second.response, second.secrets)).resolves.toMatchObject({
      identity: { subject: "ann" },
    });
  });
});

test("requests metadata once for callers at the same time, and not again for five seconds after a failure", async () => {
  const issuer = open();
  const path = "/.well-known/openid-configuration";
  const requests = (): number => provider.requests.get(path) ?? 0;
  const before = requests();
  provider.outage = (_, response) => response.writeHead(503).end();
  await expect(issuer.begin(redirectUri)).rejects.toMatchObject({
    code: "unavailable",
    message: "Corp is not available; try again later",
  });
  await expect(issuer.begin(redirectUri)).rejects.toMatchObject({ code: "unavailable" });
  expect(requests()).toBe(before + 1);
  expect(outcomes[0]).toContain("status 503");
  provider.outage = null;
  clock.advance(issuerPauseMs);
  await Promise.all([issuer.begin(redirectUri), issuer.begin(redirectUri)]);
  expect(requests()).toBe(before + 2);
  expect(outcomes.at(-1)).toBe("ok");
});
