/** Several nodes, each a separate process, on one PostgreSQL database. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHttpListener } from "../../src/testing/http-listener.ts";
import { LineClient } from "../../src/testing/line-client.test-aid.ts";
import { runCommand, ServiceProcess } from "../../src/testing/service-process.ts";
import { openDatabase } from "../../src/store/postgres/connection/database.ts";
import { testDatabaseUrl } from "../../src/store/postgres/postgres.test-aid.ts";
import { subscribeByGraph, validationAnswer } from "./graph-subscription.ts";
import { runLocally } from "./local-command.ts";
import { S3Server } from "../../src/store/postgres/content/s3-server.test-aid.ts";

const key = "a-key-for-journeys";
const server = "node1234";
const settings = { RESTANTE_API_KEY: key, RESTANTE_SECRET_KEY: "a-secret-key-for-journeys", RESTANTE_LOG: "warn" };
const searchPath = `/api/messages/search?server=${server}`;

let folder: string;
let url: string;
let nodes: readonly [ServiceProcess, ServiceProcess, ServiceProcess];

function start(name: string, environment: Record<string, string> = {}): Promise<ServiceProcess> {
  return ServiceProcess.start([`--data-dir=${join(folder, name)}`], {
    environment: { ...settings, RESTANTE_DATABASE_URL: url, ...environment },
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-nodes-"));
  url = await testDatabaseUrl();
  const environment = {
    RESTANTE_SERVERS: `${server}:Nodes`,
    RESTANTE_LIMIT_WAIT_MS: "600000",
    RESTANTE_NUMBERS: `+15550100:${server}`,
    RESTANTE_LIMIT_WRONG_KEY_COUNT_PER_MINUTE: "4",
    RESTANTE_IMAP_PORT: "0",
  };
  // On an empty database: all nodes migrate it and create the same server.
  nodes = await Promise.all([start("a", environment), start("b", environment), start("c", environment)]);
});
afterAll(async () => {
  for (const node of nodes) await node.stop("SIGKILL");
  rmSync(folder, { recursive: true });
});

interface Found {
  readonly id: string;
  readonly subject: string;
}

async function search(node: ServiceProcess, criteria: object, query = ""): Promise<readonly Found[]> {
  const response = await node.fetch(searchPath + query, key, { method: "POST", body: JSON.stringify(criteria) });
  expect(response.status).toBe(200);
  return (await response.json()) as Found[];
}

async function create(node: ServiceProcess, idempotencyKey: string): Promise<string> {
  const response = await fetch(`${node.url}/api/messages?server=${server}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": idempotencyKey },
    body: JSON.stringify({ subject: "Once", text: "Only once" }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as Found).id;
}

test("creates the schema once when several nodes start on an empty database", async () => {
  const [a, b, c] = nodes;
  for (const node of [a, b, c]) {
    const servers = (await (await node.fetch("/api/servers", key)).json()) as object[];
    expect(servers).toHaveLength(1);
    expect((await node.fetch("/readyz", "")).status).toBe(200);
    expect(node.errors).toBe("");
  }
});

test("lists, finds and returns on every node what another has acknowledged with 250", async () => {
  const [a, b, c] = nodes;
  for (let round = 0; round < 10; round += 1) {
    const subject = `Written ${String(round)}`;
    await a.send(`x@${server}.restante.test`, subject);
    const [listed] = (await (await c.fetch(`/api/messages?server=${server}`, key)).json()) as Found[];
    expect(listed?.subject).toBe(subject);
    expect(await search(b, { subject })).toHaveLength(1);
    expect((await b.fetch(`/api/messages/${listed?.id ?? ""}`, key)).status).toBe(200);
  }
  expect((await b.fetch(`/api/messages?server=${server}`, key, { method: "DELETE" })).status).toBe(204);
  for (const node of nodes) expect(await node.subjects(server, key)).toEqual([]);
});

test("notifies an IMAP client that idles of a mail and of flags that another node stores", async () => {
  const [a, b] = nodes;
  const { value } = (await (await b.fetch(`/api/servers/${server}/password`, key)).json()) as { value: string };
  await using client = await LineClient.open(Number(b.shown("IMAP").split(":").at(-1)));
  const lineWith = async (part: string): Promise<void> => {
    let line: string | null = "";
    do {
      line = await client.line();
      expect(line).not.toBeNull();
    } while (line?.includes(part) === false);
  };
  client.send(`a LOGIN ${server} "${value}"\r\nb SELECT INBOX\r\nc IDLE\r\n`);
  await lineWith("+ idling");
  await a.send(`x@${server}.restante.test`, "Read by IMAP");
  await lineWith("* 1 EXISTS");
  const [mail] = await search(a, { subject: "Read by IMAP" });
  const body = JSON.stringify({ flags: ["seen"], tags: [] });
  await a.fetch(`/api/messages/${mail?.id ?? ""}/marks`, key, { method: "PUT", body });
  await lineWith(String.raw`FLAGS (\Seen`);
  await a.fetch(`/api/messages?server=${server}`, key, { method: "DELETE" });
  await lineWith("* 1 EXPUNGE");
  client.send("DONE\r\n");
  await lineWith("c OK");
});

test("hides what a reader expunges on one node from its sessions on another, and from nobody else", async () => {
  const [a, b] = nodes;
  const put = async (readerDeletion: string): Promise<Response> =>
    a.fetch(`/api/servers/${server}`, key, { method: "PUT", body: JSON.stringify({ readerDeletion }) });
  expect((await put("hide")).status).toBe(200);
  await a.send(`x@${server}.restante.test`, "Hidden");
  const linesOf = async (node: ServiceProcess, secret: string, ...commands: readonly string[]): Promise<string> => {
    await using client = await LineClient.open(Number(node.shown("IMAP").split(":").at(-1)));
    const all = [`LOGIN ${server} "${secret}"`, ...commands];
    client.send(all.map((command, at) => `t${at} ${command}\r\n`).join(""));
    const lines: string[] = [];
    for (let line = await client.line(); line !== null; line = await client.line()) {
      lines.push(line);
      if (line.startsWith(`t${all.length - 1} `)) break;
    }
    return lines.join("\n");
  };
  const { value } = (await (await b.fetch(`/api/servers/${server}/password`, key)).json()) as { value: string };
  await using idler = await LineClient.open(Number(b.shown("IMAP").split(":").at(-1)));
  const lineWith = async (part: string): Promise<void> => {
    for (let line = await idler.line(); line?.includes(part) !== true; line = await idler.line())
      expect(line).not.toBeNull();
  };
  idler.send(`a LOGIN ${server} "${value}"\r\nb SELECT INBOX\r\nc IDLE\r\n`);
  await lineWith("+ idling");
  const expunge = ["SELECT INBOX", String.raw`STORE 1 +FLAGS (\Deleted)`, "EXPUNGE"];
  expect(await linesOf(a, value, ...expunge)).toContain("* 1 EXPUNGE");
  await lineWith("* 1 EXPUNGE");
  expect(await linesOf(b, value, "STATUS INBOX (MESSAGES)", "SELECT INBOX")).toMatch(/MESSAGES 0[^]*\* 0 EXISTS/);
  expect(await linesOf(b, key, "STATUS INBOX (MESSAGES)", "SELECT INBOX")).toMatch(/MESSAGES 1[^]*\* 1 EXISTS/);
  expect(await a.subjects(server, key)).toEqual(["Hidden"]);
  await put("delete");
  await a.fetch(`/api/messages?server=${server}`, key, { method: "DELETE" });
});

test("makes one delivery of each event and notification although every node processes the changes", async () => {
  await using application = await startHttpListener(validationAnswer);
  const [a, b, c] = nodes;
  const user = `x@${server}.restante.test`;
  const notificationUrl = `${application.url}/graph`;
  const subscription = await subscribeByGraph(b, { key, user, notificationUrl });
  const body = JSON.stringify({ url: `${application.url}/hook`, events: ["message.received"] });
  const created = await a.fetch(`/api/servers/${server}/webhooks`, key, { method: "POST", body });
  const { id } = (await created.json()) as { id: string };
  const subjects = Array.from({ length: 30 }, (_, number) => `Event ${String(number)}`);
  await Promise.all(
    subjects.map(async (subject, at) => nodes[at % nodes.length]?.send(`x@${server}.restante.test`, subject)),
  );
  const path = `/api/servers/${server}/deliveries?target=${id}&status=Delivered`;
  await expect.poll(async () => ((await (await c.fetch(path, key)).json()) as object[]).length).toBe(subjects.length);
  const received = application.requests
    .filter(({ path: own }) => own === "/hook")
    .map((request) => (JSON.parse(request.body) as { data: Found }).data.subject);
  expect(received.toSorted()).toEqual(subjects.toSorted());
  const notified = (): readonly string[] => subscription.subjectsIn(application.requests).toSorted();
  await expect.poll(notified).toEqual(subjects.toSorted());
  const one = `/providers/graph/v1.0/subscriptions/${subscription.id}`;
  expect((await c.fetch(one, key, { method: "DELETE" })).status).toBe(204);
  expect((await b.fetch(`/api/servers/${server}/webhooks/${id}`, key, { method: "DELETE" })).status).toBe(204);
  expect((await b.fetch(`/api/messages?server=${server}`, key, { method: "DELETE" })).status).toBe(204);
});

describe("a search waiting on one node", () => {
  test.each([
    ["a recipient", (mark: string) => ({ sentTo: `${mark}@${server}.restante.test` })],
    ["the sender of the envelope", () => ({ sentFrom: "app@example.com" })],
    ["a subject", (mark: string) => ({ subject: `for ${mark}` })],
    ["a body", () => ({ body: "hello" })],
  ])("answers a search for %s when another node receives the message", async (_, criteriaOf) => {
    const [a, b] = nodes;
    for (let round = 0; round < 3; round += 1) {
      await a.fetch(`/api/messages?server=${server}`, key, { method: "DELETE" });
      const mark = `mark${String(round)}`;
      const answered = search(b, criteriaOf(mark), "&timeout=600000");
      await expect.poll(() => waitingSearches(b)).toBeGreaterThanOrEqual(1);
      await a.send(`${mark}@${server}.restante.test`, `for ${mark}`);
      expect((await answered).map(({ subject }) => subject)).toEqual([`for ${mark}`]);
    }
  });

  test.each(["long", "last"])(
    "answers a search for a recipient (%s) with or after a name of more than 8,000 characters",
    async (mark) => {
      const [a, b] = nodes;
      const addressOf = (name: string): string => `${name}@${server}.restante.test`;
      const answered = search(b, { sentTo: addressOf(mark) }, "&timeout=600000");
      await expect.poll(() => waitingSearches(b)).toBeGreaterThanOrEqual(1);
      // A summary cuts such names, and leaves out recipients after two of them.
      const name = "n".repeat(70).concat("\r\n ").repeat(130);
      const recipients = ["short", "long", "longer", "last"].map(
        (one) => `${one.startsWith("long") ? name : one} <${addressOf(one)}>`,
      );
      await using dialogue = await a.greet();
      await dialogue.play(
        ["EHLO test", "250"],
        ["MAIL FROM:<app@example.com>", "250"],
        [`RCPT TO:<${addressOf("short")}>`, "250"],
        ["DATA", "354"],
        [`Subject: to ${mark}\r\nTo: ${recipients.join(",\r\n ")}\r\n\r\nHello\r\n.\r\n`, "250"],
      );
      expect((await answered).map(({ subject }) => subject)).toEqual([`to ${mark}`]);
      await a.fetch(`/api/messages?server=${server}`, key, { method: "DELETE" });
    },
  );

  test("is not woken by other messages, and hundreds of searches share one connection", async () => {
    const [a, b] = nodes;
    const leave = new AbortController();
    const patient = Array.from({ length: 300 }, async (_, index) => {
      const body = JSON.stringify({ sentTo: `nobody-${String(index)}@${server}.restante.test` });
      return b.fetch(`${searchPath}&timeout=600000`, key, { method: "POST", body, signal: leave.signal });
    });
    await expect.poll(() => waitingSearches(b)).toBe(300);
    for (let round = 0; round < 5; round += 1) await a.send(`else@${server}.restante.test`, "For somebody else");
    // Notifications arrive in order: once this one has woken its search, the other messages have been processed.
    await a.send(`nobody-0@${server}.restante.test`, "For the first");
    const found = (await (await patient[0])?.json()) as Found[];
    expect(found).toHaveLength(1);
    expect(await waitingSearches(b)).toBe(299);
    leave.abort();
    await Promise.allSettled(patient);
  });
});

/** Returns the number of searches waiting on the node. */
async function waitingSearches(node: ServiceProcess): Promise<number> {
  const text = await (await node.fetch("/metrics", "")).text();
  return Number(/^restante_waiting_searches (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
}

test("an event stream receives the events of all nodes in order and without gaps", async () => {
  const [a, b, c] = nodes;
  const gone = new AbortController();
  const response = await b.fetch(`/api/events?server=${server}`, key, { signal: gone.signal });
  const events: string[] = [];
  const reading = (async () => {
    for await (const chunk of response.body ?? []) events.push(Buffer.from(chunk as Uint8Array).toString());
  })().catch(() => undefined);
  for (let round = 0; round < 6; round += 1) {
    await (round % 2 === 0 ? a : c).send(`x@${server}.restante.test`, `Event ${String(round)}`);
  }
  await c.fetch(`/api/messages?server=${server}`, key, { method: "DELETE" });
  const numbers = (): readonly number[] =>
    Array.from(events.join("").matchAll(/^id: (\d+)$/gm), ([, id]) => Number(id));
  await expect.poll(() => numbers().length).toBe(7);
  const [first = 0] = numbers();
  expect(numbers()).toEqual(Array.from({ length: 7 }, (_, index) => first + index));
  expect(events.join("")).toMatch(/event: emptied[^]*$/);
  gone.abort();
  await reading;
});

test("creates one message for an Idempotency-Key repeated concurrently on several nodes", async () => {
  const ids = await Promise.all([...nodes, ...nodes].map((node) => create(node, "the-same-key")));
  expect(new Set(ids).size).toBe(1);
});

test("shows keys, servers and phone numbers created on one node on all nodes", async () => {
  const [a, b, c] = nodes;
  const made = await runCommand(["keys", "create", "--name=over", `--data-dir=${join(folder, "a")}`], {
    environment: { ...settings, RESTANTE_DATABASE_URL: url },
  });
  expect(made.code).toBe(0);
  expect((await b.fetch("/api/servers", made.out.trim())).status).toBe(200);
  const text = { from: "+15550199", to: "+15550100", text: "Your code is 4711" };
  expect((await c.fetch("/api/sms", key, { method: "POST", body: JSON.stringify(text) })).status).toBe(200);
  expect(await search(a, { body: "4711" })).toHaveLength(1);
});

test("counts wrong keys across all nodes", async () => {
  const [a, b, c] = nodes;
  const status = async (node: ServiceProcess): Promise<number> => (await node.fetch("/api/servers", "wrong")).status;
  expect([await status(a), await status(b), await status(a), await status(b)]).toEqual([401, 401, 401, 401]);
  await expect.poll(() => status(c)).toBe(429);
});

describe("a browser signed in on one node", () => {
  const own = { "sec-fetch-site": "same-origin", "x-restante-web": "1" };
  const signIn = async (node: ServiceProcess, secret: string): Promise<Response> =>
    fetch(`${node.url}/web/session`, { method: "POST", headers: { ...own, authorization: `Bearer ${secret}` } });
  /** Cookies are named after the port of their node; behind a load balancer all nodes use the same port. */
  const ask = async (node: ServiceProcess, line: string, { secret, pageToken }: Signed): Promise<Response> => {
    const [method = "", path = ""] = line.split(" ");
    const cookie = `restante-${new URL(node.url).port}=${secret}`;
    return fetch(node.url + path, { method, headers: { ...own, cookie, "x-restante-session": pageToken } });
  };
  interface Signed {
    readonly secret: string;
    readonly pageToken: string;
  }
  const secretOf = async (reply: Response): Promise<Signed> => ({
    secret: /=([\w-]{43});/.exec(reply.headers.get("set-cookie") ?? "")?.[1] ?? "",
    pageToken: ((await reply.json()) as { pageToken: string }).pageToken,
  });

  test("is signed in on all nodes until it signs out on any, which also ends its event streams", async () => {
    const [a, b, c] = nodes;
    const secret = await secretOf(await signIn(a, key));
    for (const node of nodes) expect((await ask(node, "GET /web/session", secret)).status).toBe(200);
    // A server of its own: events of earlier tests may still be on their way to this node.
    const created = await a.fetch("/api/servers", key, { method: "POST", body: JSON.stringify({ name: "Streamed" }) });
    const { id } = (await created.json()) as { id: string };
    const stream = await ask(b, `GET /api/events?server=${id}`, secret);
    expect(stream.status).toBe(200);
    const ended = stream.text();
    expect((await ask(c, "DELETE /web/session", secret)).status).toBe(204);
    for (const node of nodes) expect((await ask(node, "GET /web/session", secret)).status).toBe(401);
    await a.send(`x@${id}.restante.test`, "After signing out");
    expect(await ended).not.toContain("event:");
  });

  test("can use a start link once, on any node", async () => {
    const [a, b, c] = nodes;
    const token = a.shown("Web UI").split("#token=")[1] ?? "";
    const replies = await Promise.all([b, c].map(async (node) => signIn(node, token)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe("a node", () => {
  const refused = async (environment: Record<string, string>, ...argv: string[]) =>
    runCommand(["serve", `--data-dir=${join(folder, "refused")}`, "--http-port=0", "--smtp-port=off", ...argv], {
      environment,
    });

  test("refuses to start without the settings that all nodes must share, naming them", async () => {
    const { code, error } = await refused({ RESTANTE_DATABASE_URL: url });
    expect(code).toBe(2);
    expect(error).toMatch(
      /^restante: RESTANTE_API_KEY is required .+\nrestante: RESTANTE_SECRET_KEY is required .+\n$/,
    );
  });

  test("refuses to start with an invalid database URL, without printing its password", async () => {
    const { code, error } = await refused({ ...settings, RESTANTE_DATABASE_URL: "postgres://u:SECRET@h/d?sslmode=no" });
    expect(code).toBe(2);
    expect(error).toContain("RESTANTE_DATABASE_URL: the given value is not allowed");
    expect(error).not.toContain("SECRET");
  });

  test("refuses to start when the database is unreachable, giving the reason", async () => {
    const { code, error } = await refused({
      ...settings,
      RESTANTE_DATABASE_URL: "postgres://u:SECRET@127.0.0.1:1/d?connect_timeout=1",
    });
    expect(code).toBe(1);
    expect(error).toMatch(/The database of RESTANTE_DATABASE_URL cannot be used: .*ECONNREFUSED/);
    expect(error).not.toContain("SECRET");
  });

  test("refuses restante backup on PostgreSQL, naming the tools to use instead", async () => {
    const { code, error } = await runLocally(["backup", join(folder, "copy")], {
      environment: { RESTANTE_DATABASE_URL: url },
    });
    expect([code, error]).toEqual([1, expect.stringContaining("pg_dump")]);
  });
});

test("restante migrate creates what is missing and reports whether Citus is available", async () => {
  const environment = { RESTANTE_DATABASE_URL: await testDatabaseUrl() };
  expect(await runCommand(["migrate"], { environment })).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Applied \d+ migrations?\.\n$/) as unknown,
  });
  const again = await runLocally(["migrate", "--citus"], { environment });
  expect(again).toMatchObject({ code: 1, out: "The schema is up to date.\n" });
  expect(again.error).toContain("The Citus extension is not installed");
});

test("restante migrate needs no permission to create extensions", async () => {
  const url = new URL(await testDatabaseUrl());
  const role = `plain_${url.pathname.slice(1)}`;
  const owner = openDatabase(url.href);
  try {
    await owner.query(`create role ${role} login; grant create, usage on schema public to ${role}`);
    url.username = role;
    const { code, out } = await runLocally(["migrate"], { environment: { RESTANTE_DATABASE_URL: url.href } });
    expect([code, out]).toEqual([0, expect.stringMatching(/^Applied \d+ migrations?\.\n$/)]);
    expect(await owner.query("select extname::text as name from pg_extension")).toEqual([{ name: "plpgsql" }]);
  } finally {
    await owner.query(`drop owned by ${role}; drop role ${role}`);
    await owner.close();
  }
});

test("stores large content in the bucket, returns it from every node, and deletes it with its message", async () => {
  await using bucket = await S3Server.start();
  const environment = {
    RESTANTE_DATABASE_URL: await testDatabaseUrl(),
    RESTANTE_BLOB_URL: bucket.url,
    RESTANTE_SERVERS: `${server}:Large`,
  };
  const [one, other] = await Promise.all([start("large-a", environment), start("large-b", environment)]);
  await using a = one;
  await using b = other;
  const content = randomBytes(400_000).toString("base64").replaceAll(/.{76}/g, "$&\r\n");
  await using dialogue = await a.greet();
  await dialogue.play(
    ["EHLO test", "250"],
    ["MAIL FROM:<app@example.com>", "250"],
    [`RCPT TO:<x@${server}.restante.test>`, "250"],
    ["DATA", "354"],
    [`Subject: Large\r\n\r\n${content}\r\n.`, "250"],
  );
  expect(await bucket.objectCount()).toBeGreaterThan(0);
  const [found] = (await (await b.fetch(`/api/messages?server=${server}`, key)).json()) as Found[];
  const raw = await (await b.fetch(`/api/files/email/${found?.id ?? ""}`, key)).text();
  expect(raw.endsWith(`Subject: Large\r\n\r\n${content}\r\n`)).toBe(true);
  expect((await b.fetch(`/api/messages/${found?.id ?? ""}`, key, { method: "DELETE" })).status).toBe(204);
  await expect.poll(() => bucket.objectCount()).toBe(0);
});
