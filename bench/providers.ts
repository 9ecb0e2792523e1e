/**
 * Compares sends through the APIs of mail providers with the same mail by SMTP: `npm run bench:providers`, or
 * `-- --mails=300` for fewer mails per round. Rounds of all ways are interleaved, because machines are shared. CPU time
 * includes the work in the background that the mails of a round cause, above all the text index. The rate depends on the
 * CPU time of the main thread, whose ratio is reliable on a busy machine too.
 */
import { availableParallelism, cpus } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { defaultLimits } from "../src/core/limits.ts";
import { joinTexts } from "../src/mime/body-content.ts";
import { parseMail } from "../src/mime/parse-mail.ts";
import { providers } from "../src/providers/registry.ts";
import type { EmailSamples, ProviderSamples, SampleEmail } from "../src/providers/samples.test-aid.ts";
import { benchKey, benchServer, mainThreadMs, processorMs, startService, type Program } from "./child.ts";
import { HttpClient } from "./http-load.ts";
import { realisticMail } from "./realistic-mail.ts";
import { median, printTable, ratio, whole } from "./report.ts";
import { sendLoad } from "./senders.ts";

/** A way to send mails; returns how many it sends per second. */
interface Way {
  readonly name: string;
  readonly send: (mails: number) => Promise<number>;
}

interface HttpSend {
  readonly path: string;
  readonly headers: string;
  readonly body: Uint8Array;
}

const roundCount = 3;
const connections = 20;
const stockSize = 64;
const domain = `${benchServer}.restante.test`;
const mailCount = Number(process.argv[2]?.replace(/^--mails=/, "") ?? 1000);
if (!Number.isInteger(mailCount) || mailCount < 100) throw new Error("--mails is a whole number from 100");

process.stdout.write(`Node ${process.version}, ${String(availableParallelism())} cores, ${cpus()[0]?.model ?? "?"}\n`);
const service = await startService();
try {
  const ways = [smtp(service), ...(await providerWays(service))];
  const results = await measure(ways);
  const reference = results[0] ?? { rate: Number.NaN, cpu: Number.NaN, main: Number.NaN };
  printTable(
    "Mail through the APIs of providers, 20 kept connections (target: 60 % of SMTP)",
    [
      "26 kB mails",
      "a second",
      "main thread, µs a mail",
      "CPU µs a mail",
      "rate to SMTP",
      "SMTP's main thread to this",
    ],
    results.map(({ name, rate, main, cpu }) => [
      name,
      whole(rate),
      whole(main),
      whole(cpu),
      ratio(rate, reference.rate),
      ratio(reference.main, main),
    ]),
  );
} finally {
  await service.stop();
}

/** Mails per second, and microseconds of CPU per mail of all threads and of the main thread. */
interface Figures {
  readonly name: string;
  readonly rate: number;
  readonly cpu: number;
  readonly main: number;
}

async function measure(ways: readonly Way[]): Promise<readonly Figures[]> {
  const measured = ways.map((way) => ({ way, rates: [] as number[], cpu: [] as number[], main: [] as number[] }));
  for (const { send } of ways) await send(mailCount);
  await untilIdle();
  for (let round = 0; round < roundCount; round += 1) {
    for (const { way, rates, cpu, main } of measured) {
      const [before, mainBefore] = [processorMs(service.pid), mainThreadMs(service.pid)];
      rates.push(await way.send(mailCount));
      main.push(((mainThreadMs(service.pid) - mainBefore) * 1000) / mailCount);
      await untilIdle();
      cpu.push(((processorMs(service.pid) - before) * 1000) / mailCount);
    }
  }
  return measured.map(({ way, rates, cpu, main }) => {
    return { name: way.name, rate: median(rates), cpu: median(cpu), main: median(main) };
  });
}

/** Waits until the service has used less than a tenth of a core for half a second; at most a minute. */
async function untilIdle(): Promise<void> {
  for (let attempt = 0; attempt < 120; attempt += 1) {
    const before = processorMs(service.pid);
    await pause(500);
    if (processorMs(service.pid) - before < 50) return;
  }
}

function smtp({ smtpPort }: Program): Way {
  const load = { port: smtpPort, domain, senders: connections, keepsConnection: true };
  return { name: "SMTP", send: async (mails) => sendLoad({ ...load, mails }) };
}

async function providerWays({ httpPort }: Program): Promise<readonly Way[]> {
  const stock = Array.from({ length: stockSize }, (_, seed) => sampleOf(seed));
  const ways: Way[] = [];
  for (const { name, label, email } of providers) {
    if (email === null) continue;
    const module = (await import(`../src/providers/${name}/samples.test-aid.ts`)) as { samples: ProviderSamples };
    const samples = module.samples.email;
    if (samples === undefined) continue;
    const sends = stock.map((mail) => httpSend(name, samples, mail));
    ways.push({ name: label, send: async (mails) => sendOverHttp(httpPort, sends, mails) });
  }
  return ways;
}

/** Returns the content of a mail of the SMTP load, addressed to the server of the benchmark. */
function sampleOf(seed: number): SampleEmail {
  const raw = realisticMail("reader@app.example", seed);
  const { subject, textParts, htmlParts } = parseMail(raw, defaultLimits);
  return {
    from: { name: "Example App", address: "no-reply@app.example" },
    to: [{ name: "", address: `u${String(seed)}@${domain}` }],
    subject: subject ?? "",
    text: joinTexts(raw, textParts) ?? "",
    html: joinTexts(raw, htmlParts) ?? "",
  };
}

function httpSend(name: string, samples: EmailSamples, mail: SampleEmail): HttpSend {
  const { path, headers, body } = samples.send(mail, { key: benchKey });
  // The samples of the other providers name the key in a field of their own or in a signature.
  const hasOwnKey = ["postmark", "sendgrid", "ses"].includes(name);
  const basic = `Basic ${Buffer.from(`${benchKey}:${benchKey}`).toString("base64")}`;
  const fields = { ...headers, ...(!hasOwnKey && { authorization: basic }) };
  return {
    path: `/providers/${name}${path}`,
    headers: Object.entries(fields)
      .map(([field, value]) => `${field}: ${String(value)}\r\n`)
      .join(""),
    body,
  };
}

async function sendOverHttp(port: number, sends: readonly HttpSend[], mails: number): Promise<number> {
  let next = 0;
  const startedAt = performance.now();
  const work = async (): Promise<void> => {
    const client = await HttpClient.open(port);
    for (let number = next++; number < mails; number = next++) {
      const one = sends[number % sends.length];
      if (one !== undefined) await client.send(one.path, one.headers, one.body);
    }
    client.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return (mails / (performance.now() - startedAt)) * 1000;
}
