import { residentMegabytes, startService } from "./child.ts";
import { printTable } from "./report.ts";
import { sendLoad } from "./senders.ts";

/** Resident memory while 40,000 mails come in, two halves: the second half must not add to the first. */
export async function benchMemory(): Promise<void> {
  const service = await startService();
  const rows: string[][] = [["at start", residentMegabytes(service.pid).toFixed(0)]];
  try {
    for (let thousands = 5; thousands <= 40; thousands += 5) {
      const load = { port: service.smtpPort, domain: "benchsrv.restante.test", senders: 20, keepsConnection: true };
      await sendLoad({ ...load, mails: 5000 });
      rows.push([`after ${String(thousands)},000 mails`, residentMegabytes(service.pid).toFixed(0)]);
    }
  } finally {
    await service.stop();
  }
  printTable("Memory while mail comes in (target: below 250 MB at 20,000, no growth after)", ["", "RSS, MB"], rows);
}
