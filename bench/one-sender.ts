import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMaildev, startService, type Program } from "./child.ts";
import { shortMail } from "./realistic-mail.ts";
import { median, printTable, ratio, whole } from "./report.ts";
import { sendLoad } from "./senders.ts";

const mailCount = 600;
const peerMailCount = 40;
/** Bytes that the floor writes and synchronises each time: a page of the database. */
const pageBytes = 4096;
const syncCount = 500;

/**
 * Measures one sender of mails of 4 kB, which waits for each commit, beside the rate at which the same disk synchronises a page of
 * 4 kB. Target: half of that rate over a kept connection.
 */
export async function benchOneSender(rounds: number): Promise<void> {
  const service = await startService();
  const maildev = await startMaildev();
  try {
    const rows: string[][] = [];
    for (const keepsConnection of [true, false])
      rows.push(await compare(keepsConnection, rounds, { service, maildev }));
    const head = [
      "1 sender, mails per second",
      "restante",
      "4 kB and fdatasync",
      "to it",
      "MailDev 3 (memory)",
      "target",
    ];
    printTable("One sender beside the disk", head, rows);
  } finally {
    await Promise.all([service.stop(), maildev?.stop()]);
  }
}

async function compare(
  keepsConnection: boolean,
  rounds: number,
  { service, maildev }: { readonly service: Program; readonly maildev: Program | undefined },
): Promise<string[]> {
  const rates = { own: [] as number[], floor: [] as number[], peer: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    rates.floor.push(syncRate());
    rates.own.push(await send(service, keepsConnection, mailCount));
    if (maildev !== undefined) rates.peer.push(await send(maildev, keepsConnection, peerMailCount));
  }
  const [own, floor] = [median(rates.own), median(rates.floor)];
  const peer = maildev === undefined ? "not installed" : whole(median(rates.peer));
  const name = keepsConnection ? "kept connection" : "one connection per mail";
  return [name, whole(own), whole(floor), ratio(own, floor), peer, keepsConnection ? "50 %" : ""];
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
