/** Search as one types in a server of 100,000 messages, over HTTP, as the search box of the web UI sends it. */
import { setTimeout as pause } from "node:timers/promises";
import { benchKey, benchServer, processorMs, startService, type Program } from "./child.ts";
import { prose, seededRandom } from "./realistic-mail.ts";
import { median, printTable, ratio } from "./report.ts";
import { Conversation } from "./senders.ts";

const messageCount = 100_000;
const senderCount = 500;
const connectionCount = 20;
const bodyWords = 60;
/** The only message with the rare word and the code. */
const rareAt = 4711;
const rounds = 3;
const indexPollMs = 500;

const typed: readonly (readonly [name: string, text: string])[] = [
  ["word of every message", "your order"],
  ["word of one subject", "zebracorn"],
  ["sender", "sender42@"],
  ["part of a recipient", "u4711@"],
  ["code of one body", "804219"],
  ["word of no message", "xqzwxq"],
  ["operator", "from:sender42 order"],
];

/** Measures each request while texts are typed letter by letter; the floor is a page of the list. */
export async function benchTyping(): Promise<void> {
  const service = await startService();
  try {
    await fill(service);
    await indexed(service);
    await measure(service, "", 0);
    const floor = Array.from({ length: rounds * 10 }, (_, at) => at);
    const lists: number[] = [];
    for (const round of floor) lists.push(await measure(service, "", round));
    const rows: string[][] = [[...row("page of the list", lists, lists), ""]];
    const all: number[] = [];
    for (const [name, text] of typed) {
      const startedMs = processorMs(service.pid);
      const wall = await type(service, text);
      all.push(...wall);
      const cpuMs = (processorMs(service.pid) - startedMs) / wall.length;
      rows.push([...row(name, wall, lists), cpuMs.toFixed(1)]);
    }
    rows.push([...row("all of them", all, lists), ""]);
    printTable(
      "Search as one types, 100,000 messages",
      ["typed letter by letter", "median ms", "p95 ms", "to the list", "CPU ms"],
      rows,
    );
  } finally {
    await service.stop();
  }
}

/** Returns the milliseconds of each request while a text is typed letter by letter. */
async function type(service: Program, text: string): Promise<readonly number[]> {
  const figures: number[] = [];
  for (let at = 0; at < rounds * text.length; at += 1) {
    const length = 1 + (at % text.length);
    figures.push(await measure(service, text.slice(0, length), Math.floor(at / text.length)));
  }
  return figures;
}

function row(name: string, figures: readonly number[], floor: readonly number[]): string[] {
  const p95 = figures.toSorted((a, b) => a - b)[Math.floor(figures.length * 0.95)] ?? Number.NaN;
  return [name, median(figures).toFixed(1), p95.toFixed(1), ratio(median(figures), median(floor))];
}

/** Requests a page for a text; `round` is an irrelevant bound, so that no result is cached. */
async function measure({ httpPort }: Program, q: string, round: number): Promise<number> {
  const parameters = new URLSearchParams({ server: benchServer, itemsPerPage: "100", dir: "Received" });
  parameters.set("receivedAfter", String(round + 1));
  if (q !== "") parameters.set("q", q);
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${String(httpPort)}/api/messages?${parameters.toString()}`, {
    headers: { authorization: `Bearer ${benchKey}` },
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`${q}: ${body}`);
  return performance.now() - startedAt;
}

async function fill({ smtpPort }: Program): Promise<void> {
  const random = seededRandom(1);
  let next = 0;
  const work = async (): Promise<void> => {
    const conversation = await Conversation.open(smtpPort);
    for (let number = next++; number < messageCount; number = next++) {
      const isRare = number === rareAt;
      const subject = `Your order ${prose(random, 3)}${isRare ? " zebracorn" : ""}`;
      const sender = `Sender ${String(number % senderCount)} <sender${String(number % senderCount)}@shop.example>`;
      const body = `${prose(random, bodyWords)}${isRare ? " Code 804219." : ""}`;
      const to = `u${String(number)}@${benchServer}.restante.test`;
      const mail = `From: ${sender}\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\n${body}\r\n`;
      await conversation.send(to, Buffer.from(mail));
    }
    await conversation.quit();
  };
  await Promise.all(Array.from({ length: connectionCount }, work));
}

/** Waits until no message waits for the text index. */
async function indexed({ httpPort }: Program): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${String(httpPort)}/metrics`, {
      headers: { authorization: `Bearer ${benchKey}` },
    });
    const [, backlog] = /^restante_index_backlog (\d+)$/m.exec(await response.text()) ?? [];
    if (backlog === undefined) throw new Error("the metrics name no backlog of the text index");
    if (backlog === "0") return;
    await pause(indexPollMs);
  }
}
