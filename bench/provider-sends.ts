/** Sends of the same mail by SMTP and through the APIs of mail providers, for `providers.ts`. */
import { defaultLimits } from "../src/core/limits.ts";
import { joinTexts } from "../src/mime/body-content.ts";
import { parseMail } from "../src/mime/parse-mail.ts";
import { providers } from "../src/providers/registry.ts";
import type { EmailSamples, ProviderSamples, SampleEmail } from "../src/providers/conformance/samples.test-aid.ts";
import { benchKey, benchServer, type Program } from "./child.ts";
import { HttpClient } from "./http-load.ts";
import { realisticMail } from "./realistic-mail.ts";
import { sendLoad } from "./senders.ts";

/** A way to send mails; returns how many it sends per second. */
export interface Way {
  readonly name: string;
  readonly send: (mails: number) => Promise<number>;
}

interface HttpSend {
  readonly path: string;
  readonly headers: string;
  readonly body: Uint8Array;
}

const connections = 20;
const stockSize = 64;
const domain = `${benchServer}.restante.test`;

/** Returns the way by SMTP. */
export function smtpWay({ smtpPort }: Program): Way {
  const load = { port: smtpPort, domain, senders: connections, keepsConnection: true };
  return { name: "SMTP", send: async (mails) => sendLoad({ ...load, mails }) };
}

/** Returns the ways through the APIs of all mail providers. */
export async function providerWays({ httpPort }: Program): Promise<readonly Way[]> {
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
