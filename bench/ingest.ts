import { startBareResponder, startMaildev, startService, processorMs, type Program } from "./child.ts";
import { corpora, realisticMail, type Corpus } from "./realistic-mail.ts";
import { median, printTable, ratio, whole } from "./report.ts";
import { sendLoad } from "./senders.ts";

/** Connection pattern of senders; slow mail catchers get fewer mails, so that a run ends. */
interface Shape {
  readonly name: string;
  readonly senders: number;
  readonly keepsConnection: boolean;
  readonly mails: number;
  readonly peerMails: number;
  /** Target of the ratio to MailDev. */
  readonly target: string;
}

const shapes: readonly Shape[] = [
  { name: "20 kept connections", senders: 20, keepsConnection: true, mails: 6000, peerMails: 3000, target: "2×" },
  {
    name: "20 senders, one connection per mail",
    senders: 20,
    keepsConnection: false,
    mails: 4000,
    peerMails: 800,
    target: "6×",
  },
  {
    name: "1 sender, one connection per mail",
    senders: 1,
    keepsConnection: false,
    mails: 600,
    peerMails: 40,
    target: "30×",
  },
];

/** Mails of a corpus that are sent in turn. */
const stockSize = 512;

/**
 * Measures mails accepted per second, committed to disk, beside the floor and MailDev, which keeps them in memory: medians of
 * interleaved rounds, with mails that share their words and with mails that share none.
 */
export async function benchIngest(rounds: number): Promise<void> {
  const service = await startService();
  const bare = await startBareResponder();
  const maildev = await startMaildev();
  const rows: string[][] = [];
  try {
    await warmUp([service, bare, maildev]);
    for (const corpus of corpora) {
      const mails = Array.from({ length: stockSize }, (_, seed) => realisticMail("reader@app.example", seed, corpus));
      for (const shape of shapes)
        rows.push(await compare({ ...shape, corpus, stock: mails }, rounds, { service, bare, maildev }));
    }
  } finally {
    await Promise.all([service.stop(), bare.stop(), maildev?.stop()]);
  }
  const head = [
    "26 kB mails a second",
    "restante",
    "CPU µs a mail",
    "bare responder",
    "MailDev 3",
    "to bare",
    "to MailDev",
    "target",
  ];
  printTable("Mail in", head, rows);
}

/** Shape with the mails that it sends. */
interface Load extends Shape {
  readonly corpus: Corpus;
  readonly stock: readonly Buffer[];
}

async function compare(
  shape: Load,
  rounds: number,
  programs: { service: Program; bare: Program; maildev: Program | undefined },
): Promise<string[]> {
  const { service, bare, maildev } = programs;
  const rates = { service: [] as number[], bare: [] as number[], maildev: [] as number[], cpu: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const before = processorMs(service.pid);
    rates.service.push(await send(service, shape, shape.mails));
    rates.cpu.push(((processorMs(service.pid) - before) * 1000) / shape.mails);
    rates.bare.push(await send(bare, shape, shape.mails));
    if (maildev !== undefined) rates.maildev.push(await send(maildev, shape, shape.peerMails));
  }
  const [own, floor, peer] = [median(rates.service), median(rates.bare), median(rates.maildev)];
  const toPeer = maildev === undefined ? "–" : ratio(own, peer);
  const peerRate = maildev === undefined ? "not installed" : whole(peer);
  return [
    `${shape.name}, ${shape.corpus}`,
    whole(own),
    whole(median(rates.cpu)),
    whole(floor),
    peerRate,
    ratio(own, floor),
    toPeer,
    shape.target,
  ];
}

async function send(program: Program, { senders, keepsConnection, stock }: Load, mails: number): Promise<number> {
  const mail = (number: number): Buffer => stock[number % stock.length] ?? Buffer.alloc(0);
  return sendLoad({ port: program.smtpPort, domain: "benchsrv.restante.test", senders, keepsConnection, mails, mail });
}

async function warmUp(programs: readonly (Program | undefined)[]): Promise<void> {
  for (const program of programs) {
    if (program === undefined) continue;
    const load = { port: program.smtpPort, domain: "benchsrv.restante.test", senders: 20, keepsConnection: true };
    await sendLoad({ ...load, mails: 1000 });
  }
}
