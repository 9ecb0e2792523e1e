/**
 * Effect of hostile mail and callers on other callers: `npm run bench:hostile`, with `-- --settle=5` for a shorter
 * pause after each attack (60 s unless given), `-- --growth-only` for the first table alone, `-- --strangers-only` for the
 * attacks without a key or by one request. Takes about 30 minutes.
 */
import { setTimeout as pause } from "node:timers/promises";
import { attacks } from "./hostile/attacks.ts";
import { memoryOf, observe } from "./hostile/bystander.ts";
import { strangers } from "./hostile/strangers.ts";
import { bodyFloods, fieldFloods, type Flood } from "./hostile/floods.ts";
import { attackerServer, deliver, startSetting, type Setting } from "./hostile/setting.ts";
import { median, printTable } from "./report.ts";

const options = process.argv.slice(2);
const settleSeconds = Number(options.find((option) => option.startsWith("--settle="))?.slice("--settle=".length) ?? 60);

/** Sizes whose times are compared: eight times the bytes may take eight times as long, and twice that for noise. */
const sizes = { small: 64 * 1024, large: 512 * 1024 };
const tolerance = 2;
const rounds = 3;
/** Shorter times are dominated by the commit, so their growth is not meaningful. */
const measurableMs = 20;

const setting = await startSetting();
try {
  if (!options.includes("--strangers-only")) await benchGrowth(setting);
  if (!options.includes("--growth-only")) await benchAttacks(setting);
} finally {
  await setting.stop();
}

async function benchGrowth({ service }: Setting): Promise<void> {
  const timeOf = async (flood: Flood, sizeBytes: number): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      times.push((await deliver(service, attackerServer, flood.mail(sizeBytes))).tookMs);
    }
    return median(times);
  };
  const measured: { name: string; small: number; large: number }[] = [];
  for (const flood of [...fieldFloods(), ...bodyFloods()]) {
    measured.push({
      name: flood.name,
      small: await timeOf(flood, sizes.small),
      large: await timeOf(flood, sizes.large),
    });
  }
  const growth = (one: { small: number; large: number }): number => one.large / Math.max(one.small, 1);
  const bound = (sizes.large / sizes.small) * tolerance;
  const steep = measured.filter((one) => one.large >= measurableMs && growth(one) > bound);
  const slowest = measured.toSorted((a, b) => b.large - a.large).slice(0, 12);
  printTable(
    `Reading hostile mail, DATA to 250 (target: 8 times the bytes take at most ${String(bound)} times as long): ${String(measured.length)} floods, ${String(steep.length)} grow faster; the slowest`,
    ["flood", "64 kB, ms", "512 kB, ms", "growth"],
    [...new Set([...steep, ...slowest])].map((one) => [
      one.name,
      one.small.toFixed(1),
      one.large.toFixed(1),
      `${growth(one).toFixed(1)}×`,
    ]),
  );
}

async function benchAttacks(current: Setting): Promise<void> {
  const { service } = current;
  const rest = await observe(current, pause(10_000));
  const rows = [["at rest", rest.medianMs, rest.p99Ms, rest.maxMs, rest.peakMegabytes, Number.NaN]];
  const chosen = options.includes("--strangers-only") ? strangers : [...strangers, ...attacks];
  for (const { name, run } of chosen) {
    const during = await observe(current, run(current)).catch((error: unknown) => {
      throw new Error(`the service did not respond during: ${name}`, { cause: error });
    });
    await pause(settleSeconds * 1000);
    const after = memoryOf(current);
    process.stdout.write(`${name}: worst ${during.maxMs.toFixed(0)} ms, peak ${during.peakMegabytes.toFixed(0)} MB\n`);
    rows.push([name, during.medianMs, during.p99Ms, during.maxMs, during.peakMegabytes, after]);
  }
  printTable(
    `Another key's list of 50 during attacks (target: at most 250 ms), and resident memory of all processes then (target: 600 MB, ${current.group !== null ? "in a control group of 1 GiB" : "without a limit of memory"}) and ${String(settleSeconds)} s later; process ${String(service.pid)} throughout`,
    ["attack", "median, ms", "p99, ms", "max, ms", "peak memory, MB", "memory after, MB"],
    rows.map((row) => row.map((cell, at) => showCell(cell, at))),
  );
}

function showCell(cell: string | number | undefined, at: number): string {
  if (typeof cell !== "number") return cell ?? "";
  return Number.isNaN(cell) ? "" : cell.toFixed(at < 4 ? 1 : 0);
}
