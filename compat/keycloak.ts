/**
 * Signs users in at Keycloak in Chromium, and uses their tokens over HTTP, SMTP and IMAP, for `npm run compat:keycloak`. It requires
 * Java, and Maven, which fetches Keycloak.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ImapFlow } from "imapflow";
import { createTransport } from "nodemailer";
import type { Browser, Page } from "playwright-core";
import { buildWeb } from "../scripts/build-web.ts";
import { freePort } from "../src/testing/free-port.test-aid.ts";
import { LocalService } from "../src/testing/local-service.ts";
import { newContext, startBrowser } from "../test/journeys/web/setup.ts";

const version = "26.7.3";
const startMsMax = 180_000;
const accountKey = "an-account-key-of-this-check";
const clientSecret = "a-client-secret-of-this-check";
const password = "a-password-of-this-check";
const users = [
  { name: "ann", group: "web" },
  { name: "bob", group: "shop" },
] as const;

function expectThat(condition: boolean, guarantee: string): void {
  if (!condition) throw new Error(`not so: ${guarantee}`);
  console.log(`✓ ${guarantee}`);
}

/** Returns the folder of Keycloak, which Maven keeps for further runs. */
function install(folder: string): string {
  const archive = join(tmpdir(), `keycloak-quarkus-dist-${version}.zip`);
  if (!existsSync(archive)) {
    const goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";
    const artifact = `-Dartifact=org.keycloak:keycloak-quarkus-dist:${version}:zip`;
    const argv = ["--quiet", "--batch-mode", goal, artifact, `-DoutputDirectory=${tmpdir()}`];
    if (spawnSync("mvn", argv, { stdio: "inherit" }).status !== 0) throw new Error("Maven could not fetch Keycloak");
  }
  if (spawnSync("jar", ["--extract", "--file", archive], { cwd: folder, stdio: "inherit" }).status !== 0)
    throw new Error("Keycloak could not be unpacked: is a JDK installed?");
  return join(folder, `keycloak-${version}`);
}

/** Realm with two users in groups of their own, and a client as the guide describes it. */
function realmOf(base: string): object {
  const mapper = (name: string, protocolMapper: string, config: object): object => ({
    name,
    protocol: "openid-connect",
    protocolMapper,
    config: { "access.token.claim": "true", ...config },
  });
  return {
    realm: "corp",
    enabled: true,
    sslRequired: "none",
    groups: users.map(({ group }) => ({ name: group })),
    users: users.map(({ name, group }) => ({
      username: name,
      email: `${name}@corp.example`,
      emailVerified: true,
      firstName: name,
      lastName: "Corp",
      enabled: true,
      groups: [`/${group}`],
      credentials: [{ type: "password", value: password }],
    })),
    clients: [
      {
        clientId: "restante",
        secret: clientSecret,
        redirectUris: [`${base}/web/oidc/default/callback`],
        directAccessGrantsEnabled: true,
        attributes: {
          "post.logout.redirect.uris": `${base}/`,
          "backchannel.logout.url": `${base}/web/oidc/default/logout`,
          "backchannel.logout.session.required": "true",
        },
        protocolMappers: [
          mapper("groups", "oidc-group-membership-mapper", {
            "claim.name": "groups",
            "full.path": "false",
            "id.token.claim": "true",
          }),
          mapper("audience", "oidc-audience-mapper", { "included.client.audience": "restante" }),
        ],
      },
    ],
  };
}

async function untilUp(url: string): Promise<void> {
  for (let waited = 0; waited < startMsMax; waited += 500) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await setTimeout(500);
  }
  throw new Error(`Keycloak did not start within ${String(startMsMax / 1000)} s`);
}

async function postForm(url: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(url, { method: "POST", body: new URLSearchParams(fields) });
  const { access_token } = (await response.json()) as { readonly access_token?: string };
  if (access_token === undefined) throw new Error(`${url} gave no token: ${String(response.status)}`);
  return access_token;
}

async function signIn(browser: Browser, base: string, name: string): Promise<Page> {
  const page = await (await newContext({ browser })).newPage();
  await page.goto(base);
  await page.getByRole("link", { name: "Sign in with Corp" }).click();
  await page.locator("#username").fill(name);
  await page.locator("#password").fill(password);
  await page.locator("#kc-login").click();
  await page.locator("[role=status][data-state=live]").waitFor();
  return page;
}

await buildWeb();
const folder = mkdtempSync(join(tmpdir(), "restante-keycloak-"));
const home = install(folder);
const [port, issuerPort] = [await freePort(), await freePort()];
const base = `http://localhost:${String(port)}`;
const keycloak = `http://localhost:${String(issuerPort)}`;
const issuer = `${keycloak}/realms/corp`;
mkdirSync(join(home, "data", "import"), { recursive: true });
writeFileSync(join(home, "data", "import", "corp.json"), JSON.stringify(realmOf(base)));
const child = spawn(
  "sh",
  [join(home, "bin", "kc.sh"), "start-dev", "--import-realm", `--http-port=${String(issuerPort)}`],
  {
    env: { ...process.env, KC_BOOTSTRAP_ADMIN_USERNAME: "admin", KC_BOOTSTRAP_ADMIN_PASSWORD: password },
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  },
);
const ended = once(child, "exit");
let browser: Browser | undefined;
let service: LocalService | undefined;
try {
  await untilUp(`${issuer}/.well-known/openid-configuration`);
  service = await LocalService.start(
    [`--data-dir=${join(folder, "data")}`, `--http-port=${String(port)}`, "--imap-port=0"],
    {
      RESTANTE_API_KEY: accountKey,
      RESTANTE_SERVERS: "webs1234:Web,shop1234:Shop",
      RESTANTE_PUBLIC_URL: base,
      RESTANTE_OIDC_ISSUER: issuer,
      RESTANTE_OIDC_LABEL: "Corp",
      RESTANTE_OIDC_CLIENT_ID: "restante",
      RESTANTE_OIDC_CLIENT_SECRET: clientSecret,
      RESTANTE_OIDC_GROUPS_CLAIM: "groups",
    },
  );
  const put = async (method: string, path: string, body: object): Promise<{ readonly id: string }> => {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${accountKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as { readonly id: string };
  };
  for (const [name, server] of [
    ["web", "webs1234"],
    ["shop", "shop1234"],
  ] as const) {
    const { id } = await put("POST", "/api/teams", { name, role: "tester" });
    await put("PUT", `/api/servers/${server}`, { team: id });
  }

  browser = await startBrowser();
  const ann = await signIn(browser, base, "ann");
  const bob = await signIn(browser, base, "bob");
  expectThat(
    new URL(ann.url()).pathname === "/servers/webs1234" && new URL(bob.url()).pathname === "/servers/shop1234",
    "groups of Keycloak put users into teams, whose only server opens",
  );

  const grant = { grant_type: "password", client_id: "restante", client_secret: clientSecret, scope: "openid email" };
  const token = await postForm(`${issuer}/protocol/openid-connect/token`, { ...grant, username: "ann", password });
  const list = async (server: string): Promise<number> =>
    (await fetch(`${base}/api/messages?server=${server}`, { headers: { authorization: `Bearer ${token}` } })).status;
  expectThat(
    (await list("webs1234")) === 200 && (await list("shop1234")) === 404,
    "an access token of Keycloak opens the servers of the user's teams over HTTP, and no other",
  );
  const auth = { type: "OAuth2", user: "webs1234", accessToken: token } as const;
  const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort, ignoreTLS: true, auth });
  await transport.sendMail({
    from: "app@corp.example",
    to: "anyone@webs1234.restante.test",
    subject: "Sent with a token",
    text: "Hello",
  });
  transport.close();
  await ann.getByText("Sent with a token").first().waitFor();
  const imapPort = Number(service.shown("IMAP").split(":").at(-1));
  const imap = new ImapFlow({
    host: "127.0.0.1",
    port: imapPort,
    secure: false,
    doSTARTTLS: false,
    logger: false,
    auth: { user: "webs1234", accessToken: token },
  });
  await imap.connect();
  const inbox = await imap.status("INBOX", { messages: true });
  await imap.logout();
  expectThat(
    inbox !== false && inbox.messages === 1,
    "the token sends by SMTP (nodemailer) and reads by IMAP (imapflow); the page shows the mail",
  );

  await ann.getByRole("button", { name: "Sign out" }).click();
  await ann.waitForURL((url) => url.href.startsWith(keycloak) || url.href === `${base}/`);
  const confirm = ann.locator("#kc-logout");
  if (await confirm.isVisible()) await confirm.click();
  await ann.getByRole("link", { name: "Sign in with Corp" }).click();
  await ann.locator("#username").waitFor();
  expectThat(true, "signing out here signs out at Keycloak, which asks for the password again");

  const admin = await postForm(`${keycloak}/realms/master/protocol/openid-connect/token`, {
    grant_type: "password",
    client_id: "admin-cli",
    username: "admin",
    password,
  });
  const headers = { authorization: `Bearer ${admin}` };
  const found = await fetch(`${keycloak}/admin/realms/corp/users?username=bob&exact=true`, { headers });
  const [{ id = "" } = {}] = (await found.json()) as { readonly id?: string }[];
  await fetch(`${keycloak}/admin/realms/corp/users/${id}/logout`, { method: "POST", headers });
  await bob.getByRole("link", { name: "Sign in with Corp" }).waitFor();
  expectThat(
    true,
    "an administrator of Keycloak who ends a user's sessions ends the page of that user (back-channel logout)",
  );
  console.log(`Keycloak ${version}: all hold`);
} finally {
  await browser?.close();
  await service?.stop();
  if (child.pid !== undefined) process.kill(-child.pid);
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
