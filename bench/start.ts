import { existsSync } from "node:fs";
import { join } from "node:path";
import { startService } from "./child.ts";
import { median, printTable } from "./report.ts";

/** Milliseconds from the start of the process to its first SMTP greeting, on a fresh data directory. */
export async function benchStart(rounds: number): Promise<void> {
  const forms = ["source", "build"] as const;
  const rows: string[][] = [];
  for (const form of forms) {
    if (form === "build" && !existsSync(join(import.meta.dirname, "../dist/cli/main.js"))) continue;
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const service = await startService(form);
      times.push(service.readyMs);
      await service.stop();
    }
    rows.push([form === "source" ? "npm start (sources)" : "published package", median(times).toFixed(0)]);
  }
  printTable("From start to ready for mail (target: 700 ms)", ["", "ms, median"], rows);
}
