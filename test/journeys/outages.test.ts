/** Nodes and their database killed under load: nothing acknowledged is lost or duplicated. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import type { SmtpDialogue } from "../../src/testing/smtp-dialogue.ts";
import { EmbeddedPostgres } from "../../src/store/postgres/embedded-postgres.test-aid.ts";

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

/** Outcome of the messages of one sender. */
interface Sent {
  /** Acknowledged with 250. */
  readonly accepted: string[];
  /** Rejected: certainly not stored. */
  readonly refused: string[];
}

/** Sends distinct messages in sequence, each over a new connection, until stopped or the node exits. */
async function sendMails(node: ServiceAccess, sender: string, goesOn: () => boolean): Promise<Sent> {
  const sent: Sent = { accepted: [], refused: [] };
  for (let number = 0; goesOn(); number += 1) {
    const mark = `${sender}-${String(number)}`;
    try {
      await using dialogue = await node.greet();
      ((await isTaken(dialogue, mark)) ? sent.accepted : sent.refused).push(mark);
    } catch {
      // The connection broke: it is unknown whether the message was stored.
      await turn();
    }
  }
  return sent;
}

async function isTaken(dialogue: SmtpDialogue, mark: string): Promise<boolean> {
  const lines = ["EHLO test", "MAIL FROM:<a@b.example>", `RCPT TO:<x@${server}.test>`, "DATA"];
  for (const line of lines) {
    await dialogue.write(`${line}\r\n`);
    const reply = await dialogue.reply();
    if (reply.startsWith("451")) return false;
    expect(reply).toMatch(/^[23]/);
  }
  await dialogue.write(`Subject: ${mark}\r\n\r\n${mark} `.concat("x".repeat(2000), "\r\n.\r\n"));
  const reply = await dialogue.reply();
  expect(reply).toMatch(/^(?:250|451)/);
  return reply.startsWith("250");
}

async function storedMarks(node: ServiceAccess): Promise<readonly string[]> {
  const marks: string[] = [];
  for (let page = 0; ; page += 1) {
    const path = `/api/messages?server=${server}&itemsPerPage=1000&page=${String(page)}`;
    const found = (await (await node.fetch(path, key)).json()) as { subject: string }[];
    marks.push(...found.map(({ subject }) => subject));
    if (found.length < 1000) return marks;
  }
}

function expectWhole(stored: readonly string[], all: readonly Sent[]): void {
  const accepted = all.flatMap((one) => one.accepted);
  const held = new Set(stored);
  expect(accepted.filter((mark) => !held.has(mark))).toEqual([]);
  expect(held.size).toBe(stored.length);
  expect(all.flatMap((one) => one.refused).filter((mark) => held.has(mark))).toEqual([]);
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
    sendMails(node, `n${String(index)}`, () => {
      count += 1;
      if (count === 150) doomed.signal("SIGKILL");
      return !isOver;
    }),
  );
  const sent = await Promise.all(senders);
  expect(sent.flatMap(({ accepted }) => accepted).length).toBeGreaterThan(100);
  expectWhole(await storedMarks(survivor), sent);
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
    sendMails(node, `d${String(index)}`, () => {
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
  const stored = await storedMarks(b);
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
