/** Nodes and their database killed under load: nothing acknowledged is lost or duplicated. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { EmbeddedPostgres } from "../../src/store/postgres/embedded-postgres.test-aid.ts";
import { expectWhole, sendMails, storedMarks } from "./mail-senders.ts";

const key = "a-key-for-journeys";
const server = "outg1234";
const settings = {
  RESTANTE_API_KEY: key,
  RESTANTE_SECRET_KEY: "a-secret-key-for-journeys",
  RESTANTE_SERVERS: `${server}:Outages`,
  RESTANTE_LIMIT_WAIT_MS: "600000",
  RESTANTE_LOG: "info",
};

let folder: string;
let postgres: EmbeddedPostgres;
let databaseUrl: string;
beforeAll(async () => {
  postgres = await EmbeddedPostgres.start({ durable: true });
});
afterAll(async () => {
  await postgres.stop();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-outages-"));
  databaseUrl = await postgres.createDatabase();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const environment = (): Record<string, string> => ({ ...settings, RESTANTE_DATABASE_URL: databaseUrl });

function start(name: string): Promise<ServiceProcess> {
  return ServiceProcess.start([`--data-dir=${join(folder, name)}`], { environment: environment() });
}

test("loses no acknowledged message when a node is killed during ingest", async () => {
  const [doomed, other] = await Promise.all([
    start("a"),
    LocalService.start([`--data-dir=${join(folder, "b")}`], environment()),
  ]);
  await using survivor = other;
  let count = 0;
  let isOver = false;
  void doomed.ended.then(() => (isOver = true));
  const senders = [doomed, doomed, doomed, survivor].map(async (node, index) =>
    sendMails({ node, server }, `n${String(index)}`, () => {
      count += 1;
      if (count === 150) doomed.signal("SIGKILL");
      return !isOver;
    }),
  );
  const sent = await Promise.all(senders);
  expect(sent.flatMap(({ accepted }) => accepted).length).toBeGreaterThan(100);
  expectWhole(await storedMarks({ node: survivor, server }, key), sent);
  await survivor.send(`x@${server}.test`, "Afterwards");
  expect((await survivor.subjects(server, key))[0]).toBe("Afterwards");
});

test("answers SMTP with 451 and HTTP with 503 during a database outage, then resumes with waiting searches intact", async () => {
  const [one, other] = await Promise.all([start("a"), start("b")]);
  await using a = one;
  await using b = other;
  const waiting = b.fetch(`/api/messages/search?server=${server}&timeout=600000`, key, {
    method: "POST",
    body: JSON.stringify({ subject: "the awaited" }),
  });
  const metric = async (node: ServiceProcess, name: string): Promise<string | undefined> =>
    new RegExp(`^${name} (\\S+)$`, "m").exec(await (await node.fetch("/metrics", "")).text())?.[1];
  await expect.poll(async () => metric(b, "restante_waiting_searches")).toBe("1");

  let isOver = false;
  let count = 0;
  let killed: Promise<void> | undefined;
  const senders = [a, a, b, b].map(async (node, index) =>
    sendMails({ node, server }, `d${String(index)}`, () => {
      count += 1;
      if (count === 100) killed = postgres.kill();
      return !isOver;
    }),
  );
  await expect.poll(() => killed !== undefined).toBe(true);
  await killed;
  await expect.poll(async () => (await a.fetch("/readyz", "")).status).toBe(503);
  expect((await a.fetch("/healthz", "")).status).toBe(200);
  const refused = await a.fetch(`/api/messages?server=${server}`, key);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await refused.json()).toMatchObject({ type: "Unavailable", status: 503 });
  expect(await metric(a, "restante_store_reachable")).toBe("0");
  await using dialogue = await a.greet();
  await dialogue.play(["EHLO test", "250"], ["MAIL FROM:<a@b.example>", "250"], [`RCPT TO:<x@${server}.test>`, "451"]);

  await postgres.restart();
  for (const node of [a, b]) {
    await expect.poll(async () => (await node.fetch("/readyz", "")).status).toBe(200);
  }
  await dialogue.play([`RCPT TO:<x@${server}.test>`, "250"], ["DATA", "354"], ["Subject: Back\r\n\r\n.", "250"]);
  const before = count;
  await expect.poll(() => count).toBeGreaterThan(before + 40);
  isOver = true;
  const sent = await Promise.all(senders);
  expect(sent.flatMap(({ accepted }) => accepted).length).toBeGreaterThan(100);
  expect(sent.flatMap(({ refused: ones }) => ones).length).toBeGreaterThan(0);
  const stored = await storedMarks({ node: b, server }, key);
  expectWhole(
    stored.filter((mark) => mark !== "Back"),
    sent,
  );

  for (const node of [a, b]) {
    const told = node.errors.match(/database (?:unreachable|reachable again)/g);
    expect(told).toEqual(["database unreachable", "database reachable again"]);
    // Hundreds were rejected; one line each would flood the log.
    expect(node.errors.match(/"code":"unavailable"/g)?.length ?? 0).toBeLessThanOrEqual(1);
  }

  await a.send(`x@${server}.test`, "This is the awaited mail");
  const found = (await (await waiting).json()) as { subject: string }[];
  expect(found.map(({ subject }) => subject)).toEqual(["This is the awaited mail"]);
});
