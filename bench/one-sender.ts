import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { maildev, mailpit, startCatchers } from "./catchers.ts";
import { startService, type Program } from "./child.ts";
import { shortMail } from "./realistic-mail.ts";
import { median, printTable, ratio, whole } from "./report.ts";
import { sendLoad } from "./senders.ts";

const mailCount = 600;
/** For MailDev, which takes 10 mails a second. */
const fewMails = 40;
/** Mails over a kept connection before the first round: engines that compile while they run are slow at first. */
const warmMailCount = 1000;
/** Bytes that the floor writes and synchronises each time: a page of the database. */
const pageBytes = 4096;
const syncCount = 500;

/**
 * Measures one sender of mails of 4 kB, which waits for each commit, beside the rate at which the same disk synchronises a page
 * of 4 kB. Targets: half of that rate over a kept connection, and Mailpit's rate with a connection for each mail.
 */
export async function benchOneSender(rounds: number): Promise<void> {
  const service = await startService();
  const others = await startCatchers([maildev, mailpit]);
  const receivers: readonly Receiver[] = [
    { program: service, mails: mailCount },
    ...others.map(({ catcher, program }) => ({ program, mails: catcher === maildev ? fewMails : mailCount })),
  ];
  try {
    for (const { program, mails } of receivers) await send(program, true, mails === fewMails ? mails : warmMailCount);
    const rows: string[][] = [];
    for (const keepsConnection of [true, false]) rows.push(await compare(receivers, keepsConnection, rounds));
    const names = others.map(({ catcher }) => `${catcher.name} (${catcher.storage})`);
    const head = ["1 sender, mails per second", "4 kB and fdatasync", "restante", ...names, "to the disk", "target"];
    printTable("One sender beside the disk", head, rows);
  } finally {
    await Promise.all(receivers.map(({ program }) => program.stop()));
  }
}

interface Receiver {
  readonly program: Program;
  readonly mails: number;
}

async function compare(receivers: readonly Receiver[], keepsConnection: boolean, rounds: number): Promise<string[]> {
  const floors: number[] = [];
  const rates = receivers.map(() => [] as number[]);
  for (let round = 0; round < rounds; round += 1) {
    floors.push(syncRate());
    for (const [at, { program, mails }] of receivers.entries())
      rates[at]?.push(await send(program, keepsConnection, mails));
  }
  const medians = rates.map(median);
  const name = keepsConnection ? "kept connection" : "one connection per mail";
  const target = keepsConnection ? "50 % of the disk" : "Mailpit's rate";
  return [name, whole(median(floors)), ...medians.map(whole), ratio(medians[0] ?? 0, median(floors)), target];
}

/** Made beforehand, because making one takes as long as storing it. */
const stock = Array.from({ length: 512 }, (_, seed) => shortMail("reader@app.example", seed));

async function send({ smtpPort }: Program, keepsConnection: boolean, mails: number): Promise<number> {
  const mail = (number: number): Buffer => stock[number % stock.length] ?? Buffer.alloc(0);
  return sendLoad({ port: smtpPort, domain: "benchsrv.restante.test", senders: 1, keepsConnection, mails, mail });
}

/** Returns how often a second a page can be appended to a file and synchronised. */
function syncRate(): number {
  const folder = mkdtempSync(join(tmpdir(), "restante-bench-"));
  const descriptor = openSync(join(folder, "pages"), "w");
  const page = Buffer.alloc(pageBytes, 1);
  try {
    const startedAt = performance.now();
    for (let count = 0; count < syncCount; count += 1) {
      writeSync(descriptor, page);
      fdatasyncSync(descriptor);
    }
    return (syncCount / (performance.now() - startedAt)) * 1000;
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
}
