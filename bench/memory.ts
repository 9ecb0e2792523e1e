import { setTimeout as pause } from "node:timers/promises";
import { benchKey, residentMegabytes, startService, type Program } from "./child.ts";
import { printTable } from "./report.ts";
import { sendLoad } from "./senders.ts";

/**
 * Measures resident memory while 40,000 mails come in, and after the index has caught up. The index works concurrently when
 * its backlog exceeds `farBehindMessageCount`.
 */
export async function benchMemory(): Promise<void> {
  const service = await startService();
  const rows: string[][] = [["at start", residentMegabytes(service.pid).toFixed(0)]];
  try {
    for (let thousands = 5; thousands <= 40; thousands += 5) {
      const load = { port: service.smtpPort, domain: "benchsrv.restante.test", senders: 20, keepsConnection: true };
      await sendLoad({ ...load, mails: 5000 });
      rows.push([`after ${String(thousands)},000 mails`, residentMegabytes(service.pid).toFixed(0)]);
    }
    await indexed(service);
    rows.push(["when all is indexed", residentMegabytes(service.pid).toFixed(0)]);
  } finally {
    await service.stop();
  }
  printTable("Memory while mail comes in (target: below 250 MB at 20,000, no growth after)", ["", "RSS, MB"], rows);
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
