/** Benchmarks of the whole service over SMTP and HTTP: on SQLite, and with one and two nodes on PostgreSQL. */
import { setTimeout as pause } from "node:timers/promises";
import { benchKey, benchServer, processorMs, startService, type Program } from "../child.ts";
import { HttpClient } from "../http-load.ts";
import { median, printTable, whole } from "../report.ts";
import { Conversation, sendLoad } from "../senders.ts";
import type { MeasuredPostgres } from "./server.ts";

const senderCount = 20;
const sampleCount = 200;
/** Mails after which V8 has compiled the hot code, which happens once per process. */
const warmUpCount = 4000;
const domain = `${benchServer}.restante.test`;
const mail = Buffer.from("From: a@app.example\r\nSubject: Your code\r\n\r\nYour code is 804 219\r\n");

/** Measures accepted mails per second, and the CPU time of each. */
export async function benchIngest(postgres: MeasuredPostgres, mailCount: number): Promise<void> {
  const rows = [await measureIngest("embedded", { nodes: [await startService()], postgres, mailCount })];
  for (const nodeCount of [1, 2]) {
    const url = await postgres.createDatabase();
    const nodes = await startNodes(url, nodeCount);
    rows.push(
      await measureIngest(`PostgreSQL, ${nodeCount} node${nodeCount > 1 ? "s" : ""}`, { nodes, postgres, mailCount }),
    );
    await postgres.dropDatabase(url);
  }
  const units = ["mails per second", "node CPU, µs per mail", "database CPU, µs per mail", "of which kernel"];
  const head = ["26 kB, 20 kept connections a node", ...units];
  printTable("Mail in, one server (targets: 500 and 400)", head, rows);
}

/** Measures the latency from the 250 of one node to the response of a waiting search on another. */
export async function benchWakeUp(postgres: MeasuredPostgres): Promise<void> {
  const [one, other] = await startNodes(await postgres.createDatabase(), 2);
  if (one === undefined || other === undefined) return;
  const rows: string[][] = [];
  for (const [name, waitsOn] of [
    ["on the same node", one],
    ["on another node", other],
  ] as const) {
    const figures = await measureWakeUp(one, waitsOn);
    const p99 = figures.toSorted((a, b) => a - b)[Math.floor(figures.length * 0.99)] ?? Number.NaN;
    rows.push([name, median(figures).toFixed(2), p99.toFixed(2)]);
  }
  await Promise.all([one.stop(), other.stop()]);
  printTable("From the 250 to the response of a waiting search, milliseconds", ["waiter", "p50", "p99"], rows);
}

async function startNodes(url: string, count: number): Promise<readonly Program[]> {
  const settings = {
    RESTANTE_DATABASE_URL: url,
    RESTANTE_SECRET_KEY: "a-secret-key-for-benchmarks",
    // Background indexing varies between runs; \`--text-index\` measures its cost.
    RESTANTE_SEARCH_INDEX: "off",
  };
  const nodes: Program[] = [];
  for (let number = 0; number < count; number += 1) nodes.push(await startService("source", settings));
  return nodes;
}

async function measureIngest(
  name: string,
  run: { readonly nodes: readonly Program[]; readonly postgres: MeasuredPostgres; readonly mailCount: number },
): Promise<string[]> {
  const { nodes, postgres, mailCount } = run;
  const send = async (mails: number): Promise<void> => {
    await Promise.all(
      nodes.map(async ({ smtpPort }) => {
        await sendLoad({
          port: smtpPort,
          domain,
          senders: senderCount,
          keepsConnection: true,
          mails: mails / nodes.length,
        });
      }),
    );
  };
  const used = (): number => nodes.reduce((sum, { pid }) => sum + processorMs(pid), 0);
  try {
    await send(warmUpCount * nodes.length);
    const before = { node: used(), database: postgres.processorTime(), at: performance.now() };
    await send(mailCount);
    const seconds = (performance.now() - before.at) / 1000;
    const perMail = (milliseconds: number): string => whole((milliseconds * 1000) / mailCount);
    const { allMs, kernelMs } = postgres.processorTime();
    const database = [perMail(allMs - before.database.allMs), perMail(kernelMs - before.database.kernelMs)];
    const shown = name === "embedded" ? ["–", "–"] : database;
    return [name, whole(mailCount / seconds), perMail(used() - before.node), ...shown];
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
}

async function measureWakeUp(receives: Program, waitsOn: Program): Promise<readonly number[]> {
  const sender = await Conversation.open(receives.smtpPort);
  const client = await HttpClient.open(waitsOn.httpPort);
  const figures: number[] = [];
  for (let sample = 0; sample < sampleCount; sample += 1) {
    const sentTo = `w${sample}-${waitsOn.pid}@${domain}`;
    const path = `/api/messages/search?server=${benchServer}&timeout=20000`;
    const headers = `Authorization: Bearer ${benchKey}\r\n`;
    const answered = client.post(path, headers, JSON.stringify({ sentTo })).then(() => performance.now());
    await pause(20);
    await sender.send(sentTo, mail);
    const acceptedAt = performance.now();
    // Both responses may arrive in the same read of this process; the latency is then zero.
    figures.push(Math.max(0, (await answered) - acceptedAt));
  }
  await sender.quit();
  client.close();
  return figures;
}
