/**
 * Runs the benchmarks: `npm run bench`, or `npm run bench -- ingest list` for some. Machines differ and are shared, so
 * every figure is compared with a floor that is measured in the same run.
 */
import { availableParallelism, cpus } from "node:os";
import { benchBurst } from "./burst.ts";
import { benchClientWait } from "./client-wait.ts";
import { benchCodes } from "./codes.ts";
import { benchFaults } from "./faults.ts";
import { benchImap } from "./imap.ts";
import { benchIngest } from "./ingest.ts";
import { benchList } from "./list.ts";
import { benchMemory } from "./memory.ts";
import { benchOneSender } from "./one-sender.ts";
import { benchRead } from "./read.ts";
import { benchStart } from "./start.ts";
import { benchTyping } from "./typing.ts";
import { benchWait } from "./wait.ts";
import { benchWeb } from "./web.ts";

const rounds = 3;
const benches: Readonly<Record<string, () => Promise<void>>> = {
  start: async () => benchStart(rounds),
  ingest: async () => benchIngest(rounds),
  "one-sender": async () => benchOneSender(rounds),
  burst: benchBurst,
  memory: benchMemory,
  list: async () => benchList(rounds),
  read: async () => benchRead(rounds),
  typing: benchTyping,
  web: benchWeb,
  wait: benchWait,
  "client-wait": benchClientWait,
  codes: async () => benchCodes(),
  faults: async () => benchFaults(rounds),
  imap: benchImap,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benches));
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(", ")}; there are ${Object.keys(benches).join(", ")}`);

process.stdout.write(`Node ${process.version}, ${String(availableParallelism())} cores, ${cpus()[0]?.model ?? "?"}\n`);
for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench();
}
