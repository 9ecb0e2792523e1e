/** Latency of waits with `restante/client`: from a new message to the resolved wait, with the whole message. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { RestanteClient } from "../src/client/package-entry.ts";
import { benchKey, benchServer, startBareHttp, startService } from "./child.ts";
import { latencyRow, printTable } from "./report.ts";
import { Conversation } from "./senders.ts";

const samples = 500;
/** Samples that are not counted: connections are opened and code is compiled. */
const warmUp = 50;
/** Time until a request of this process waits in the service, in milliseconds. */
const arrivalMs = 15;
const domain = `${benchServer}.restante.test`;
const mail = Buffer.from("From: a@app.example\r\nSubject: Your code\r\n\r\nYour code is 804 219\r\n");

/** Start and end of one sample, by `performance.now()`. */
interface Sample {
  readonly from: number;
  readonly to: number;
}

/**
 * Measures waits beside the floor, a `fetch` of bare `node:http`, and beside `create` alone, which stores the message and
 * returns it. One message arrives at a time, while its wait is open.
 */
export async function benchClientWait(): Promise<void> {
  const floor = await measureFloor();
  const service = await startService();
  const client = new RestanteClient({ url: `http://127.0.0.1:${String(service.httpPort)}`, apiKey: benchKey });
  const sender = await Conversation.open(service.smtpPort);
  const fields = { subject: "Your code", text: "Your code is 804 219" };
  const create = async (to: string): Promise<unknown> => client.messages.create(benchServer, { to, ...fields });
  /** Opens a wait, then runs the action, from whose start or end the time is measured. */
  const wait = async (sentTo: string, begin: () => Promise<number>): Promise<Sample> => {
    const resolved = client.messages.waitForOne(benchServer, { sentTo }).then(() => performance.now());
    await pause(arrivalMs);
    const from = await begin();
    return { from, to: await resolved };
  };
  const rows = [
    latencyRow("fetch() of bare node:http", floor, floor),
    latencyRow(
      "create(), until its response",
      await measure(async (number) => timed(async () => create(`c${number}@${domain}`))),
      floor,
    ),
    latencyRow(
      "waitForOne(), from the call of create()",
      await measure(async (number) =>
        wait(`w${number}@${domain}`, async () => {
          const from = performance.now();
          await create(`w${number}@${domain}`);
          return from;
        }),
      ),
      floor,
    ),
    latencyRow(
      "waitForOne(), from the 250 of SMTP",
      await measure(async (number) =>
        wait(`s${number}@${domain}`, async () => {
          await sender.send(`s${number}@${domain}`, mail);
          return performance.now();
        }),
      ),
      floor,
    ),
  ];
  await sender.quit();
  await service.stop();
  printTable(
    "From a new message to the resolved wait of restante/client, milliseconds",
    ["", "p50", "p99", "p50 to floor"],
    rows,
  );
}

async function measure(sample: (number: string) => Promise<Sample>): Promise<readonly number[]> {
  const figures: number[] = [];
  for (let number = 0; number < warmUp + samples; number += 1) {
    const { from, to } = await sample(String(number));
    // Both responses may arrive in the same read of this process; the latency is then zero.
    if (number >= warmUp) figures.push(Math.max(0, to - from));
  }
  return figures;
}

async function timed(action: () => Promise<unknown>): Promise<Sample> {
  const from = performance.now();
  await action();
  return { from, to: performance.now() };
}

async function measureFloor(): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), "restante-bench-"));
  writeFileSync(join(folder, "body"), "[]");
  const bare = await startBareHttp(join(folder, "body"));
  const url = `http://127.0.0.1:${String(bare.httpPort)}/`;
  const figures = await measure(async () => timed(async () => (await fetch(url)).text()));
  await bare.stop();
  rmSync(folder, { recursive: true });
  return figures;
}
