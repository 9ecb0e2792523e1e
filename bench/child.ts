/** Programs to measure; each runs in a process of its own and is stopped after use. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** Running program with its ports and its process id. */
export interface Program {
  readonly smtpPort: number;
  readonly httpPort: number;
  readonly pid: number;
  /** Milliseconds from the process's start to the first greeting on its SMTP port. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

/** Id of the server that receives the mails of benchmarks. */
export const benchServer = "benchsrv";
/** Account key of the service under test. */
export const benchKey = "bench-key-bench-key-bench-key";

const here = import.meta.dirname;
/** Form in which a service is started: by the script of the checkout, from the build, or with npm. */
export type ServiceForm = "source" | "build" | "npm";

/**
 * Starts restante by the script that `npm start` runs, from the build, or by `npm start`, with a temporary data directory
 * unless the settings name one. A launcher is a command that executes the command that follows it.
 */
export async function startService(
  form: ServiceForm = "source",
  settings: Readonly<Record<string, string>> = {},
  launcher: readonly string[] = [],
): Promise<Program> {
  const dataDir = mkdtempSync(join(tmpdir(), "restante-bench-"));
  const main = join(here, form === "source" ? "../scripts/start.js" : "../dist/cli/main.js");
  const [command, argv] = form === "npm" ? ["npm", ["start"]] : [process.execPath, [main, "serve"]];
  const [smtpPort, httpPort] = [await freePort(), await freePort()];
  const env = {
    RESTANTE_DATA_DIR: dataDir,
    RESTANTE_SMTP_PORT: String(smtpPort),
    RESTANTE_HTTP_PORT: String(httpPort),
    RESTANTE_HTTPS_PORT: "off",
    RESTANTE_API_KEY: benchKey,
    RESTANTE_SERVERS: `${benchServer}:Bench`,
    RESTANTE_LOG: "error",
    ...settings,
  };
  const options = { cwd: join(here, ".."), env: { ...process.env, ...env }, stdio: "ignore" } as const;
  const [program = command, ...args] = [...launcher, command, ...argv];
  return runProgram(spawn(program, args, options), {
    smtpPort,
    httpPort,
    cleanUp: () => {
      rmSync(dataDir, { recursive: true, force: true });
    },
  });
}

/** Starts the responder that stores nothing. */
export async function startBareResponder(): Promise<Program> {
  const smtpPort = await freePort();
  const child = spawn(process.execPath, [join(here, "bare-responder.ts"), String(smtpPort)], { stdio: "ignore" });
  return runProgram(child, { smtpPort, httpPort: 0, cleanUp: () => undefined });
}

/** Starts a bare `node:http` server that responds with the bytes of a file. */
export async function startBareHttp(file: string): Promise<Program> {
  const httpPort = await freePort();
  const child = spawn(process.execPath, [join(here, "bare-http.ts"), String(httpPort), file], { stdio: "ignore" });
  return runProgram(child, { smtpPort: 0, httpPort, cleanUp: () => undefined });
}

/** Starts the receiver of callbacks. */
export async function startCallbackReceiver(): Promise<Program> {
  const httpPort = await freePort();
  const file = join(here, "bare-callback-receiver.ts");
  const child = spawn(process.execPath, [file, String(httpPort)], { stdio: "ignore" });
  return runProgram(child, { smtpPort: 0, httpPort, cleanUp: () => undefined });
}

/** Returns the ids of a process and its descendants, each parent before its children. */
export function processTree(pid: number): readonly [number, ...number[]] {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, "utf8").trim();
  return [pid, ...(children === "" ? [] : children.split(" ").flatMap((child) => processTree(Number(child))))];
}

/** Returns the resident set size of a process in megabytes (10⁶ bytes). */
export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"))?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}

/** Makes {@link peakMegabytes} forget what was before (proc_pid_clear_refs(5)). */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${String(pid)}/clear_refs`, "5");
}

/** Returns the largest resident set size that the kernel saw since the start or {@link resetPeak}, in megabytes. */
export function peakMegabytes(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"))?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}

/** Returns the proportional set size in megabytes: pages that several processes map count in parts. */
export function proportionalMegabytes(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${String(pid)}/smaps_rollup`, "utf8"))?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}

/** Returns the CPU time of a process, user and system, in milliseconds. */
export function processorMs(pid: number): number {
  const fields =
    readFileSync(`/proc/${String(pid)}/stat`, "utf8")
      .split(") ")[1]
      ?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Times of the main thread of a process since its start, in milliseconds. */
export interface MainThreadTime {
  /** CPU time, user and system. */
  readonly ranMs: number;
  /** Time that it was ready to run and waited for a core. */
  readonly waitedMs: number;
}

/** Returns the times of the main thread of a process. */
export function mainThreadTime(pid: number): MainThreadTime {
  const [ran, waited] = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/schedstat`, "utf8").split(" ");
  return { ranMs: Number(ran) / 1e6, waitedMs: Number(waited) / 1e6 };
}

/** Waits for the first sign of life of a started program, on its SMTP port unless that is 0. */
export async function runProgram(
  child: ChildProcess,
  options: { smtpPort: number; httpPort: number; cleanUp: () => void },
): Promise<Program> {
  const startedAt = performance.now();
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      resolve();
    });
  });
  await firstSignOfLife(options.smtpPort === 0 ? options.httpPort : options.smtpPort, child);
  return {
    smtpPort: options.smtpPort,
    httpPort: options.httpPort,
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedAt,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      options.cleanUp();
    },
  };
}

async function firstSignOfLife(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 4000 && child.exitCode === null; attempt += 1) {
    if (await answers(port)) return;
    await pause(5);
  }
  throw new Error("the measured program did not start");
}

/** Returns whether a server listens on the port: SMTP sends a greeting, HTTP responds to an invalid request line. */
async function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, "127.0.0.1");
    socket.once("data", () => {
      resolve(true);
      socket.destroy();
    });
    const nudge = setTimeout(() => socket.write("QUIT\r\n\r\n"), 50);
    socket.once("close", () => {
      clearTimeout(nudge);
    });
    socket.once("error", () => {
      resolve(false);
    });
  });
}

/** Resolves when at most 256 messages wait for the text index, whose thread has had time to exit. */
export async function waitUntilIndexed({ httpPort }: Program): Promise<void> {
  const url = `http://127.0.0.1:${String(httpPort)}/metrics`;
  for (let backlog = Infinity; backlog > 256;) {
    await pause(1000);
    const text = await (await fetch(url, { headers: { authorization: `Bearer ${benchKey}` } })).text();
    const [, count] = /^restante_index_backlog\S* (\d+)$/m.exec(text) ?? [];
    if (count === undefined) throw new Error("the metrics name no backlog of the text index");
    backlog = Number(count);
  }
  await pause(3000);
}

/** Returns a port of loopback that was free a moment ago. */
export async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => {
        resolve(port);
      });
    });
  });
}
