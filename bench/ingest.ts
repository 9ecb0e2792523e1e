import { type Catcher, startCatchers } from "./catchers.ts";
import { startBareResponder, startService, processorMs, processTree, type Program } from "./child.ts";
import { corpora, mailWithAttachment, realisticMail } from "./realistic-mail.ts";
import { median, printTable, ratio, whole } from "./report.ts";
import { sendLoad } from "./senders.ts";

/** Connection pattern of senders. */
interface Shape {
  readonly name: string;
  readonly senders: number;
  readonly keepsConnection: boolean;
  readonly mails: number;
  /** Mails for MailDev, which takes some connections a hundred times more slowly, so that a run ends. */
  readonly fewMails: number;
  /** Targets of the ratios to catchers, by name. */
  readonly targets: Readonly<Record<string, string>>;
}

const keptTargets = { "MailDev 3": "2.5×", "Inbucket 3.2.0": "1.2×" };
const shapes: readonly Shape[] = [
  {
    name: "20 kept connections",
    senders: 20,
    keepsConnection: true,
    mails: 6000,
    fewMails: 3000,
    targets: keptTargets,
  },
  {
    name: "20 senders, one connection per mail",
    senders: 20,
    keepsConnection: false,
    mails: 4000,
    fewMails: 800,
    targets: { "MailDev 3": "6×" },
  },
  {
    name: "1 sender, one connection per mail",
    senders: 1,
    keepsConnection: false,
    mails: 600,
    fewMails: 40,
    targets: { "MailDev 3": "30×", "Mailpit 1.33.1": "1×" },
  },
];
const largeShape: Shape = {
  name: "1 MB with an attachment, 5 kept connections",
  senders: 5,
  keepsConnection: true,
  mails: 150,
  fewMails: 60,
  targets: { "Inbucket 3.2.0": "1×" },
};

/** Mails of a corpus that are sent in turn. */
const stockSize = 512;
const largeStockSize = 16;

/** Program that receives the mails. */
interface Receiver {
  readonly name: string;
  readonly storage: string;
  readonly program: Program;
}

/**
 * Measures mails accepted per second and CPU time beside the floor and other catchers: medians of interleaved rounds, with mails
 * that share their words and with mails that share none.
 */
export async function benchIngest(rounds: number): Promise<void> {
  const receivers: Receiver[] = [
    { name: "restante", storage: "disk, synchronised", program: await startService() },
    { name: "bare responder", storage: "none", program: await startBareResponder() },
    ...(await startCatchers()).map(({ catcher, program }) => ({ ...describe(catcher), program })),
  ];
  try {
    for (const { program } of receivers) {
      const load = { port: program.smtpPort, domain, senders: 20, keepsConnection: true };
      await sendLoad({ ...load, mails: 1000 });
    }
    for (const corpus of corpora) {
      const stock = Array.from({ length: stockSize }, (_, seed) => realisticMail("reader@app.example", seed, corpus));
      for (const shape of shapes) await compare({ ...shape, stock }, `26 kB of ${corpus}`, { rounds, receivers });
    }
    const stock = Array.from({ length: largeStockSize }, (_, seed) => mailWithAttachment("reader@app.example", seed));
    await compare({ ...largeShape, stock }, "tokens", { rounds, receivers });
  } finally {
    await Promise.all(receivers.map(({ program }) => program.stop()));
  }
}

const domain = "benchsrv.restante.test";

function describe({ name, storage }: Catcher): Omit<Receiver, "program"> {
  return { name, storage };
}

/** Shape with the mails that it sends. */
interface Load extends Shape {
  readonly stock: readonly Buffer[];
}

async function compare(
  load: Load,
  corpus: string,
  { rounds, receivers }: { readonly rounds: number; readonly receivers: readonly Receiver[] },
): Promise<void> {
  const figures = receivers.map(() => ({ rates: [] as number[], cpu: [] as number[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, { name, program }] of receivers.entries()) {
      const mails = name === "MailDev 3" ? load.fewMails : load.mails;
      const before = usedMs(program);
      figures[at]?.rates.push(await send(program, load, mails));
      figures[at]?.cpu.push(((usedMs(program) - before) * 1000) / mails);
    }
  }
  const own = median(figures[0]?.rates ?? []);
  const rows = receivers.map(({ name, storage }, at) => {
    const { rates = [], cpu = [] } = figures[at] ?? {};
    const toThis = at === 0 ? "" : ratio(own, median(rates));
    return [name, storage, whole(median(rates)), whole(median(cpu)), toThis, load.targets[name] ?? ""];
  });
  const head = ["", "storage", "mails a second", "CPU µs a mail", "restante to it", "target"];
  printTable(`Mail in: ${load.name}, ${corpus}`, head, rows);
}

function usedMs({ pid }: Program): number {
  return processTree(pid).reduce((sum, one) => sum + processorMs(one), 0);
}

async function send(program: Program, { senders, keepsConnection, stock }: Load, mails: number): Promise<number> {
  const mail = (number: number): Buffer => stock[number % stock.length] ?? Buffer.alloc(0);
  return sendLoad({ port: program.smtpPort, domain, senders, keepsConnection, mails, mail });
}
