/**
 * Compares sends through the APIs of mail providers with the same mail by SMTP: `npm run bench:providers`, or
 * `-- --mails=200 --rounds=3` for a short run. Machines are shared, so each send through a provider has a send by SMTP
 * directly before or after it, and ratios are those of such pairs. The rate depends on the CPU time of the main thread,
 * whose ratio is reliable on a busy machine too. CPU time of all threads includes the work in the background that the mails
 * cause, above all the text index.
 */
import { availableParallelism, cpus } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { mainThreadTime, processorMs, startService } from "./child.ts";
import { providerWays, smtpWay, type Way } from "./provider-sends.ts";
import { median, printTable, ratio, whole } from "./report.ts";

/** Measures of one series of sends. CPU times in microseconds per mail. */
interface Figures {
  /** Mails per second. */
  readonly rate: number;
  readonly main: number;
  readonly all: number;
  readonly client: number;
  /** Time that the main thread waited for a core, as a share of its CPU time. */
  readonly waited: number;
}

/** A provider's series and that of SMTP beside it. */
interface Pair {
  readonly own: Figures;
  readonly smtp: Figures;
}

const { mails, rounds } = readOptions();
process.stdout.write(`Node ${process.version}, ${String(availableParallelism())} cores, ${cpus()[0]?.model ?? "?"}\n`);
const service = await startService();
try {
  const smtp = smtpWay(service);
  const ways = await providerWays(service);
  // Code that is not compiled yet would count for the first pairs.
  for (const way of [smtp, ...ways]) await way.send(1000);
  await untilIdle();
  const pairs = ways.map(() => [] as Pair[]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, way] of ways.entries()) pairs[at]?.push(await measurePair(smtp, way, round % 2 === 0));
  }
  print([
    { name: smtp.name, pairs: pairs.flat().map((pair) => ({ own: pair.smtp, smtp: pair.smtp })) },
    ...ways.map(({ name }, at) => ({ name, pairs: pairs[at] ?? [] })),
  ]);
} finally {
  await service.stop();
}

function readOptions(): { readonly mails: number; readonly rounds: number } {
  const options = { mails: { type: "string", default: "400" }, rounds: { type: "string", default: "5" } } as const;
  const { values } = parseArgs({ options });
  const [mailCount, roundCount] = [Number(values.mails), Number(values.rounds)];
  if (!Number.isInteger(mailCount) || mailCount < 100) throw new Error("--mails is a whole number from 100");
  if (!Number.isInteger(roundCount) || roundCount < 1) throw new Error("--rounds is a whole number from 1");
  return { mails: mailCount, rounds: roundCount };
}

/** Measures both ways, in alternating order: a machine that gets slower must not favour one of them. */
async function measurePair(smtp: Way, way: Way, isSmtpFirst: boolean): Promise<Pair> {
  if (isSmtpFirst) return { smtp: await measure(smtp), own: await measure(way) };
  return { own: await measure(way), smtp: await measure(smtp) };
}

async function measure(way: Way): Promise<Figures> {
  const [before, main, client] = [processorMs(service.pid), mainThreadTime(service.pid), process.cpuUsage()];
  const rate = await way.send(mails);
  const { user, system } = process.cpuUsage(client);
  const { ranMs, waitedMs } = mainThreadTime(service.pid);
  await untilIdle();
  return {
    rate,
    main: ((ranMs - main.ranMs) * 1000) / mails,
    all: ((processorMs(service.pid) - before) * 1000) / mails,
    client: (user + system) / mails,
    waited: (waitedMs - main.waitedMs) / (ranMs - main.ranMs),
  };
}

/** Waits until the service has used less than a tenth of a core for half a second; at most a minute. */
async function untilIdle(): Promise<void> {
  for (let attempt = 0; attempt < 120; attempt += 1) {
    const before = processorMs(service.pid);
    await pause(500);
    if (processorMs(service.pid) - before < 50) return;
  }
}

function print(rows: readonly { readonly name: string; readonly pairs: readonly Pair[] }[]): void {
  printTable(
    "Mail through the APIs of providers, 20 kept connections (target: 60 % of SMTP)",
    [
      "26 kB mails",
      "a second",
      "main thread, µs a mail",
      "CPU, µs a mail",
      "client's CPU, µs a mail",
      "main thread waited",
      "SMTP's main thread to this",
      "rate to SMTP",
    ],
    rows.map(({ name, pairs }) => [
      name,
      ...(["rate", "main", "all", "client"] as const).map((figure) =>
        whole(median(pairs.map(({ own }) => own[figure]))),
      ),
      ratio(median(pairs.map(({ own }) => own.waited)), 1),
      withRange(pairs.map(({ own, smtp }) => smtp.main / own.main)),
      withRange(pairs.map(({ own, smtp }) => own.rate / smtp.rate)),
    ]),
  );
}

/** Formats the median of ratios with the smallest and the largest. */
function withRange(ratios: readonly number[]): string {
  const percent = (value: number): string => String(Math.round(value * 100));
  return `${percent(median(ratios))} % (${percent(Math.min(...ratios))}–${percent(Math.max(...ratios))})`;
}
