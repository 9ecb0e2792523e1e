/** Single sign-on against `oidc-provider`: sessions in a browser without scripts, and tokens of its users at every listener. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ImapFlow } from "imapflow";
import { SignJWT } from "jose";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ports } from "../../src/app/listeners/listeners.ts";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { LineClient } from "../../src/testing/line-client.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import { CookieBrowser, testClient, TestIssuer } from "../../src/testing/oidc-issuer.test-aid.ts";

const key = "key-of-the-whole-account-1";
const dataDir = mkdtempSync(join(tmpdir(), "restante-oidc-"));
let issuer: TestIssuer;
let other: TestIssuer;
let service: LocalService;
let port: number;

const ann = { sub: "ann-1", email: "ann@corp.example", email_verified: true, name: "Ann", groups: ["web"] };
const bob = { sub: "bob-1", email: "bob@corp.example", email_verified: true, name: "Bob", groups: ["shop"] };

async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await service.fetch(path, key, { method, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response.status === 204 ? {} : ((await response.json()) as Record<string, unknown>);
}

beforeAll(async () => {
  port = await freePort();
  const [url, file] = [`http://localhost:${port}`, join(dataDir, "issuers.json")];
  [issuer, other] = await Promise.all([TestIssuer.start(), TestIssuer.start()]);
  for (const [one, name] of [
    [issuer, "default"],
    [other, "other"],
  ] as const) {
    const paths = { redirectUris: [`${url}/web/oidc/${name}/callback`], logoutUri: `${url}/web/oidc/${name}/logout` };
    one.register({ ...paths, returnUris: [`${url}/`] });
  }
  const further = {
    name: "other",
    label: "Other",
    issuer: other.url,
    clientId: testClient.id,
    clientSecret: testClient.secret,
  };
  writeFileSync(file, JSON.stringify([{ ...further, domains: ["other.example"], mayCreate: false }]));
  service = await LocalService.start([`--http-port=${port}`, "--imap-port=0", "--pop3-port=0", "--mailpit-port=0"], {
    RESTANTE_API_KEY: key,
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SERVERS: "webs1234:Web,shop1234:Shop",
    RESTANTE_PUBLIC_URL: url,
    RESTANTE_LIMIT_WRONG_KEY_COUNT_PER_MINUTE: "1000",
    RESTANTE_OIDC_ISSUER: issuer.url,
    RESTANTE_OIDC_LABEL: "Corp",
    RESTANTE_OIDC_CLIENT_ID: testClient.id,
    RESTANTE_OIDC_CLIENT_SECRET: testClient.secret,
    RESTANTE_OIDC_GROUPS_CLAIM: "groups",
    RESTANTE_OIDC_ACCOUNT_GROUPS: "owners",
    RESTANTE_OIDC_FILE: file,
  });
  for (const name of ["web", "shop"]) {
    const team = await call("POST", "/api/teams", { name, role: "tester" });
    await call("PUT", `/api/servers/${name === "web" ? "webs1234" : "shop1234"}`, { team: team["id"] });
  }
});
afterAll(async () => {
  await service.stop();
  await Promise.all([issuer[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
  rmSync(dataDir, { recursive: true });
});

const base = (): string => `http://localhost:${port}`;
/** Signs in at an issuer up to the response, which is not sent. */
async function respond(browser: CookieBrowser, name = "default", to = "/search"): Promise<string> {
  const start = `${base()}/web/oidc/${name}/sign-in?to=${encodeURIComponent(to)}`;
  return (await browser.open(start, (at) => at.startsWith(`${base()}/web/oidc/${name}/callback`))).next;
}

/** Signs in as a user; returns the location of the web UI and a function that sends requests of its page. */
async function signIn(user: typeof ann, to?: string) {
  issuer.user = user;
  const browser = new CookieBrowser();
  const response = await browser.fetch(await respond(browser, "default", to));
  const location = response.headers.get("location") ?? "";
  const page = new URLSearchParams(new URL(location).hash.slice(1)).get("session") ?? "";
  const headers = { "x-restante-web": "1", "x-restante-session": page };
  const ask = async (path: string, method = "GET"): Promise<Response> =>
    browser.fetch(base() + path, { method, headers });
  return { browser, location, ask, status: response.status };
}

describe("sign-in by a browser", () => {
  test("shows a user the servers of its teams only, and signs it out at the issuer too", async () => {
    const { location, ask } = await signIn(ann, "/servers/webs1234?q=a");
    expect(location).toMatch(new RegExp(`^${base()}/servers/webs1234\\?q=a#session=[\\w-]{43}$`));
    const servers = (await (await ask("/api/servers")).json()) as { items?: { id: string }[] } & { id: string }[];
    expect((servers.items ?? servers).map(({ id }) => id)).toEqual(["webs1234"]);
    expect((await ask("/api/messages?server=shop1234")).status).toBe(404);
    const out = await ask("/web/session", "DELETE");
    const { url } = (await out.json()) as { url: string };
    expect(url.startsWith(`${issuer.url}/session/end?`)).toBe(true);
    expect((await ask("/api/servers")).status).toBe(401);
    expect(JSON.stringify(await call("GET", "/api/audit"))).toContain(ann.email);
  });

  test("ends the sessions that a logout token names, once, and no others", async () => {
    const [first, second] = [await signIn(ann), await signIn(bob)];
    const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer.url,
      aud: testClient.id,
      iat: now,
      exp: now + 120,
      jti: "logout-1",
      sub: ann.sub,
      events,
    };
    const send = async (token: string): Promise<number> => {
      const body = new URLSearchParams({ logout_token: token });
      return (await fetch(`${base()}/web/oidc/default/logout`, { method: "POST", body })).status;
    };
    const { sub: _sub, ...anonymous } = claims;
    for (const [wrong, header] of [
      [{ ...claims, nonce: "n" }],
      [{ ...claims, events: {} }],
      [{ ...claims, aud: "other" }],
      [{ ...claims, iat: now - 3600 }],
      [anonymous],
      [claims, { typ: "at+jwt" }],
    ] as const) {
      expect(await send(await issuer.sign(wrong, header))).toBe(400);
    }
    expect(await send(await other.sign(claims))).toBe(400);
    expect((await first.ask("/api/servers")).status).toBe(200);
    const token = await issuer.sign(claims, { typ: "logout+jwt" });
    expect(await send(token)).toBe(200);
    expect(await send(token)).toBe(400);
    expect((await first.ask("/api/servers")).status).toBe(401);
    expect((await second.ask("/api/servers")).status).toBe(200);
  });

  test("rejects responses of another browser, of another issuer, without a flow, and used ones, in words", async () => {
    issuer.user = ann;
    other.user = { ...ann, email: "ann@other.example" };
    const [browser, stranger] = [new CookieBrowser(), new CookieBrowser()];
    const response = await respond(browser);
    await respond(stranger);
    const wrong = await stranger.fetch(response);
    expect(wrong.status).toBe(401);
    expect(await wrong.text()).toContain("<h1>Sign-in failed</h1>");
    expect((await new CookieBrowser().fetch(response)).status).toBe(401);
    // A response of one issuer at the address of the other, within the flow of that one (mix-up).
    const mixed = new URL(response);
    await respond(browser, "other");
    mixed.pathname = "/web/oidc/other/callback";
    expect((await browser.fetch(mixed.href)).status).toBe(401);
    const own = await respond(browser);
    const flow = new Map(browser.cookies.get(`localhost:${port}`));
    expect((await browser.fetch(own)).status).toBe(303);
    browser.cookies.set(`localhost:${port}`, flow);
    const used = await browser.fetch(own);
    expect([used.status, await used.text()]).toEqual([401, expect.stringContaining("invalid_grant")]);
    const refused = new URL(await respond(browser));
    refused.searchParams.delete("code");
    refused.searchParams.set("error", "access_denied");
    refused.searchParams.set("error_description", "<script>alert(1)</script>");
    const page = await (await browser.fetch(refused.href)).text();
    expect(page).toContain("Corp refused the sign-in: access_denied (&lt;script&gt;");
    const unknown = await browser.fetch(await respond(browser, "other"));
    expect([unknown.status, await unknown.text()]).toEqual([403, expect.stringContaining("not known here")]);
  });

  test.each(["//evil.example", "https://evil.example", "/\\evil.example", "/%0d%0aset-cookie:a", "\u0001"])(
    "leads to no other origin after a sign-in with to=%j",
    async (to) => {
      const { location, status } = await signIn(ann, to);
      expect(status).toBe(303);
      expect(location.startsWith(`${base()}/`)).toBe(true);
      expect(new URL(location).host).toBe(`localhost:${port}`);
    },
  );

  test("moves a browser at another name of the service to the public URL, where its cookie is", async () => {
    const response = await fetch(`http://127.0.0.1:${port}/web/oidc/default/sign-in?to=/usage`, { redirect: "manual" });
    expect(response.headers.get("location")).toBe(`${base()}/web/oidc/default/sign-in?host=public&to=%2Fusage`);
    expect(await (await fetch(`${base()}/web/issuers`)).json()).toEqual([
      { name: "default", label: "Corp" },
      { name: "other", label: "Other" },
    ]);
  });
});

interface Listener {
  readonly name: string;
  /** Returns whether the token gives access to a server. */
  readonly open: (server: string, token: string) => Promise<boolean>;
}

const portOf = (name: string): number => Number(service.shown(name).split(":").at(-1));
const sasl = {
  XOAUTH2: (user: string, token: string) => `user=${user}\u0001auth=Bearer ${token}\u0001\u0001`,
  OAUTHBEARER: (user: string, token: string) =>
    `n,a=${user},\u0001host=localhost\u0001auth=Bearer ${token}\u0001\u0001`,
};
const encoded = (text: string): string => Buffer.from(text).toString("base64");

/** Clients of each listener. The journey of leavers also opens those that are left out here with a token. */
const clientsOf: Readonly<Record<keyof Ports, readonly Listener[]>> = {
  http: [
    {
      name: "the HTTP API",
      open: async (server, token) => (await service.fetch(`/api/messages?server=${server}`, token)).ok,
    },
  ],
  // The same requests.
  https: [],
  smtp: [
    {
      name: "SMTP by nodemailer",
      open: async (server, accessToken) => {
        const auth = { type: "OAuth2", user: server, accessToken } as const;
        const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort, ignoreTLS: true, auth });
        return transport.verify().then(
          () => true,
          () => false,
        );
      },
    },
    {
      name: "SMTP by OAUTHBEARER",
      open: async (server, token) => {
        await using client = await LineClient.open(service.smtpPort);
        await client.line();
        client.send("EHLO test\r\n");
        while ((await client.line())?.startsWith("250-") === true);
        const reply = await client.ask(`AUTH OAUTHBEARER ${encoded(sasl.OAUTHBEARER(server, token))}`);
        return reply?.startsWith("235") === true;
      },
    },
  ],
  // The same sessions.
  smtps: [],
  lmtp: [],
  imap: [
    {
      name: "IMAP by imapflow",
      open: async (user, accessToken) => {
        const client = new ImapFlow({
          host: "127.0.0.1",
          port: portOf("IMAP"),
          secure: false,
          doSTARTTLS: false,
          auth: { user, accessToken },
          logger: false,
        });
        client.on("error", () => undefined);
        return client.connect().then(
          async () => client.logout().then(() => true),
          () => false,
        );
      },
    },
  ],
  imaps: [],
  pop3: (["XOAUTH2", "OAUTHBEARER"] as const).map((mechanism): Listener => ({
    name: `POP3 by ${mechanism}`,
    open: async (server, token) => {
      await using client = await LineClient.open(portOf("POP3"));
      await client.line();
      const reply = await client.ask(`AUTH ${mechanism} ${encoded(sasl[mechanism](server, token))}`);
      if (reply?.startsWith("+OK") === true) return true;
      const refusal = await client.ask("AQ==");
      if (/^\+ [\w+/=]+$/.test(reply ?? "") && refusal?.startsWith("-ERR [AUTH]") === true) return false;
      throw new Error(`${reply ?? "closed"}, ${refusal ?? "closed"}`);
    },
  })),
  pop3s: [],
  // They show one server, whose access is decided as for the HTTP API.
  catchers: [],
};
const listeners = Object.values(clientsOf).flat();

describe("tokens of a user", () => {
  test.each(listeners)(
    "open the servers of its teams at $name, and nothing when they are not valid",
    async ({ open }) => {
      await signIn(ann);
      const now = Math.floor(Date.now() / 1000);
      const valid = await issuer.bearer(ann.sub);
      expect([await open("webs1234", valid), await open("shop1234", valid)]).toEqual([true, false]);
      const [head = "", body = "", signature = ""] = valid.split(".");
      const claims = { iss: issuer.url, aud: testClient.id, sub: ann.sub, exp: now + 600 };
      const wrong = {
        "alg none": `${Buffer.from('{"alg":"none"}').toString("base64url")}.${body}.`,
        "an HMAC with the client secret": await new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256" })
          .sign(Buffer.from(testClient.secret)),
        "other claims": `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: bob.sub })).toString("base64url")}.${signature}`,
        "an expired one": await issuer.bearer(ann.sub, { exp: now - 120 }),
        "one that is not valid yet": await issuer.bearer(ann.sub, { nbf: now + 600 }),
        "another audience": await issuer.bearer(ann.sub, { aud: "other" }),
        "the issuer of others": await other.sign(claims),
        "an unknown issuer": await issuer.bearer(ann.sub, { iss: "https://evil.example" }),
        "an unknown user": await issuer.bearer("carol"),
        "no expiry": await issuer.sign({ iss: issuer.url, aud: testClient.id, sub: ann.sub }),
        "a logout token": await issuer.bearer(ann.sub, { events: {} }),
      };
      const opened = [];
      for (const [name, token] of Object.entries(wrong)) if (await open("webs1234", token)) opened.push(name);
      expect(opened).toEqual([]);
    },
  );

  test("lose access with their user, on connections that are open, too", async () => {
    const { ask } = await signIn(ann);
    const token = await issuer.bearer(ann.sub);
    await using smtp = await LineClient.open(service.smtpPort);
    await smtp.line();
    smtp.send("EHLO test\r\n");
    while ((await smtp.line())?.startsWith("250-") === true);
    expect(await smtp.ask(`AUTH XOAUTH2 ${encoded(sasl.XOAUTH2("webs1234", token))}`)).toMatch(/^235/);
    expect(await smtp.ask("MAIL FROM:<app@corp.example>")).toMatch(/^250/);
    await smtp.ask("RSET");
    const stream = await service.fetch("/api/events?server=webs1234", token);
    const users = (await call("GET", "/api/users")) as unknown as { id: string; email: string }[] & {
      items?: { id: string; email: string }[];
    };
    const id = (users.items ?? users).find(({ email }) => email === ann.email)?.id ?? "";
    await call("PUT", `/api/users/${id}`, { isActive: false });
    expect(await stream.text()).toBeTypeOf("string");
    expect((await ask("/api/servers")).status).toBe(401);
    expect(await smtp.ask("MAIL FROM:<app@corp.example>")).toMatch(/^535/);
    expect(await smtp.line()).toBeNull();
    for (const { name, open } of listeners) expect([name, await open("webs1234", token)]).toEqual([name, false]);
    await call("PUT", `/api/users/${id}`, { isActive: true });
  });

  test("cause no request to the issuer when they name another one, and few when their key is unknown", async () => {
    const keys = (): number => issuer.requests.get("/jwks") ?? 0;
    expect((await service.fetch("/api/servers", await issuer.bearer(ann.sub))).ok).toBe(true);
    const before = keys();
    for (let count = 0; count < 5; count += 1) {
      const unknown = await issuer.sign(
        { iss: issuer.url, aud: testClient.id, sub: ann.sub, exp: 9_999_999_999 },
        { kid: `k${count}` },
      );
      expect((await service.fetch("/api/servers", unknown)).status).toBe(401);
      expect(
        (await service.fetch("/api/servers", await issuer.bearer("x", { iss: "https://evil.example" }))).status,
      ).toBe(401);
    }
    expect(keys() - before).toBeLessThanOrEqual(1);
  });
});

test("an issuer that is down prevents neither sign-in with a key nor the sessions that are open, and the status shows it", async () => {
  const { ask } = await signIn(ann);
  other.outage = (_, response) => response.writeHead(502).end();
  await using fresh = await LocalService.start([], {
    RESTANTE_API_KEY: key,
    RESTANTE_DATA_DIR: join(dataDir, "fresh"),
    RESTANTE_OIDC_ISSUER: other.url,
    RESTANTE_OIDC_CLIENT_ID: testClient.id,
  });
  const { host } = new URL(fresh.url);
  const page = await fetch(`${fresh.url}/web/oidc/default/sign-in?host=public`, { redirect: "manual" });
  expect([page.status, await page.text()]).toEqual([503, expect.stringContaining("is not available; try again later")]);
  expect((await fresh.fetch("/api/servers", key)).status).toBe(200);
  const { tasks } = (await (await fresh.fetch("/api/status", key)).json()) as {
    tasks: { task: string; state: string }[];
  };
  expect(tasks.find(({ task }) => task === "oidc_default")).toMatchObject({ state: "failing" });
  expect(host).toContain("127.0.0.1");
  expect((await ask("/api/servers")).status).toBe(200);
});
