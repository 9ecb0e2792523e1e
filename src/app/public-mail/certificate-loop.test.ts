import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createBackgroundTasks } from "../../core/background-tasks.ts";
import { readIssued } from "../../tls/issued-certificate.ts";
import { AcmeTestServer } from "../../testing/acme-server.test-aid.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { until } from "../../testing/until.test-aid.ts";
import { configFrom } from "../settings/config.ts";
import type { Choices } from "../settings/table.ts";
import { startCertificateLoop } from "./certificate-loop.ts";
import { certificateNames, issuedFile } from "./rules.ts";

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
function start(changes: Partial<Choices> = {}) {
  const tasks = createBackgroundTasks(clock, () => undefined);
  const lines: string[] = [];
  const log = { info: (_: unknown, message: string): void => void lines.push(message) };
  const config = configFrom({ ...choices, ...changes, dataDir });
  const tls = { reload: () => void lines.push("reloaded") };
  const stop = startCertificateLoop(config, authority.directory, { clock, log, tasks, tls, answers });
  const state = () => tasks.states()[0];
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

test("orders the certificate for the host names that senders and browsers use", () => {
  const namesOf = (changes: Partial<Choices>) => certificateNames(configFrom({ ...choices, ...changes }));
  expect(namesOf({})).toEqual(["mx.corp.example", "mta-sts.corp.example"]);
  expect(namesOf({ mtaSts: "off", publicUrl: "http://mail.corp.example" })).toEqual(["mx.corp.example"]);
  expect(namesOf({ mtaSts: "off", publicUrl: "https://[2001:db8::1]" })).toEqual(["mx.corp.example"]);
  expect(namesOf({ mtaSts: "off", publicUrl: "https://192.0.2.1" })).toEqual(["mx.corp.example"]);
  expect(namesOf({ publicUrl: "https://mx.corp.example" })).toEqual(["mx.corp.example", "mta-sts.corp.example"]);
});
