/** Latency from the 250 to the response of a waiting search, and the cost of waiting. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import MailosaurClient from "mailosaur";
import { benchKey, benchServer, processorMs, startBareHttp, startService, type Program } from "./child.ts";
import { HttpClient } from "./http-load.ts";
import { latencyRow, printTable } from "./report.ts";
import { Conversation } from "./senders.ts";

const waiterCounts = [1, 100, 10_000];
/** Limits above the number of searches that wait, all with one key. */
const limits = { RESTANTE_LIMIT_WAITER_COUNT_PER_KEY: "20000", RESTANTE_LIMIT_REQUEST_COUNT_PER_KEY: "20000" };
const samples = 300;
const officialRounds = 6;
const officialAtOnce = 10;
const idleMs = 5000;
/** Pause between two mails to other recipients in milliseconds: about 150 mails per second. */
const pourPauseMs = 5;
const authorization = `Authorization: Bearer ${benchKey}\r\n`;
const domain = `${benchServer}.restante.test`;
const mail = Buffer.from("From: a@app.example\r\nSubject: Your code\r\n\r\nYour code is 804 219\r\n");

/** Measures growing numbers of waiting searches, an official client, and the floor: one request over loopback. */
export async function benchWait(): Promise<void> {
  const floor = await measureFloor();
  const row = (name: string, figures: readonly number[]): string[] => latencyRow(name, figures, floor);
  const rows: string[][] = [row("request over loopback to bare node:http", floor)];
  let idleCost = "";
  for (const count of waiterCounts) {
    const service = await startService("source", limits);
    const crowd = await Crowd.gather(service.httpPort, count);
    if (count === Math.max(...waiterCounts)) idleCost = await measureIdle(service, count);
    const latencies = await whilePouring(service, async () => crowd.measure(service.smtpPort));
    rows.push(row(`search?timeout=, ${count.toLocaleString("en")} waiting`, latencies));
    crowd.leave();
    await service.stop();
  }
  rows.push(row("get() of the official client, whole message", await measureOfficial()));
  printTable(
    "From the 250 to the response of a waiting search, milliseconds",
    ["", "p50", "p99", "p50 to floor"],
    rows,
  );
  process.stdout.write(`\n${idleCost}\n`);
}

async function measureFloor(): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), "restante-bench-"));
  writeFileSync(join(folder, "body"), "[]");
  const bare = await startBareHttp(join(folder, "body"));
  const client = await HttpClient.open(bare.httpPort);
  const figures: number[] = [];
  for (let number = 0; number < samples; number += 1) {
    const startedAt = performance.now();
    await client.get("/", "");
    figures.push(performance.now() - startedAt);
  }
  client.close();
  await bare.stop();
  rmSync(folder, { recursive: true });
  return figures;
}

/** Waiting searches, one per address; each waits again after its mail. */
class Crowd {
  readonly #clients: readonly HttpClient[];
  readonly #onAnswer = new Map<number, (answeredAt: number) => void>();

  private constructor(clients: readonly HttpClient[]) {
    this.#clients = clients;
    for (const [number, client] of clients.entries()) void this.#wait(number, client);
  }

  /** Resolves when all searches wait. */
  static async gather(port: number, count: number): Promise<Crowd> {
    const clients: HttpClient[] = [];
    for (let opened = 0; opened < count; opened += 100) {
      const some = Array.from({ length: Math.min(100, count - opened) }, async () => HttpClient.open(port));
      clients.push(...(await Promise.all(some)));
    }
    const crowd = new Crowd(clients);
    await pause(1000 + count / 4);
    return crowd;
  }

  /** Sends one mail to each in sequence; returns the milliseconds from each 250 to the response. */
  async measure(smtpPort: number): Promise<readonly number[]> {
    const sender = await Conversation.open(smtpPort);
    const figures: number[] = [];
    for (let sample = 0; sample < samples; sample += 1) {
      const number = (sample * 7919) % this.#clients.length;
      const answered = new Promise<number>((resolve) => this.#onAnswer.set(number, resolve));
      await sender.send(`w${String(number)}@${domain}`, mail);
      const acceptedAt = performance.now();
      // Both responses may arrive in the same read of this process; the latency is then zero.
      figures.push(Math.max(0, (await answered) - acceptedAt));
      await pause(5);
    }
    await sender.quit();
    return figures;
  }

  leave(): void {
    for (const client of this.#clients) client.close();
  }

  async #wait(number: number, client: HttpClient): Promise<void> {
    const sentTo = `w${String(number)}@${domain}`;
    for (;;) {
      const receivedAfter = String(Date.now());
      const path = `/api/messages/search?server=${benchServer}&timeout=60000&receivedAfter=${receivedAfter}`;
      const body = await client.post(path, authorization, JSON.stringify({ sentTo }));
      if (body.length > 2) this.#onAnswer.get(number)?.(performance.now());
    }
  }
}

async function measureIdle({ pid }: Program, count: number): Promise<string> {
  const before = processorMs(pid);
  await pause(idleMs);
  const percent = ((processorMs(pid) - before) / idleMs) * 100;
  return `${count.toLocaleString("en")} waiting and nothing arriving: ${percent.toFixed(1)} % of one core.`;
}

async function whilePouring<T>({ smtpPort }: Program, action: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const pour = async (): Promise<void> => {
    const sender = await Conversation.open(smtpPort);
    for (let number = 0; !stop.signal.aborted; number += 1) {
      await sender.send(`other${String(number)}@${domain}`, mail);
      await pause(pourPauseMs);
    }
    await sender.quit();
  };
  const pouring = pour();
  const result = await action();
  stop.abort();
  await pouring;
  return result;
}

/** Measures the official client with the redirect module, so that no proxy is included. */
async function measureOfficial(): Promise<readonly number[]> {
  const service = await startService();
  await import("../src/testing/redirect.ts");
  process.env["RESTANTE_REDIRECT_URL"] = `http://127.0.0.1:${String(service.httpPort)}`;
  const client = new MailosaurClient(benchKey);
  const sender = await Conversation.open(service.smtpPort);
  const figures: number[] = [];
  const one = async (name: string): Promise<void> => {
    const sentTo = `${name}@${domain}`;
    const answered = client.messages.get(benchServer, { sentTo }).then(() => performance.now());
    await pause(1100 + Math.random() * 1500);
    const accepted = await turn(async () => {
      await sender.send(sentTo, mail);
      return performance.now();
    });
    figures.push(Math.max(0, (await answered) - accepted));
  };
  let last: Promise<unknown> = Promise.resolve();
  const turn = async <T>(action: () => Promise<T>): Promise<T> => {
    const mine = last.then(action);
    last = mine;
    return mine;
  };
  for (let round = 0; round < officialRounds; round += 1) {
    await Promise.all(Array.from({ length: officialAtOnce }, async (_, at) => one(`o${String(round)}-${String(at)}`)));
  }
  await sender.quit();
  await service.stop();
  return figures;
}
