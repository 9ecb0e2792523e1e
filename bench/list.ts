import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchKey, benchServer, mainThreadTime, startBareHttp, startService, waitUntilIndexed } from "./child.ts";
import type { Program } from "./child.ts";
import { loadHttp } from "./http-load.ts";
import { median, printTable, ratio, whole } from "./report.ts";
import { sendLoad } from "./senders.ts";

const messageCount = 100_000;
const requests = 15_000;

interface Measured {
  readonly rate: number;
  /** CPU time of the main thread per response, in microseconds. */
  readonly processorUs: number;
  readonly lastBody: Buffer;
}

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
    const ask = async ({ httpPort, pid }: Program, path: (number: number) => string): Promise<Measured> => {
      const before = mainThreadTime(pid).ranMs;
      const headers = `Authorization: Bearer ${benchKey}\r\n`;
      const { rate, lastBody } = await loadHttp({ port: httpPort, connections: 20, requests, path, headers });
      return { rate, processorUs: ((mainThreadTime(pid).ranMs - before) / requests) * 1000, lastBody };
    };
    const unchanged = (): string => same;
    const longAgo = Date.now() - 86_400_000;
    const fresh = (number: number): string => `${same}&receivedAfter=${String(longAgo + number)}`;
    const { lastBody } = await ask(service, unchanged);
    writeFileSync(join(folder, "body"), lastBody);
    const bare = await startBareHttp(join(folder, "body"));
    await ask(bare, unchanged);
    const deep = (number: number): string => `${fresh(number)}&page=${String(1 + (number % 30))}`;
    const results = {
      bare: [] as Measured[],
      unchanged: [] as Measured[],
      fresh: [] as Measured[],
      deep: [] as Measured[],
    };
    for (let round = 0; round < rounds; round += 1) {
      results.bare.push(await ask(bare, unchanged));
      results.unchanged.push(await ask(service, unchanged));
      results.fresh.push(await ask(service, (number) => fresh(number + round * requests)));
      results.deep.push(await ask(service, (number) => deep(number + round * requests)));
    }
    await bare.stop();
    const floor = median(results.bare.map(({ rate }) => rate));
    const row = (name: string, measured: readonly Measured[], target: string): string[] => {
      const rate = median(measured.map((one) => one.rate));
      const processorUs = median(measured.map((one) => one.processorUs));
      return [name, whole(rate), processorUs.toFixed(1), ratio(rate, floor), target];
    };
    printTable(
      `List of 50 out of 100,000 (${whole(lastBody.length)} bytes), responses per second`,
      ["", "rate", "CPU µs of the main thread", "to bare", "target"],
      [
        row("bare node:http, same bytes", results.bare, ""),
        row("unchanged since the last response", results.unchanged, "60 %"),
        row("joined from the cache: a different query for the newest page each time", results.fresh, "30 %"),
        row("read from the database: pages 2 to 31, a different query each time", results.deep, ""),
      ],
    );
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
