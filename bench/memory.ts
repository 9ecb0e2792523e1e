import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { join } from "node:path";
import { benchKey, residentMegabytes, startBareHttp, startService, type Program } from "./child.ts";
import { printTable } from "./report.ts";
import { sendLoad } from "./senders.ts";

/** Time after which a service is idle. */
const idleMs = 2500;

/**
 * Measures resident memory while 40,000 mails come in, and after the index has caught up. The index works concurrently when
 * its backlog exceeds `farBehindMessageCount`.
 */
export async function benchMemory(): Promise<void> {
  const bare = await startBareHttp(join(import.meta.dirname, "bare-http.ts"));
  await pause(idleMs);
  const floor = residentMegabytes(bare.pid);
  await bare.stop();
  const service = await startService(existsSync(join(import.meta.dirname, "../dist/cli/main.js")) ? "build" : "source");
  await pause(idleMs);
  const row = (name: string): string[] => {
    const megabytes = residentMegabytes(service.pid);
    return [name, megabytes.toFixed(0), `${(megabytes / floor).toFixed(1)}×`];
  };
  const rows: string[][] = [["bare node:http, idle", floor.toFixed(0), "1.0×"], row("idle")];
  try {
    for (let thousands = 5; thousands <= 40; thousands += 5) {
      const load = { port: service.smtpPort, domain: "benchsrv.restante.test", senders: 20, keepsConnection: true };
      await sendLoad({ ...load, mails: 5000 });
      rows.push(row(`after ${String(thousands)},000 mails`));
    }
    await indexed(service);
    rows.push(row("when all is indexed"));
  } finally {
    await service.stop();
  }
  printTable("Memory while mail comes in (target: 110 MB idle, 200 MB at 20,000)", ["", "RSS, MB", "to floor"], rows);
}

/** Resolves when the index has caught up and its thread has had time to exit. */
async function indexed({ httpPort }: Program): Promise<void> {
  const url = `http://127.0.0.1:${String(httpPort)}/metrics`;
  for (let backlog = Infinity; backlog > 256;) {
    await pause(1000);
    const text = await (await fetch(url, { headers: { authorization: `Bearer ${benchKey}` } })).text();
    backlog = Number(/^restante_index_backlog\S* (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
  }
  await pause(3000);
}
