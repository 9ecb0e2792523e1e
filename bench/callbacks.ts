/**
 * Measures deliveries of callbacks to one receiver: `taskset -c 0,1 npm run bench:callbacks`, or `-- --events=1000` for
 * fewer events per round. The floor posts bodies of the same size with plain `node:http` over as many kept connections, in
 * interleaved rounds, because machines are shared. CPU time includes storing the outcomes.
 */
import { execFile } from "node:child_process";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { benchKey, benchServer, processorMs, startCallbackReceiver, startService, type Program } from "./child.ts";
import { median, printTable, ratio, whole } from "./report.ts";

interface Round {
  readonly rate: number;
  readonly cpu: number;
}

const roundCount = 3;
/** Concurrency that a receiver which responds reaches. */
const connections = 16;
const hangingCount = 30;
const eventCount = Number(process.argv[2]?.replace(/^--events=/, "") ?? 5000);
if (!Number.isInteger(eventCount) || eventCount < 100 || eventCount > 10_000) {
  throw new Error("--events is a whole number from 100 to 10000");
}

process.stdout.write(`Node ${process.version}, ${String(availableParallelism())} cores, ${cpus()[0]?.model ?? "?"}\n`);
const receiver = await startCallbackReceiver();
const service = await startService();
try {
  const receiverUrl = `http://127.0.0.1:${String(receiver.httpPort)}`;
  const webhook = await addWebhook(service, `${receiverUrl}/events`);
  await pingAll(service, webhook, eventCount);
  await untilReceived(eventCount);
  const bodyBytes = await bodyBytesOf(service, webhook);
  const floors: Round[] = [];
  const rounds: Round[] = [];
  for (let round = 0; round < roundCount; round += 1) {
    floors.push(await postFloor(`${receiverUrl}/floor`, bodyBytes));
    rounds.push(await replayRound(webhook));
  }
  for (let number = 0; number < hangingCount; number += 1) {
    await pingAll(service, await addWebhook(service, `${receiverUrl}/hang/${String(number)}`), 20);
  }
  const besideHanging = await replayRound(webhook);
  printRounds([
    ["plain node:http", floors],
    ["callbacks", rounds],
    [`callbacks beside ${String(hangingCount)} receivers that hang`, [besideHanging]],
  ]);
} finally {
  await service.stop();
  await receiver.stop();
}

function printRounds(rows: readonly (readonly [name: string, rounds: readonly Round[]])[]): void {
  const medians = rows.map(([name, rounds]) => ({
    name,
    rate: median(rounds.map(({ rate }) => rate)),
    cpu: median(rounds.map(({ cpu }) => cpu)),
  }));
  const floor = medians[0] ?? { rate: Number.NaN, cpu: Number.NaN };
  printTable(
    "Callbacks to one receiver (target: 1,000 a second on two cores)",
    ["events", "a second", "CPU µs an event", "rate to floor", "CPU to floor"],
    medians.map(({ name, rate, cpu }) => [
      name,
      whole(rate),
      whole(cpu),
      ratio(rate, floor.rate),
      ratio(cpu, floor.cpu),
    ]),
  );
}

/** Delivers all events again. */
async function replayRound(webhook: string): Promise<Round> {
  await untilIdle(service);
  const countBefore = await receivedCount();
  const cpuBefore = processorMs(service.pid);
  const startedAt = performance.now();
  const { replayed } = await ask<{ replayed: number }>(service, "POST deliveries/replay", {
    target: webhook,
    status: "Delivered",
  });
  await untilReceived(countBefore + replayed);
  const rate = (replayed / (performance.now() - startedAt)) * 1000;
  await untilIdle(service);
  return { rate, cpu: ((processorMs(service.pid) - cpuBefore) * 1000) / replayed };
}

async function postFloor(url: string, bodyBytes: number): Promise<Round> {
  const file = join(import.meta.dirname, "bare-callback-sender.ts");
  const numbers = [eventCount, connections, bodyBytes].map(String);
  const { stdout } = await promisify(execFile)(process.execPath, [file, url, ...numbers]);
  const [rate = Number.NaN, cpu = Number.NaN] = stdout.trim().split(" ").map(Number);
  return { rate, cpu };
}

async function ask<Answer>({ httpPort }: Program, line: string, body?: object): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const headers = { authorization: `Bearer ${benchKey}`, "content-type": "application/json" };
  const response = await fetch(`http://127.0.0.1:${String(httpPort)}/api/servers/${benchServer}/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${line}: ${String(response.status)} ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function addWebhook(program: Program, url: string): Promise<string> {
  return (await ask<{ id: string }>(program, "POST webhooks", { url })).id;
}

async function pingAll(program: Program, webhook: string, count: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await ask(program, `POST webhooks/${webhook}/ping`);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
}

async function bodyBytesOf(program: Program, webhook: string): Promise<number> {
  const [first] = await ask<{ id: string }[]>(program, `GET deliveries?target=${webhook}&itemsPerPage=1`);
  const { request } = await ask<{ request: { body: string } }>(program, `GET deliveries/${first?.id ?? ""}`);
  return Buffer.byteLength(request.body);
}

async function receivedCount(): Promise<number> {
  return Number(await (await fetch(`http://127.0.0.1:${String(receiver.httpPort)}/count`)).text());
}

/** Waits until the receiver has had so many requests; at most five minutes. */
async function untilReceived(count: number): Promise<void> {
  for (let attempt = 0; attempt < 6000; attempt += 1) {
    if ((await receivedCount()) >= count) return;
    await pause(50);
  }
  throw new Error("the events did not arrive");
}

/** Waits until the service has used less than a tenth of a core for half a second; at most a minute. */
async function untilIdle({ pid }: Program): Promise<void> {
  for (let attempt = 0; attempt < 120; attempt += 1) {
    const before = processorMs(pid);
    await pause(500);
    if (processorMs(pid) - before < 50) return;
  }
}
