import { mailpit, startCatchers } from "./catchers.ts";
import { benchKey, benchServer, processorMs, startService, waitUntilIndexed, type Program } from "./child.ts";
import { HttpClient } from "./http-load.ts";
import { corpora, realisticMail } from "./realistic-mail.ts";
import { median, printTable, whole } from "./report.ts";
import { sendLoad } from "./senders.ts";

const mailCount = 2000;
const clientCount = 20;
const requestCount = 4000;

/** Program with the paths of its messages. */
interface Reader {
  readonly name: string;
  readonly program: Program;
  readonly headers: string;
  /** Returns the ids of stored messages. */
  readonly ids: () => Promise<readonly string[]>;
  readonly paths: Readonly<Record<string, (id: string) => string>>;
}

interface Measured {
  readonly cpuUs: number;
  readonly latencies: readonly number[];
}

/**
 * Measures reading a message and its raw mail by 20 clients beside Mailpit: CPU time of the process, and latencies. Targets: at
 * most Mailpit's CPU time, and a 99th percentile of at most 5 times the median.
 */
export async function benchRead(rounds: number): Promise<void> {
  const service = await startService();
  const others = await startCatchers([mailpit]);
  const readers = [ownReader(service), ...others.map(({ catcher, program }) => mailpitReader(catcher.name, program))];
  try {
    const rows: string[][] = [];
    for (const { program } of readers) await fill(program);
    await waitUntilIndexed(service);
    for (const what of ["message", "raw mail"]) rows.push(...(await compare(readers, what, rounds)));
    printTable(`Reading mails of 26 kB with ${clientCount} clients`, ["", "CPU µs", "p50, ms", "p99, ms"], rows);
  } finally {
    await Promise.all(readers.map(({ program }) => program.stop()));
  }
}

async function compare(readers: readonly Reader[], what: string, rounds: number): Promise<string[][]> {
  const figures = readers.map(() => [] as Measured[]);
  for (let round = 0; round < rounds; round += 1)
    for (const [at, reader] of readers.entries()) figures[at]?.push(await measure(reader, what));
  return readers.map(({ name }, at) => row(`${what}, ${name}`, figures[at] ?? []));
}

function ownReader(program: Program): Reader {
  return {
    name: "restante",
    program,
    headers: `Authorization: Bearer ${benchKey}\r\n`,
    ids: async () => {
      const path = `/api/messages?server=${benchServer}&itemsPerPage=1000`;
      const messages = await read<readonly { id: string }[]>(program, path, { authorization: `Bearer ${benchKey}` });
      return messages.map(({ id }) => id);
    },
    paths: { message: (id) => `/api/messages/${id}`, "raw mail": (id) => `/api/files/email/${id}` },
  };
}

function mailpitReader(name: string, program: Program): Reader {
  return {
    name,
    program,
    headers: "",
    ids: async () => {
      const { messages } = await read<{ messages: readonly { ID: string }[] }>(program, "/api/v1/messages?limit=1000");
      return messages.map(({ ID }) => ID);
    },
    paths: { message: (id) => `/api/v1/message/${id}`, "raw mail": (id) => `/api/v1/message/${id}/raw` },
  };
}

async function read<Body>(
  { httpPort }: Program,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Body> {
  return (await (await fetch(`http://127.0.0.1:${httpPort}${path}`, { headers })).json()) as Body;
}

async function fill({ smtpPort }: Program): Promise<void> {
  const stock = corpora.flatMap((corpus) =>
    Array.from({ length: 256 }, (_, seed) => realisticMail("reader@app.example", seed, corpus)),
  );
  const mail = (number: number): Buffer => stock[number % stock.length] ?? Buffer.alloc(0);
  const load = { port: smtpPort, domain: `${benchServer}.restante.test`, senders: 4, keepsConnection: true };
  await sendLoad({ ...load, mails: mailCount, mail });
}

async function measure({ program, headers, ids, paths }: Reader, what: string): Promise<Measured> {
  const clients = await Promise.all(Array.from({ length: clientCount }, () => HttpClient.open(program.httpPort)));
  const all = await ids();
  const latencies: number[] = [];
  const before = processorMs(program.pid);
  let next = 0;
  const work = async (client: HttpClient): Promise<void> => {
    for (let number = next++; number < requestCount; number = next++) {
      // A step through the messages in no order, so that neighbours do not follow each other.
      const id = all[(number * 389) % all.length] ?? "";
      const startedAt = performance.now();
      await client.get(paths[what]?.(id) ?? "", headers);
      latencies.push(performance.now() - startedAt);
    }
    client.close();
  };
  await Promise.all(clients.map(work));
  return { cpuUs: ((processorMs(program.pid) - before) * 1000) / requestCount, latencies };
}

function row(name: string, measured: readonly Measured[]): string[] {
  const sorted = measured.flatMap(({ latencies }) => latencies).toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1);
  return [name, whole(median(measured.map(({ cpuUs }) => cpuUs))), at(0.5), at(0.99)];
}
