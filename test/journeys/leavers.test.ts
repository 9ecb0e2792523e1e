/** A user who leaves: what it has open at every listener, on every node, ends when a directory deactivates it by SCIM. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Ports } from "../../src/app/listeners/listeners.ts";
import type { CatcherName } from "../../src/app/settings/listener-settings.ts";
import { testDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { LineClient } from "../../src/testing/line-client.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import { CookieBrowser, testClient, TestIssuer } from "../../src/testing/oidc-issuer.test-aid.ts";

const key = "key-of-the-whole-account-1";
const server = "leav1234";
/** For the second POP3 session: a maildrop has one at a time. */
const otherServer = "leas1234";
const ann = { sub: "ann-1", email: "ann@corp.example", email_verified: true, name: "Ann" };

/** Credentials of the leaver: a token of its issuer, and both halves of a browser session. */
interface Leaver {
  readonly token: string;
  readonly cookie: string;
  readonly page: string;
}

/** Session, stream, wait or connection of the leaver. */
interface OpenAccess {
  readonly name: string;
  /** Returns whether it has closed, which some tell with their next command only. */
  readonly hasClosed: () => Promise<boolean>;
}

type Open = (port: number, leaver: Leaver) => Promise<readonly OpenAccess[]>;
type ListenerName = Exclude<keyof Ports, "catchers"> | CatcherName;

/** Accesses at every listener; each new listener needs a row. */
const listeners: Readonly<Record<ListenerName, Open>> = {
  http: async (port, leaver) => [openSession(port, leaver), await openStream(port, leaver), openWait(port, leaver)],
  https: openSecureStream,
  smtp: async (port, leaver) => openSmtp("EHLO", await LineClient.open(port), leaver),
  smtps: async (port, leaver) => openSmtp("EHLO", await LineClient.open(port, true), leaver),
  lmtp: async (port, leaver) => openSmtp("LHLO", await LineClient.open(port), leaver),
  pop3: async (port, leaver) => openPop3(server, await LineClient.open(port), leaver),
  pop3s: async (port, leaver) => openPop3(otherServer, await LineClient.open(port, true), leaver),
  imap: async (port, leaver) => openImap(await LineClient.open(port), leaver),
  imaps: async (port, leaver) => openImap(await LineClient.open(port, true), leaver),
  mailpit: async (port, leaver) => openSocket(`${port}/api/events`, leaver),
  mailhog: async (port, leaver) => openSocket(`${port}/api/v2/websocket`, leaver),
  // Has no connections that stay open.
  maildev: async (port, { token }) => [
    {
      name: "requests",
      hasClosed: async () => (await ask(port, "/api/email", { authorization: `Bearer ${token}` })).status === 401,
    },
  ],
  smtp4dev: async (port, leaver) =>
    openSocket(`${port}/hubs/notifications`, leaver, '{"protocol":"json","version":1}\u001E'),
};
const names = Object.keys(listeners) as ListenerName[];

async function ask(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { headers });
}

/** Returns an access that closes when the promise is settled. */
function closing(name: string, end: Promise<unknown>): OpenAccess {
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
  };
  void end.then(close, close);
  return { name, hasClosed: async () => isClosed };
}

function openSession(port: number, { cookie, page }: Leaver): OpenAccess {
  const headers = { cookie: `restante-${port}=${cookie}`, "x-restante-web": "1", "x-restante-session": page };
  return { name: "session", hasClosed: async () => (await ask(port, "/api/servers", headers)).status === 401 };
}

async function openStream(port: number, { token }: Leaver): Promise<OpenAccess> {
  const response = await ask(port, `/api/events?server=${server}`, { authorization: `Bearer ${token}` });
  expect(response.status).toBe(200);
  return closing("event stream", response.text());
}

function openWait(port: number, { token }: Leaver): OpenAccess {
  const url = `http://127.0.0.1:${port}/api/messages/search?server=${server}&timeout=600000`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  let status = 0;
  const wait = async (): Promise<void> => {
    ({ status } = await fetch(url, { method: "POST", headers, body: JSON.stringify({ subject: "never" }) }));
  };
  void wait();
  return { name: "waiting search", hasClosed: async () => status === 401 };
}

async function openSecureStream(port: number, { token }: Leaver): Promise<readonly OpenAccess[]> {
  const path = `/api/events?server=${server}`;
  const headers = { authorization: `Bearer ${token}` };
  const sent = request({ host: "127.0.0.1", port, path, headers, rejectUnauthorized: false }).end();
  const [response] = (await once(sent, "response")) as [NodeJS.ReadableStream & { readonly statusCode: number }];
  expect(response.statusCode).toBe(200);
  response.resume();
  return [closing("event stream", once(response, "end"))];
}

const sasl = ({ token }: Leaver, user = server): string =>
  Buffer.from(`user=${user}\u0001auth=Bearer ${token}\u0001\u0001`).toString("base64");

async function openSmtp(greeting: string, client: LineClient, leaver: Leaver): Promise<readonly OpenAccess[]> {
  onTestFinished(async () => client[Symbol.asyncDispose]());
  expect(await client.line()).toMatch(/^220/);
  client.send(`${greeting} test\r\n`);
  while ((await client.line())?.startsWith("250-") === true);
  expect(await client.ask(`AUTH XOAUTH2 ${sasl(leaver)}`)).toMatch(/^235/);
  const hasClosed = async (): Promise<boolean> => {
    const reply = await client.ask("MAIL FROM:<app@corp.example>");
    if (reply === null || reply.startsWith("535")) return true;
    await client.ask("RSET");
    return false;
  };
  return [{ name: "session", hasClosed }];
}

async function openPop3(user: string, client: LineClient, leaver: Leaver): Promise<readonly OpenAccess[]> {
  onTestFinished(async () => client[Symbol.asyncDispose]());
  expect(await client.line()).toMatch(/^\+OK/);
  expect(await client.ask(`AUTH XOAUTH2 ${sasl(leaver, user)}`)).toMatch(/^\+OK/);
  const hasClosed = async (): Promise<boolean> => (await client.ask("NOOP"))?.startsWith("+OK") !== true;
  return [{ name: "session", hasClosed }];
}

async function openImap(client: LineClient, leaver: Leaver): Promise<readonly OpenAccess[]> {
  onTestFinished(async () => client[Symbol.asyncDispose]());
  const linesTo = async (start: string): Promise<void> => {
    for (let line: string | null = ""; !line.startsWith(start);) {
      line = await client.line();
      if (line === null) throw new Error(`closed before ${start}`);
    }
  };
  client.send(`a AUTHENTICATE XOAUTH2 ${sasl(leaver)}\r\n`);
  await linesTo("a OK");
  client.send("b SELECT INBOX\r\nc IDLE\r\n");
  await linesTo("+ idling");
  return [closing("session", linesTo("* BYE"))];
}

async function openSocket(address: string, { token }: Leaver, first?: string): Promise<readonly OpenAccess[]> {
  const socket = new WebSocket(`ws://127.0.0.1:${address}`, { headers: { authorization: `Bearer ${token}` } });
  onTestFinished(() => {
    socket.terminate();
  });
  await once(socket, "open");
  if (first !== undefined) socket.send(first);
  return [closing("web socket", once(socket, "close"))];
}

let folder: string;
let issuer: TestIssuer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-leavers-"));
  issuer = await TestIssuer.start();
  issuer.user = ann;
});
afterAll(async () => {
  await issuer[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Starts a node with every listener; `url` is the one at which users sign in. */
async function startNode(
  { name, url, port = 0 }: { readonly name: string; readonly url: string; readonly port?: number },
  environment: Readonly<Record<string, string>>,
): Promise<LocalService> {
  const ports = names.map((one) => `--${one}-port=${one === "http" ? port : 0}`);
  const node = await LocalService.start([`--data-dir=${join(folder, name)}`, ...ports], {
    RESTANTE_API_KEY: key,
    RESTANTE_SECRET_KEY: "a-secret-key-for-journeys",
    RESTANTE_SERVERS: `${server}:Leavers,${otherServer}:Others`,
    RESTANTE_LIMIT_WAIT_MS: "600000",
    RESTANTE_PEER_SERVER: server,
    RESTANTE_TRUST_LOOPBACK: "no",
    RESTANTE_LIMIT_WRONG_KEY_COUNT_PER_MINUTE: "1000",
    RESTANTE_PUBLIC_URL: url,
    RESTANTE_OIDC_ISSUER: issuer.url,
    RESTANTE_OIDC_CLIENT_ID: testClient.id,
    RESTANTE_OIDC_CLIENT_SECRET: testClient.secret,
    ...environment,
  });
  onTestFinished(async () => node.stop());
  return node;
}

/** Sends a request of the directory to a node. */
async function scim(node: LocalService, line: string, body: object): Promise<string> {
  const [method = "", path = ""] = line.split(" ");
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/scim+json" };
  const response = await fetch(`${node.url}/scim/v2/${path}`, { method, headers, body: JSON.stringify(body) });
  expect(response.ok).toBe(true);
  return ((await response.json()) as { readonly id: string }).id;
}

/** Provisions the user with a team that owns the server, and signs it in. */
async function welcome(node: LocalService, url: string): Promise<Leaver & { readonly id: string }> {
  const id = await scim(node, "POST Users", { userName: ann.email, displayName: ann.name });
  const team = await scim(node, "POST Groups", { displayName: "Web", members: [{ value: id }] });
  for (const one of [server, otherServer]) {
    await node.fetch(`/api/servers/${one}`, key, { method: "PUT", body: JSON.stringify({ team }) });
  }
  const browser = new CookieBrowser();
  const callback = `${url}/web/oidc/default/callback`;
  const { next } = await browser.open(`${url}/web/oidc/default/sign-in`, (at) => at.startsWith(callback));
  const response = await browser.fetch(next);
  const page = new URLSearchParams(new URL(response.headers.get("location") ?? "").hash.slice(1)).get("session") ?? "";
  const { host, port } = new URL(url);
  const cookie = browser.cookies.get(host)?.get(`restante-${port}`) ?? "";
  return { id, token: await issuer.bearer(ann.sub), cookie, page };
}

async function openAccesses(node: LocalService, leaver: Leaver): Promise<readonly OpenAccess[]> {
  const { catchers, ...own } = node.ports;
  const ports: Readonly<Record<string, number | null>> = { ...own, ...catchers };
  const opened = names.map(async (name) => {
    const port = ports[name];
    if (typeof port !== "number") throw new Error(`${name} is off`);
    return (await listeners[name](port, leaver)).map((one) => ({ ...one, name: `${name}: ${one.name}` }));
  });
  return (await Promise.all(opened)).flat();
}

/** Opens the accesses of the user on all nodes, deactivates it on one of them, and waits until all accesses have closed. */
async function leave(
  name: string,
  url: string,
  environments: readonly Readonly<Record<string, string>>[],
): Promise<void> {
  const started = environments.map(async (environment, at) =>
    startNode({ name: `${name} ${at}`, url, ...(at === 0 && { port: Number(new URL(url).port) }) }, environment),
  );
  const nodes = await Promise.all(started);
  const [main] = nodes;
  if (main === undefined) throw new Error("there is no node");
  const leaver = await welcome(main, url);
  const accesses = (await Promise.all(nodes.map(async (node) => openAccesses(node, leaver)))).flat();
  expect(accesses).toHaveLength(nodes.length * (names.length + 2));
  let left = accesses;
  const open = async (): Promise<readonly string[]> => {
    const closed = await Promise.all(left.map(async ({ hasClosed }) => hasClosed()));
    left = left.filter((_, at) => closed[at] !== true);
    return left.map((one) => `${one.name} on ${name}`);
  };
  expect(await open()).toHaveLength(accesses.length);
  const change = { Operations: [{ op: "replace", path: "active", value: false }] };
  const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
  await scim(main, `PATCH Users/${leaver.id}`, { schemas, ...change });
  // POP3 and IMAP ask every 15 seconds whether their credentials are valid.
  await expect.poll(open, { interval: 1000, timeout: 60_000 }).toEqual([]);
}

test("ends everything that a user has open within a minute when a directory deactivates it: on one node, and on two with PostgreSQL", async () => {
  const urls = (await Promise.all([freePort(), freePort()])).map((port) => `http://localhost:${port}`);
  const [first = "", second = ""] = urls;
  issuer.register({ redirectUris: urls.map((url) => `${url}/web/oidc/default/callback`) });
  const shared = { RESTANTE_DATABASE_URL: await testDatabaseUrl() };
  // Together, since both wait.
  await Promise.all([leave("one node", first, [{}]), leave("two nodes", second, [shared, shared])]);
});
