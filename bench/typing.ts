/** Search as one types, and counts of filtered lists, in a server of 100,000 messages, over HTTP as the web UI sends them. */
import { benchKey, benchServer, processorMs, startService, type Program } from "./child.ts";
import { fillLargeServer, typedTexts } from "./large-server.ts";
import { median, printTable, ratio } from "./report.ts";

const rounds = 3;

/** Filters whose pages and counts are measured, named by how many messages match. */
const filters: readonly (readonly [name: string, q: string])[] = [
  ["has:code, which one message has", "has:code"],
  ["is:unread, which all are", "is:unread"],
  ["has:attachment, which no message has", "has:attachment"],
  ["words of every message", "your order"],
];
const filterRounds = 9;

/** Measures each request while texts are typed letter by letter; the floor is a page of the list. */
export async function benchTyping(): Promise<void> {
  const service = await startService();
  try {
    await fillLargeServer(service);
    await measure(service, "", 0);
    const floor = Array.from({ length: rounds * 10 }, (_, at) => at);
    const lists: number[] = [];
    for (const round of floor) lists.push(await measure(service, "", round));
    const rows: string[][] = [[...row("page of the list", lists, lists), ""]];
    const all: number[] = [];
    for (const [name, text] of typedTexts) {
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
    await benchFilters(service);
  } finally {
    await service.stop();
  }
}

/** Measures the first page of each filter, and the count of its matches. */
async function benchFilters(service: Program): Promise<void> {
  const rows: string[][] = [];
  for (const [name, q] of filters) {
    const figures: string[] = [name];
    for (const send of [measure, count]) {
      const wall: number[] = [];
      const startedMs = processorMs(service.pid);
      for (let round = 0; round < filterRounds; round += 1) wall.push(await send(service, q, 100 + round));
      const cpuMs = (processorMs(service.pid) - startedMs) / filterRounds;
      figures.push(median(wall).toFixed(1), cpuMs.toFixed(1));
    }
    rows.push(figures);
  }
  const head = ["filter", "page, median ms", "CPU ms", "count up to 10,000, median ms", "CPU ms"];
  printTable("Filtered lists, 100,000 messages", head, rows);
}

/** Counts the matches of a text; `round` is as for {@link measure}. */
async function count({ httpPort }: Program, q: string, round: number): Promise<number> {
  const parameters = new URLSearchParams({ server: benchServer, dir: "Received", receivedAfter: String(round + 1), q });
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${String(httpPort)}/web/count?${parameters.toString()}`, {
    method: "POST",
    headers: { authorization: `Bearer ${benchKey}`, "content-type": "application/json" },
    body: "{}",
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`${q}: ${body}`);
  return performance.now() - startedAt;
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
