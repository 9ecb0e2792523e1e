import { setTimeout as pause } from "node:timers/promises";
import { benchKey, benchServer, startService, type Program } from "./child.ts";
import { HttpClient } from "./http-load.ts";
import { shortMail } from "./realistic-mail.ts";
import { median, printTable, whole } from "./report.ts";
import { sendLoad } from "./senders.ts";

const mailCount = 9000;
/** Time between two observations. */
const everyMs = 500;
/** Longest observation after the burst. */
const observedMsMax = 90_000;
/** Messages that remain unindexed when the index is at rest. */
const restingBacklog = 256;

const headers = `Authorization: Bearer ${benchKey}\r\n`;

/** One look at the service. */
interface Look {
  readonly isInBurst: boolean;
  readonly listMs: number;
  readonly searchMs: number;
  readonly backlog: number;
}

/**
 * Measures a search for a text that no mail has, in and straight after a burst of mails of 4 kB that share no words, beside a
 * list of 50 at the same moment. Target: 10 times the list and 2 µs for each message that is not indexed yet.
 */
export async function benchBurst(): Promise<void> {
  const service = await startService();
  try {
    const looks: Look[] = [];
    const client = await HttpClient.open(service.httpPort);
    let endedAt = Infinity;
    const burst = sendBurst(service).finally(() => {
      endedAt = performance.now();
    });
    let number = 0;
    for (;;) {
      const look = await observe(client, endedAt === Infinity, (number += 1));
      looks.push(look);
      const isOver = !look.isInBurst && (look.backlog <= restingBacklog || performance.now() - endedAt > observedMsMax);
      if (isOver) break;
      await pause(everyMs);
    }
    const rate = await burst;
    client.close();
    const caughtUp = ((performance.now() - endedAt) / 1000).toFixed(0);
    const title = `Search for an absent text around a burst of ${whole(mailCount)} mails of 4 kB (${whole(rate)} a second; indexed ${caughtUp} s after it)`;
    const head = [
      "",
      "looks",
      "unindexed at most",
      "list, ms",
      "search, ms",
      "search at most, ms",
      "most of the target",
    ];
    printTable(title, head, [
      row(
        "during the burst",
        looks.filter((look) => look.isInBurst),
      ),
      row(
        "after the burst",
        looks.filter((look) => !look.isInBurst),
      ),
    ]);
  } finally {
    await service.stop();
  }
}

async function sendBurst({ smtpPort }: Program): Promise<number> {
  const mails = Array.from({ length: mailCount }, (_, seed) => shortMail("reader@app.example", seed));
  const load = { port: smtpPort, domain: `${benchServer}.restante.test`, senders: 20, keepsConnection: true };
  return sendLoad({ ...load, mails: mailCount, mail: (number) => mails[number] ?? Buffer.alloc(0) });
}

async function observe(client: HttpClient, isInBurst: boolean, number: number): Promise<Look> {
  const messages = `/api/messages?server=${benchServer}`;
  const listMs = await timed(client, `${messages}&receivedAfter=${String(number)}`);
  const searchMs = await timed(client, `${messages}&q=absent${String(number)}qxzj`);
  const metrics = (await client.get("/metrics", headers)).toString();
  const [, backlog] = /^restante_index_backlog\S* (\d+)$/m.exec(metrics) ?? [];
  if (backlog === undefined) throw new Error("the metrics name no backlog of the text index");
  return { isInBurst, listMs, searchMs, backlog: Number(backlog) };
}

async function timed(client: HttpClient, path: string): Promise<number> {
  const startedAt = performance.now();
  await client.get(path, headers);
  return performance.now() - startedAt;
}

function row(name: string, looks: readonly Look[]): string[] {
  const most = (figures: readonly number[]): number => Math.max(...figures, 0);
  const searches = looks.map(({ searchMs }) => searchMs);
  const list = median(looks.map(({ listMs }) => listMs));
  const shares = looks.map(({ searchMs, backlog }) => searchMs / (10 * list + backlog * 0.002));
  return [
    name,
    String(looks.length),
    whole(most(looks.map(({ backlog }) => backlog))),
    list.toFixed(1),
    median(searches).toFixed(1),
    most(searches).toFixed(1),
    `${most(shares).toFixed(1)}×`,
  ];
}
