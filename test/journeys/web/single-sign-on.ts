/** Single sign-on in a browser: users of two teams, the end of their sessions here and at the issuer, and leavers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../../src/testing/free-port.test-aid.ts";
import { LocalService } from "../../../src/testing/local-service.ts";
import { testClient, TestIssuer, type TestUser } from "../../../src/testing/oidc-issuer.test-aid.ts";
import { openReverseProxy, type ReverseProxy } from "../reverse-proxy.ts";
import { newContext, type Setup } from "./setup.ts";

const key = "a-key-for-journeys";
const base = "/mail";

/** Journeys of users of an OpenID provider, below a path. */
export function describeSingleSignOn(setup: () => Setup): void {
  let folder: string;
  let issuer: TestIssuer;
  let proxy: ReverseProxy;
  let service: LocalService;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "restante-web-"));
    issuer = await TestIssuer.start();
    proxy = await openReverseProxy(`${base}/`, "without path");
    const port = await freePort();
    service = await LocalService.start([`--data-dir=${folder}`, `--http-port=${port}`, `--public-url=${proxy.url}`], {
      RESTANTE_API_KEY: key,
      RESTANTE_SERVERS: "webs1234:Web shop,push5678:Push",
      RESTANTE_OIDC_ISSUER: issuer.url,
      RESTANTE_OIDC_LABEL: "Corp",
      RESTANTE_OIDC_CLIENT_ID: testClient.id,
      RESTANTE_OIDC_CLIENT_SECRET: testClient.secret,
      RESTANTE_OIDC_GROUPS_CLAIM: "groups",
    });
    await proxy.forwardTo(`http://127.0.0.1:${port}`);
    issuer.register({
      redirectUris: [`${proxy.url}web/oidc/default/callback`],
      returnUris: [proxy.url],
      logoutUri: `${proxy.url}web/oidc/default/logout`,
    });
    for (const [name, server] of [
      ["web", "webs1234"],
      ["push", "push5678"],
    ] as const) {
      const { id } = await call("POST", "api/teams", { name, role: "tester" });
      await call("PUT", `api/servers/${server}`, { team: id });
    }
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([proxy[Symbol.asyncDispose](), issuer[Symbol.asyncDispose]()]);
    rmSync(folder, { recursive: true });
  });

  async function call(method: string, path: string, body: object): Promise<{ readonly id: string }> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(proxy.url + path, { method, headers, body: JSON.stringify(body) });
    return (await response.json()) as { readonly id: string };
  }

  async function signIn(user: TestUser, path = ""): Promise<Page> {
    issuer.user = { email_verified: true, ...user };
    const context = await newContext(setup());
    context.setDefaultTimeout(25_000);
    const page = await context.newPage();
    await page.goto(proxy.url + path);
    await page.getByRole("link", { name: "Sign in with Corp" }).click();
    await page.getByRole("link", { name: "restante: all servers" }).waitFor();
    return page;
  }

  const ann = { sub: "ann", email: "ann@corp.example", name: "Ann", groups: ["web"] };
  const bob = { sub: "bob", email: "bob@corp.example", name: "Bob", groups: ["push"] };

  test("shows users of two teams their own servers, opens the page that they came for, and ends with those who leave", async () => {
    const page = await signIn(ann, "servers/webs1234");
    expect(page.url()).toBe(`${proxy.url}servers/webs1234`);
    const others = await signIn(bob);
    // The only server that they have is opened at once.
    await others.waitForURL(`${proxy.url}servers/push5678`);
    await others.goto(`${proxy.url}servers/webs1234`);
    await others.getByText("Not found").first().waitFor();
    await page.locator("[role=status][data-state=live]").waitFor();
    const users = (await (
      await fetch(`${proxy.url}api/users`, { headers: { authorization: `Bearer ${key}` } })
    ).json()) as { readonly items?: readonly { id: string; email: string }[] };
    const list = users.items ?? (users as unknown as readonly { id: string; email: string }[]);
    const leaver = list.find(({ email }) => email === ann.email)?.id ?? "";
    await call("PUT", `api/users/${leaver}`, { isActive: false });
    await page.getByRole("link", { name: "Sign in with Corp" }).waitFor();
    await page.getByRole("link", { name: "Sign in with Corp" }).click();
    await page.getByText("This account is deactivated").waitFor();
    await call("PUT", `api/users/${leaver}`, { isActive: true });
    await Promise.all([page.context().close(), others.context().close()]);
  });

  test("signs out at the issuer too, and here when a user signs out there", async () => {
    const page = await signIn(bob);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL((url) => url.href.startsWith(issuer.url));
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(proxy.url);
    await page.getByRole("link", { name: "Sign in with Corp" }).click();
    await page.locator("[role=status][data-state=live]").waitFor();
    const elsewhere = await page.context().newPage();
    await elsewhere.goto(`${issuer.url}/session/end`);
    await elsewhere.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in with Corp" }).waitFor();
    await page.context().close();
  });

  test("opens no session by a link with a made-up fragment, and keeps the one that is open", async () => {
    const page = await signIn(bob);
    await page.waitForURL(`${proxy.url}servers/push5678`);
    await page.goto("about:blank");
    await page.goto(`${proxy.url}servers/push5678#session=${"a".repeat(43)}`);
    await page.locator("[role=status][data-state=live]").waitFor();
    expect(page.url()).toBe(`${proxy.url}servers/push5678`);
    await page.context().close();
  });
}
