/**
 * Measures memory under concurrent expensive requests: `npm run bench:memory`. The service gets
 * the limits of a process in 1 GiB, and is bounded by a control group of that size if one can be created (cgroup v2, as
 * root).
 */
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { memoryLimits } from "../src/core/memory-limits.ts";
import { ServiceProcess } from "../src/testing/service-process.ts";
import { peakMegabytes, resetPeak } from "./child.ts";

const mebibyte = 1024 * 1024;
const memoryBytes = 1024 * mebibyte;
const rssBytesMax = 600 * mebibyte;
const listP99MsMax = 250;
const key = "bench-memory-key-0123456789abcdef";
const [flooded, other] = ["aaaaaaaa", "bbbbbbbb"];
const group = "/sys/fs/cgroup/restante-bench-memory";

/** Bodies that take the most memory or time to parse, 40 to 49 MB each. */
const worstBodies: readonly (readonly [header: string, body: () => string])[] = [
  ["Content-Type: text/html", () => "&amp".repeat(10_000_000)],
  ["Content-Type: text/plain; charset=hz-gb-2312", () => "~{VPND~} ".repeat(5_400_000)],
  ['Content-Type: multipart/mixed; boundary="b"', () => "--bx\r\n".repeat(8_000_000)],
  ["Content-Type: text/plain", () => "A line of plain text that is long.\r\n".repeat(1_350_000)],
  [
    "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64",
    () => `${"QUJD".repeat(18)}\r\n`.repeat(650_000),
  ],
  ["Content-Type: text/html", () => "<p>a paragraph</p>\r\n".repeat(2_400_000)],
  ["Content-Type: text/plain; charset=utf-8", () => "zażółć gęślą jaźń\r\n".repeat(1_800_000)],
  [
    "Content-Type: text/plain\r\nContent-Transfer-Encoding: quoted-printable",
    () => "=C3=A9=C3=A9=C3=A9 text\r\n".repeat(1_900_000),
  ],
];

interface Stage {
  readonly name: string;
  readonly outcome: string;
  readonly rssBytesMax: number;
  readonly listP99Ms: number;
}

/** Measures memory, and the latency of another key's list from a separate thread, while `action` runs. */
async function measure(service: ServiceProcess, name: string, action: () => Promise<string>): Promise<Stage> {
  resetPeak(service.pid);
  const workerData = { url: `${service.url}/api/messages?server=${other}`, key };
  const prober = new Worker(new URL("bare-list-latency.ts", import.meta.url), { workerData });
  const outcome = await action();
  prober.postMessage("stop");
  const [durations] = (await once(prober, "message")) as [number[]];
  durations.sort((one, two) => one - two);
  const listP99Ms = durations[Math.floor(durations.length * 0.99)] ?? Number.NaN;
  return { name, outcome, rssBytesMax: peakMegabytes(service.pid) * 1e6, listP99Ms };
}

/** Sends one mail and returns the reply; retries deferred mail. */
async function sendMail(
  service: ServiceProcess,
  header: string,
  body: string,
): Promise<{ code: string; deferrals: number }> {
  for (let deferrals = 0; ; deferrals += 1) {
    await using dialogue = await service.greet();
    const mail = `Subject: bench\r\n${header}\r\n\r\n${body}\r\n`;
    await dialogue.play(["EHLO bench", "250"]);
    await dialogue.write(`MAIL FROM:<a@b.example> SIZE=${String(mail.length)}\r\n`);
    let reply = await dialogue.reply();
    if (reply.startsWith("250")) {
      await dialogue.play([`RCPT TO:<x@${flooded}.restante.test>`, "250"], ["DATA", "354"]);
      await dialogue.write(Buffer.from(`${mail}.\r\n`));
      reply = await dialogue.reply();
    }
    if (!reply.startsWith("4")) return { code: reply.slice(0, 3), deferrals };
    await pause(500);
  }
}

async function parallelMails(service: ServiceProcess): Promise<string> {
  const sent = await Promise.all(worstBodies.map(async ([header, body]) => sendMail(service, header, body())));
  const deferrals = sent.reduce((sum, one) => sum + one.deferrals, 0);
  return `${String(sent.filter(({ code }) => code === "250").length)} of 8 stored, ${String(deferrals)} deferrals`;
}

async function fullSearch(service: ServiceProcess): Promise<string> {
  let [url, messages, pages]: [string | undefined, number, number] = [
    `/api/messages/search?server=${other}&full=true&itemsPerPage=100`,
    0,
    0,
  ];
  while (url !== undefined) {
    const answer = await service.fetch(url, key, { method: "POST", body: '{"subject":"three megabytes"}' });
    messages += ((await answer.json()) as readonly unknown[]).length;
    pages += 1;
    url = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
  }
  return `${String(messages)} messages in ${String(pages)} pages`;
}

async function stalledReaders(service: ServiceProcess, id: string): Promise<string> {
  const sockets: Socket[] = [];
  for (let count = 0; count < 60; count += 1) {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    socket.pause().on("error", () => undefined);
    await once(socket, "connect");
    const authorization = `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
    socket.write(`GET /api/files/email/${id} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`);
    sockets.push(socket);
  }
  await pause(20_000);
  for (const socket of sockets) socket.destroy();
  return "60 readers stalled for 20 s";
}

/** Bounds the service by a control group; returns false if none can be created. */
function confine(pid: number): boolean {
  if (!existsSync("/sys/fs/cgroup/cgroup.controllers")) return false;
  try {
    mkdirSync(group, { recursive: true });
    writeFileSync(path.join(group, "memory.max"), String(memoryBytes));
    writeFileSync(path.join(group, "cgroup.procs"), String(pid));
    return true;
  } catch {
    // Not root, or cgroup v1: only the measured figures are checked.
    return false;
  }
}

async function run(directory: string): Promise<boolean> {
  const limits = Object.entries(memoryLimits(memoryBytes)).map(([name, bytes]) => {
    const words = name.replace(/Max$/, "").replaceAll(/[A-Z]/g, (capital) => `_${capital}`);
    return [`RESTANTE_LIMIT_${words.toUpperCase()}`, String(bytes)] as const;
  });
  const environment = {
    ...Object.fromEntries(limits),
    RESTANTE_DATA_DIR: directory,
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${flooded}:Flooded,${other}:Other`,
  };
  await using service = await ServiceProcess.start([], { environment });
  const isConfined = confine(service.pid);
  console.log(isConfined ? "in a control group of 1 GiB" : "without a control group: limits as for 1 GiB");
  const stages: Stage[] = [];
  const note = (stage: Stage): void => {
    stages.push(stage);
    const rss = Math.round(stage.rssBytesMax / mebibyte);
    console.log(`${stage.name}: ${stage.outcome}; RSS ${String(rss)} MiB, list p99 ${stage.listP99Ms.toFixed(0)} ms`);
  };
  for (let count = 0; count < 20; count += 1) await service.send(`x@${other}.restante.test`, "small");
  note(await measure(service, "at rest", async () => pause(2000).then(() => "idle")));
  note(await measure(service, "8 parallel mails of 40–49 MB", async () => parallelMails(service)));
  const answer = await service.fetch(`/api/messages?server=${flooded}`, key);
  const [largest] = (await answer.json()) as { readonly id: string }[];
  note(
    await measure(service, "readers that stall on a raw mail", async () => stalledReaders(service, largest?.id ?? "")),
  );
  const text = "A text line of a large mail.\r\n".repeat(100_000);
  for (let count = 0; count < 100; count += 1) {
    const { code } = await sendLarge(service, text);
    if (code !== "250") throw new Error(`a mail of 3 MB was answered with ${code}`);
  }
  note(await measure(service, "search of 100 full messages of 3 MB", async () => fullSearch(service)));
  await pause(5000);
  note(await measure(service, "at rest again", async () => pause(2000).then(() => "idle")));
  return stages.every((stage) => stage.rssBytesMax < rssBytesMax && stage.listP99Ms < listP99MsMax);
}

async function sendLarge(service: ServiceProcess, text: string): Promise<{ code: string }> {
  await using dialogue = await service.greet();
  await dialogue.play(
    ["EHLO bench", "250"],
    ["MAIL FROM:<a@b.example>", "250"],
    [`RCPT TO:<x@${other}.restante.test>`, "250"],
    ["DATA", "354"],
  );
  await dialogue.write(Buffer.from(`Subject: three megabytes\r\n\r\n${text}.\r\n`));
  return { code: (await dialogue.reply()).slice(0, 3) };
}

const directory = mkdtempSync(path.join(tmpdir(), "restante-bench-memory-"));
try {
  const isWithin = await run(directory);
  console.log(isWithin ? "within 600 MiB and 250 ms" : "NOT within 600 MiB and 250 ms");
  process.exitCode = isWithin ? 0 : 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
  try {
    rmdirSync(group);
  } catch {
    // No control group was created.
  }
}
