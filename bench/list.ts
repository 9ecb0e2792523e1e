import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchKey, benchServer, startBareHttp, startService, waitUntilIndexed } from "./child.ts";
import { loadHttp, type HttpResult } from "./http-load.ts";
import { median, printTable, ratio, whole } from "./report.ts";
import { sendLoad } from "./senders.ts";

const messageCount = 100_000;
const requests = 15_000;

/**
 * Measures a page of 50 out of 100,000 messages: unchanged since the last response, joined from the newest messages,
 * which the store caches, and on a deeper page, which is read from the database.
 */
export async function benchList(rounds: number): Promise<void> {
  const service = await startService();
  const folder = mkdtempSync(join(tmpdir(), "restante-bench-"));
  try {
    const load = { port: service.smtpPort, domain: `${benchServer}.restante.test`, senders: 20, keepsConnection: true };
    await sendLoad({ ...load, mails: messageCount, isShort: true });
    // Two cores would not be enough for the index, the service and the load.
    await waitUntilIndexed(service);
    const same = `/api/messages?server=${benchServer}`;
    const ask = async (port: number, path: (number: number) => string): Promise<HttpResult> =>
      loadHttp({ port, connections: 20, requests, path, headers: `Authorization: Bearer ${benchKey}\r\n` });
    const unchanged = (): string => same;
    const longAgo = Date.now() - 86_400_000;
    const fresh = (number: number): string => `${same}&receivedAfter=${String(longAgo + number)}`;
    const { lastBody } = await ask(service.httpPort, unchanged);
    writeFileSync(join(folder, "body"), lastBody);
    const bare = await startBareHttp(join(folder, "body"));
    await ask(bare.httpPort, unchanged);
    const deep = (number: number): string => `${fresh(number)}&page=${String(1 + (number % 30))}`;
    const rates = { bare: [] as number[], unchanged: [] as number[], fresh: [] as number[], deep: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      rates.bare.push((await ask(bare.httpPort, unchanged)).rate);
      rates.unchanged.push((await ask(service.httpPort, unchanged)).rate);
      rates.fresh.push((await ask(service.httpPort, (number) => fresh(number + round * requests))).rate);
      rates.deep.push((await ask(service.httpPort, (number) => deep(number + round * requests))).rate);
    }
    await bare.stop();
    const floor = median(rates.bare);
    const row = (name: string, figures: readonly number[], target: string): string[] => {
      return [name, whole(median(figures)), ratio(median(figures), floor), target];
    };
    printTable(
      `List of 50 out of 100,000 (${whole(lastBody.length)} bytes), responses per second`,
      ["", "rate", "to bare", "target"],
      [
        row("bare node:http, same bytes", rates.bare, ""),
        row("unchanged since the last response", rates.unchanged, "60 %"),
        row("joined from the cache: a different query for the newest page each time", rates.fresh, "30 %"),
        row("read from the database: pages 2 to 31, a different query each time", rates.deep, ""),
      ],
    );
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
