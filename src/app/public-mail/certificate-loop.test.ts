import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createBackgroundTasks } from "../../core/background-tasks.ts";
import { readIssued } from "../../tls/issued-certificate.ts";
import { AcmeTestServer } from "../../testing/acme-server.test-aid.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { until } from "../../testing/until.test-aid.ts";
import { configFrom } from "../settings/config.ts";
import type { Choices } from "../settings/table.ts";
import { leasesOf, type TestLeases } from "../../testing/test-leases.test-aid.ts";
import { type CertificateNodes, onOneNode, openCertificateLoop, orderRetryMs } from "./certificate-loop.ts";
import { certificateNames, issuedFile } from "./public-mail.ts";

const dayMs = 86_400_000;
const roundMs = 6 * 3_600_000;
const answers = new Map<string, string>();
let dataDir: string;
let authority: AcmeTestServer;
let listener: Server;
let clock: FakeClock;

beforeAll(async () => {
  authority = await AcmeTestServer.open();
  listener = createServer((incoming, response) => response.end(answers.get(incoming.url?.split("/").at(-1) ?? "")));
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
});
afterAll(async () => {
  listener.close();
  await authority[Symbol.asyncDispose]();
});
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-acme-"));
  clock = new FakeClock();
  authority.issuedAt = () => clock.now();
  authority.challengePort = (listener.address() as AddressInfo).port;
  authority.contacts.length = 0;
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

const choices = { mx: "mx.corp.example", mailDomain: "corp.example", acmeContact: "postmaster@corp.example" };

/** Starts the loop; returns its state, and the function that stops it. */
function start(changes: Partial<Choices> = {}, shared: CertificateNodes | null = null) {
  const tasks = createBackgroundTasks(clock, () => undefined);
  const lines: string[] = [];
  const log = { info: (_: unknown, message: string): void => void lines.push(message) };
  const config = configFrom({ dataDir, ...choices, ...changes });
  const tls = { reload: () => void lines.push("reloaded") };
  const directory = config.acme ?? authority.directory;
  const stop = openCertificateLoop(config, directory, { clock, log, tasks, tls, answers, shared }).start();
  const state = () => tasks.states().find(({ task }) => task === "acme_certificate");
  const succeeded = () => until(() => state()?.lastSuccessAt === clock.now());
  return { stop, lines, state, succeeded };
}

/** Passes time until the next round, after days without one. */
async function passDays(days: number, loop: ReturnType<typeof start>): Promise<void> {
  clock.stepWall(days * dayMs - roundMs);
  clock.advance(roundMs);
  await loop.succeeded();
}

describe("the loop", () => {
  test("orders a certificate at the start, and another when a third of the lifetime is left", async () => {
    const loop = start();
    await loop.succeeded();
    expect(loop.lines).toEqual(["reloaded", "certificate issued"]);
    const file = issuedFile(dataDir);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const first = readIssued(file, clock.now());
    expect(first?.identity.certificate.checkHost("mta-sts.corp.example")).toBe("mta-sts.corp.example");
    await passDays(59, loop);
    expect(authority.contacts).toHaveLength(1);
    await passDays(2, loop);
    expect(authority.contacts).toHaveLength(2);
    expect(readIssued(file, clock.now())?.certificatePem).not.toBe(first?.certificatePem);
    await loop.stop();
    expect(loop.state()).toBeUndefined();
  });

  test("keeps a stored certificate, and orders another for other names", async () => {
    const first = start();
    await first.succeeded();
    await first.stop();
    const same = start();
    await same.succeeded();
    await same.stop();
    expect(authority.contacts).toHaveLength(1);
    const other = start({ publicUrl: "https://mail.corp.example" });
    await other.succeeded();
    await other.stop();
    expect(authority.contacts).toHaveLength(2);
  });

  test("orders another certificate from another directory, and keeps the former one in use until then", async () => {
    const first = start();
    await first.succeeded();
    await first.stop();
    const file = issuedFile(dataDir);
    const former = readFileSync(file, "utf8");
    authority.challengePort = 1;
    const otherDirectory = authority.directory.replace("127.0.0.1", "localhost");
    const other = start({ acme: otherDirectory });
    await until(() => other.state()?.state === "failing");
    expect(readFileSync(file, "utf8")).toBe(former);
    authority.challengePort = (listener.address() as AddressInfo).port;
    clock.advance(orderRetryMs);
    await other.succeeded();
    await other.stop();
    expect(readIssued(file, clock.now())?.directory).toBe(otherDirectory);
  });

  test("reports the reason of a failure, and tries again after a quarter of an hour", async () => {
    authority.challengePort = 1;
    const loop = start();
    await until(() => loop.state()?.state === "failing");
    expect(loop.state()).toMatchObject({
      task: "acme_certificate",
      lastFailure: { reason: expect.stringContaining("mx.corp.example was refused") as string, retryInMs: 900_000 },
      degrades: expect.stringContaining("no certificate that senders accept") as string,
    });
    authority.challengePort = (listener.address() as AddressInfo).port;
    clock.advance(900_000);
    await loop.succeeded();
    expect(loop.state()).toMatchObject({ state: "ok" });
    await loop.stop();
  });

  test("aborts an order when it stops", async () => {
    authority.replace = (path, [status, body]) =>
      path.startsWith("/authorization") ? [status, { ...(body as object), status: "processing" }] : undefined;
    const loop = start();
    await until(() => answers.size > 0);
    await loop.stop();
    expect(answers.size).toBe(0);
    authority.replace = () => undefined;
  });
});

describe("nodes", () => {
  /** Texts of all nodes, by their ids. */
  let texts: Map<string, string>;
  let leases: TestLeases;
  const looks: string[] = [];
  beforeEach(() => {
    looks.length = 0;
    texts = new Map();
    leases = leasesOf(clock);
  });
  const startNode = (name: string, changes: Partial<Choices> = {}) =>
    start(
      { ...changes, dataDir: join(dataDir, name) },
      {
        nodes: leases.node(name),
        answers,
        seen: answers,
        look: async () => void looks.push(name),
        read: async (id) => texts.get(id),
        write: async (id, text) => void texts.set(id, text),
      },
    );
  const certificateOf = (name: string) => readIssued(issuedFile(join(dataDir, name)), clock.now())?.certificatePem;

  test("use the certificate that one of them orders, with one account", async () => {
    const [a, b] = [startNode("a"), startNode("b")];
    await Promise.all([a.succeeded(), b.succeeded()]);
    expect(authority.contacts).toHaveLength(1);
    clock.advance(60_000);
    await Promise.all([a.succeeded(), b.succeeded()]);
    expect(certificateOf("b")).toBe(certificateOf("a"));
    expect([...a.lines, ...b.lines].toSorted()).toEqual([
      "certificate issued",
      "certificate of another node in use",
      "reloaded",
      "reloaded",
    ]);
    // A node that starts again with an empty data folder.
    const c = startNode("c");
    await c.succeeded();
    expect([certificateOf("c"), authority.contacts.length]).toEqual([certificateOf("a"), 1]);
    const account = texts.get("account");
    clock.stepWall(61 * dayMs);
    clock.advance(60_000);
    await until(() => authority.contacts.length === 2);
    await Promise.all([a, b, c].map((node) => node.succeeded()));
    clock.advance(60_000);
    await Promise.all([a, b, c].map((node) => node.succeeded()));
    expect(new Set(["a", "b", "c"].map(certificateOf)).size).toBe(1);
    expect([texts.get("account"), authority.contacts.length]).toEqual([account, 2]);
    await Promise.all([a, b, c].map((node) => node.stop()));
  });

  test("order on another node when the one that orders has died", async () => {
    authority.replace = (path, [status, body]) =>
      path.startsWith("/authorization") ? [status, { ...(body as object), status: "processing" }] : undefined;
    const a = startNode("a");
    await until(() => answers.size > 0);
    leases.kill("a");
    await a.stop();
    authority.replace = () => undefined;
    const b = startNode("b");
    await b.succeeded();
    expect(certificateOf("b")).toBeUndefined();
    for (let seconds = 0; seconds < 30; seconds += 10) {
      clock.advance(10_000);
      await b.succeeded();
    }
    expect(certificateOf("b")).toBeDefined();
    await b.stop();
  });

  test("try again together, once in a quarter of an hour, after a failure", async () => {
    authority.challengePort = 1;
    const [a, b] = [startNode("a"), startNode("b")];
    await until(() => [a, b].some((node) => node.state()?.state === "failing"));
    for (let minute = 0; minute < 14; minute += 1) {
      clock.advance(60_000);
      await Promise.resolve();
    }
    expect(authority.contacts).toHaveLength(1);
    authority.challengePort = (listener.address() as AddressInfo).port;
    clock.advance(2 * 60_000);
    await until(() => authority.contacts.length === 2 && texts.size === 2);
    await Promise.all([a.stop(), b.stop()]);
  });

  test("know challenges in advance where the HTTPS port answers them, before the authority is asked", async () => {
    const asked: string[] = [];
    authority.onValidate = () => void asked.push(...answers.keys());
    const a = startNode("a", { acmePort: null });
    await until(() => answers.has("mx.corp.example"));
    for (let second = 0; second < 5; second += 1) {
      clock.advance(1000);
      await setImmediate();
    }
    expect([looks, asked]).toEqual([["a", "a"], []]);
    clock.advance(1000);
    await until(() => a.state()?.state === "failing");
    expect(asked).toEqual(["mx.corp.example"]);
    authority.onValidate = () => undefined;
    await a.stop();
    clock.advance(10_000);
    expect(looks).toHaveLength(3);
  });

  test("share a certificate that one had before there were others", async () => {
    const alone = start({ dataDir: join(dataDir, "a") });
    await alone.succeeded();
    await alone.stop();
    const a = startNode("a");
    await a.succeeded();
    const b = startNode("b");
    await b.succeeded();
    expect([certificateOf("b"), authority.contacts.length]).toEqual([certificateOf("a"), 1]);
    await Promise.all([a.stop(), b.stop()]);
  });

  test("use no certificate for other names, nor one that is expired or unreadable", async () => {
    const a = startNode("a");
    await a.succeeded();
    const b = startNode("b", { publicUrl: "https://mail.corp.example" });
    await until(() => certificateOf("b") !== undefined);
    expect(certificateOf("b")).not.toBe(certificateOf("a"));
    const certificates = [...texts.keys()].filter((id) => id !== "account");
    expect(certificates).toHaveLength(2);
    for (const id of certificates) texts.set(id, "unreadable");
    clock.advance(60_000);
    await Promise.all([a.succeeded(), b.succeeded()]);
    expect(certificates.map((id) => texts.get(id))).not.toContain("unreadable");
    expect(authority.contacts).toHaveLength(2);
    await Promise.all([a.stop(), b.stop()]);
  });
});

test("orders the certificate for the host names that senders and browsers use", () => {
  const namesOf = (changes: Partial<Choices>) => certificateNames(configFrom({ ...choices, ...changes }));
  expect(namesOf({})).toEqual(["mx.corp.example", "mta-sts.corp.example"]);
  expect(namesOf({ mtaSts: "off", publicUrl: "http://mail.corp.example" })).toEqual(["mx.corp.example"]);
  expect(namesOf({ mtaSts: "off", publicUrl: "https://[2001:db8::1]" })).toEqual(["mx.corp.example"]);
  expect(namesOf({ mtaSts: "off", publicUrl: "https://192.0.2.1" })).toEqual(["mx.corp.example"]);
  expect(namesOf({ publicUrl: "https://mx.corp.example" })).toEqual(["mx.corp.example", "mta-sts.corp.example"]);
});

describe("onOneNode", () => {
  let leases: TestLeases;
  const { signal } = new AbortController();
  beforeEach(() => {
    leases = leasesOf(clock);
  });

  /** Runs an action on a node; returns whether it ran. */
  async function run(node: string, action: () => Promise<void> = async () => undefined): Promise<boolean> {
    let hasRun = false;
    await onOneNode(leases.node(node), { clock, signal }, async () => {
      hasRun = true;
      await action();
    });
    return hasRun;
  }

  test("runs an action on one node at a time, for as long as it takes", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = run("a", () => promise);
    for (let second = 0; second < 300; second += 5) {
      expect(await run("b")).toBe(false);
      clock.advance(5000);
    }
    resolve();
    expect(await first).toBe(true);
    expect(await run("b")).toBe(true);
    expect(clock.appointmentCount).toBe(0);
  });

  test("runs it on another node half a minute after the death of the one that did", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = run("a", () => promise);
    leases.kill("a");
    clock.advance(29_999);
    expect(await run("b")).toBe(false);
    clock.advance(1);
    expect(await run("b")).toBe(true);
    resolve();
    await first;
  });

  test("lets all nodes wait after a failure, and the node that failed try again", async () => {
    const failure = new Error("refused");
    await expect(run("a", () => Promise.reject(failure))).rejects.toBe(failure);
    clock.advance(orderRetryMs - 1);
    expect([await run("b"), await run("a")]).toEqual([false, true]);
    await expect(run("a", () => Promise.reject(failure))).rejects.toBe(failure);
    clock.advance(orderRetryMs);
    expect(await run("b")).toBe(true);
  });

  test("lets another node run it at once when the node stops", async () => {
    const stopping = new AbortController();
    const stopped = onOneNode(leases.node("a"), { clock, signal: stopping.signal }, async () => {
      stopping.abort();
      throw new Error("aborted");
    });
    await expect(stopped).rejects.toThrow("aborted");
    expect(await run("b")).toBe(true);
    expect(clock.appointmentCount).toBe(0);
  });

  test("goes on when the lease cannot be renewed", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = run("a", () => promise);
    leases.isAway = true;
    clock.advance(60_000);
    leases.isAway = false;
    resolve();
    expect(await first).toBe(true);
  });

  test("runs it without nodes", async () => {
    let count = 0;
    await onOneNode(null, { clock, signal }, async () => void (count += 1));
    expect(count).toBe(1);
  });
});
