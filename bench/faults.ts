/** Cost of fault rules to servers without any. */
import type { FaultRule } from "../src/core/fault.ts";
import { benchKey, benchServer, processorMs, startService, type Program } from "./child.ts";
import { median, printTable, ratio, whole } from "./report.ts";
import { Conversation, sendLoad } from "./senders.ts";

/** Server with fault rules. */
const faultyServer = "fltysrv1";
const mailCount = 4000;
/** Mails to the server with rules while the other one is measured. */
const faultyMailCount = 10_000;
const senderCount = 20;
const mail = Buffer.from("From: a@app.example\r\nSubject: Your order\r\n\r\nIt left today.\r\n");

const manyRules: readonly FaultRule[] = Array.from({ length: 100 }, (_, number) => ({
  name: `rule ${number}`,
  match: { stage: ["rcpt", "data", "after-data"], sender: `app${number}@sender.example` },
  then: { reply: { code: 451 } },
}));
const hittingRules: readonly FaultRule[] = [
  { name: "defer", match: { stage: "rcpt" }, when: { every: 5 }, then: { reply: { code: 451 } } },
  { name: "drop", match: { stage: "data" }, when: { every: 7 }, then: { drop: true } },
  { name: "lose", match: { stage: "after-data" }, when: { every: 11 }, then: { loseReply: true } },
];

/** Measures mails a second of a server without rules: medians of interleaved rounds. */
export async function benchFaults(rounds: number): Promise<void> {
  const service = await startService("source", {
    RESTANTE_SERVERS: `${benchServer}:Bench,${faultyServer}:Faulty`,
  });
  const figures = { none: newFigures(), other: newFigures() };
  const beside = { mails: newFigures(), faulty: newFigures() };
  try {
    await sendLoad({ ...loadOf(service), mails: 1000 });
    for (let round = 0; round < rounds; round += 1) {
      await setRules(service, []);
      await measure(service, figures.none);
      await setRules(service, manyRules);
      await measure(service, figures.other);
    }
    for (const [rules, one] of [
      [[], beside.mails],
      [hittingRules, beside.faulty],
    ] as const) {
      await setRules(service, rules);
      await measureBeside(service, one);
    }
  } finally {
    await service.stop();
  }
  const row = (name: string, { rates, cpu }: Figures, reference: Figures): string[] => [
    name,
    whole(median(rates)),
    whole(median(cpu)),
    ratio(median(cpu), median(reference.cpu)),
  ];
  printTable(
    "Mail of a server without fault rules",
    ["short mails, 20 kept connections", "a second", "CPU µs a mail of all servers", "CPU to the row without rules"],
    [
      row("no rules in the service", figures.none, figures.none),
      row("100 rules on another server", figures.other, figures.none),
      row(`while another server gets ${whole(faultyMailCount)} mails without faults`, beside.mails, beside.mails),
      row(`while another server gets ${whole(faultyMailCount)} mails with faults`, beside.faulty, beside.mails),
    ],
  );
}

interface Figures {
  readonly rates: number[];
  readonly cpu: number[];
}

const newFigures = (): Figures => ({ rates: [], cpu: [] });

const loadOf = ({ smtpPort }: Program) => ({
  port: smtpPort,
  domain: `${benchServer}.restante.test`,
  senders: senderCount,
  keepsConnection: true,
  isShort: true,
});

async function measure(service: Program, { rates, cpu }: Figures): Promise<void> {
  const before = processorMs(service.pid);
  rates.push(await sendLoad({ ...loadOf(service), mails: mailCount }));
  cpu.push(((processorMs(service.pid) - before) * 1000) / mailCount);
}

async function measureBeside(service: Program, { rates, cpu }: Figures): Promise<void> {
  const before = processorMs(service.pid);
  const others = sendWithRetries(service, faultyMailCount);
  rates.push(await sendLoad({ ...loadOf(service), mails: mailCount }));
  await others;
  cpu.push(((processorMs(service.pid) - before) * 1000) / (mailCount + faultyMailCount));
}

/** Sends mails to the server with rules, each until it is accepted. */
async function sendWithRetries({ smtpPort }: Program, count: number): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    let conversation: Conversation | null = null;
    for (let number = next++; number < count; number = next++) {
      for (let isSent = false; !isSent;) {
        try {
          conversation ??= await Conversation.open(smtpPort);
          await conversation.send(`u${number}@${faultyServer}.restante.test`, mail);
          isSent = true;
        } catch {
          // Refused or cut off by a fault; the next attempt uses another connection.
          conversation?.close();
          conversation = null;
        }
      }
    }
    conversation?.close();
  };
  await Promise.all(Array.from({ length: senderCount }, work));
}

async function setRules({ httpPort }: Program, items: readonly FaultRule[]): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${httpPort}/api/servers/${faultyServer}/faults`, {
    method: "PUT",
    headers: { authorization: `Bearer ${benchKey}`, "content-type": "application/json" },
    body: JSON.stringify({ items }),
  });
  if (!response.ok) throw new Error(`PUT answered ${response.status}: ${await response.text()}`);
}
