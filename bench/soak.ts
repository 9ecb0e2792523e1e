/**
 * Runs hostile and ordinary mail, searches and reads for a long time: `npm run bench:soak`, an hour by default, or
 * `-- --minutes=5`. Prints latency and memory of each twelfth; those of the last must equal those of the second.
 */
import { setTimeout as pause } from "node:timers/promises";
import { memoryOf, observe } from "./hostile/bystander.ts";
import { bodyFloods, fieldFloods } from "./hostile/floods.ts";
import { ask, attackerServer, bystanderServer, deliver, startSetting, type Setting } from "./hostile/setting.ts";
import { realisticMail, seededRandom } from "./realistic-mail.ts";
import { printTable, whole } from "./report.ts";

const options = process.argv.slice(2);
const minutes = Number(options.find((option) => option.startsWith("--minutes="))?.slice("--minutes=".length) ?? 60);
const phaseCount = 12;
const phaseMs = (minutes * 60_000) / phaseCount;
/** Rates per second, far below the capacity of the service, so that growth cannot come from a backlog. */
const [ordinaryPerSecond, hostilePerSecond, readsPerSecond] = [20, 2, 20];

const setting = await startSetting();
const counts = { ordinary: 0, hostile: 0, reads: 0, failed: 0 };
const random = seededRandom(7);
try {
  const rows: string[][] = [];
  for (let phase = 1; phase <= phaseCount; phase += 1) {
    const seen = await observe(setting, mix(setting, performance.now() + phaseMs));
    // Emptied, so that all phases do the same work.
    await ask({ service: setting.service, key: setting.attackerKey }, `DELETE /api/messages?server=${attackerServer}`);
    const now = memoryOf(setting);
    rows.push([
      `${((phase * minutes) / phaseCount).toFixed(0)} min`,
      seen.medianMs.toFixed(1),
      seen.p99Ms.toFixed(1),
      seen.maxMs.toFixed(0),
      seen.peakMegabytes.toFixed(0),
      now.toFixed(0),
      whole(counts.ordinary + counts.hostile),
      whole(counts.failed),
    ]);
    process.stderr.write(`${rows.at(-1)?.join("  ") ?? ""}\n`);
  }
  printTable(
    `${String(minutes)} minutes of mixed hostile and ordinary mail (target: memory and latencies end where they began)`,
    ["until", "list median, ms", "p99, ms", "max, ms", "peak memory, MB", "memory, MB", "mails", "failed"],
    rows,
  );
} finally {
  await setting.stop();
}

async function mix({ service, attackerKey }: Setting, endsAt: number): Promise<void> {
  const floods = [...fieldFloods(), ...bodyFloods()];
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const every = async (perSecond: number, action: () => Promise<unknown>): Promise<void> => {
    while (performance.now() < endsAt) {
      const startedAt = performance.now();
      await action().catch(() => {
        counts.failed += 1;
      });
      await pause(Math.max(0, 1000 / perSecond - (performance.now() - startedAt)));
    }
  };
  const expectTaken = async (mail: Buffer): Promise<void> => {
    const { reply } = await deliver(service, attackerServer, mail);
    if (reply !== "250") throw new Error(reply);
  };
  await Promise.all([
    every(ordinaryPerSecond, async () => {
      counts.ordinary += 1;
      await expectTaken(realisticMail("reader@app.example", counts.ordinary));
    }),
    every(hostilePerSecond, async () => {
      counts.hostile += 1;
      const size = 2 ** (10 + Math.floor(random() * 12));
      await expectTaken(pick(floods)?.mail(size) ?? Buffer.alloc(0));
    }),
    every(readsPerSecond, async () => {
      counts.reads += 1;
      const page = await ask({ service, key: attackerKey }, `GET /api/messages?server=${attackerServer}`);
      const id = pick(page as readonly { readonly id: string }[])?.id;
      if (id !== undefined) await ask({ service, key: attackerKey }, `GET /api/messages/${id}`);
      const criteria = { body: `nothing-${String(counts.reads)}` };
      await ask({ service, key: attackerKey }, `POST /api/messages/search?server=${attackerServer}`, criteria);
    }),
    every(1, async () => {
      await deliver(service, bystanderServer, realisticMail("reader@app.example", counts.reads));
    }),
  ]);
}
