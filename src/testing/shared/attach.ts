/** Attaches a caller to the shared service of its test run, and starts the service when there is none. */
import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, statSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { embeddedAllocator } from "../../app/memory-profile.ts";
import { systemClock } from "../../core/clock.ts";
import { workerUrl } from "../../core/worker.ts";
import { tryLockDirectory } from "../../store/sqlite/connection/store-directory.ts";
import { configOf, type Restante, type RestanteOptions } from "../restante-options.ts";
import { readLines, sendLine, type Attachment, type AttachRequest, type ServiceLine } from "./protocol.ts";
import { openSharedFolder, projectFolder, type SharedFolder } from "./shared-folder.ts";

/** Caller that differs from this process, for tests. */
export interface CallerOptions {
  /** Folder of the project. Default: the nearest folder with a `package.json`. */
  readonly project?: string;
  /** Process that outlives the caller in its test run. */
  readonly owner?: number;
  /** Receives the lines of the log. Default: standard error. */
  readonly onLog?: (line: string) => void;
}

/** Time in which a service has to start, or to exit when another one follows. */
const startMsMax = 60_000;
const retryMs = 20;
/** Log files larger than this are emptied when a service starts. */
const logBytesMax = 1024 * 1024;

/**
 * Attaches to the shared service of the project; starts it when there is none. Several callers may do so at the same time.
 * Rejects with `SettingsError` for an invalid option, and with an `Error` when the service does not start.
 */
export async function attachToSharedService(options: RestanteOptions, caller: CallerOptions = {}): Promise<Restante> {
  const { smtpPort, smtpStarttls, catchAll, log, mailDomain, chromium } = configOf(options, process.cwd());
  const folder = openSharedFolder({ mailDomain, chromium }, caller.project ?? projectFolder());
  const owner = caller.owner ?? ownerProcess();
  const attach: AttachRequest = { owner, log, smtpPort: smtpPort ?? 0, smtpStarttls, isCatchAll: catchAll !== "off" };
  const onLog = caller.onLog ?? ((line: string) => void process.stderr.write(line));
  const start = systemClock.monotonicMs();
  while (systemClock.monotonicMs() - start < startMsMax) {
    const connection = await connect(folder.socketPath);
    const attached = connection && (await requestAttachment(connection, attach, { folder, onLog }));
    if (attached !== undefined) return attached;
    await startUnderLock(folder, { mailDomain, chromium, owner });
  }
  throw new Error(
    `The shared service in ${folder.folder} does not respond. See ${folder.logFile}; end its process, or use startRestante({ shared: false })`,
  );
}

/** Test runners start their workers with an IPC channel, `node --test` with a variable; others own themselves. */
function ownerProcess(): number {
  const isWorker = process.connected || process.env["NODE_TEST_CONTEXT"] !== undefined;
  return isWorker ? process.ppid : process.pid;
}

/** Returns a connection to the service; undefined when none listens. */
async function connect(socketPath: string): Promise<Socket | undefined> {
  const socket = createConnection(socketPath);
  try {
    await once(socket, "connect");
    return socket;
  } catch {
    // There is no service yet, or its process was killed: the caller starts one.
    return undefined;
  }
}

/** Returns access to the service; undefined when the service exits instead. Rejects when the service refuses the options. */
async function requestAttachment(
  socket: Socket,
  attach: AttachRequest,
  { folder, onLog }: { readonly folder: SharedFolder; readonly onLog: (line: string) => void },
): Promise<Restante | undefined> {
  const { promise: first, resolve, reject } = Promise.withResolvers<Attachment | undefined>();
  const { promise: detached, resolve: onDetached } = Promise.withResolvers<void>();
  let isDetaching = false;
  socket.once("close", () => {
    resolve(undefined);
    onDetached();
  });
  // The event "close" follows.
  socket.on("error", () => undefined);
  readLines<ServiceLine>(socket, (line) => {
    if ("log" in line) onLog(line.log);
    else if ("refused" in line) {
      reject(new Error(line.refused));
      socket.destroy();
    } else if ("attached" in line) resolve(line.attached);
    else onDetached();
  });
  sendLine(socket, { attach });
  const attachment = await first.finally(() => socket.unref());
  if (attachment === undefined) return undefined;
  socket.once("close", () => {
    if (!isDetaching) process.emitWarning(`The shared restante service has exited; its log is ${folder.logFile}`);
  });
  const detach = async (): Promise<void> => {
    if (!isDetaching) {
      isDetaching = true;
      socket.ref();
      sendLine(socket, { detach: true });
    }
    await detached;
    socket.destroy();
  };
  return toRestante(attachment, folder.logFile, detach);
}

function toRestante(attachment: Attachment, logFile: string, stop: () => Promise<void>): Restante {
  const { apiKey, serverId, mailDomain, host, smtpPort, url, httpsUrl, caFile } = attachment;
  const serverDomain = `${serverId}.${mailDomain}`;
  const ca = caFile === null ? "" : readFileSync(caFile, "utf8");
  return {
    apiKey,
    serverId,
    serverDomain,
    smtp: { host, port: smtpPort, secure: false, tls: { ca } },
    url,
    httpsUrl,
    caFile,
    logFile,
    emailAddress: (localPart = randomBytes(6).toString("hex")) => `${localPart}@${serverDomain}`,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Starts a service unless another caller is doing so or a former service is still exiting; then waits a moment. */
async function startUnderLock(folder: SharedFolder, start: SharedStart): Promise<void> {
  const release = tryLockDirectory(folder.startLock);
  if (release === undefined) return pause();
  try {
    const isFree = tryLockDirectory(folder.serviceLock);
    isFree?.();
    await (isFree === undefined ? pause() : startService(folder, start));
  } finally {
    release();
  }
}

/** Settings of the process of a shared service. */
export interface SharedStart {
  readonly mailDomain: string;
  readonly chromium: string;
  readonly owner: number;
}

/** Starts the process and resolves when it listens or has exited. Rejects with its last lines when it fails. */
async function startService(folder: SharedFolder, start: SharedStart): Promise<void> {
  const child = spawnService(folder, start);
  let failure: Error | undefined;
  child.once("error", (error) => (failure = error));
  const hasExited = (): boolean => failure !== undefined || child.exitCode !== null || child.signalCode !== null;
  for (;;) {
    if (hasExited()) break;
    const connection = await connect(folder.socketPath);
    if (connection !== undefined) {
      connection.destroy();
      return;
    }
    await pause();
  }
  // Zero: another service has the lock.
  if (child.exitCode === 0) return;
  const lines = readFileSync(folder.logFile, "utf8").trimEnd().split("\n").slice(-5).join("\n");
  throw new Error(`The shared service did not start: ${failure?.message ?? lines}`);
}

function spawnService(folder: SharedFolder, start: SharedStart): ChildProcess {
  const program = fileURLToPath(workerUrl(import.meta.url, "shared-service-worker"));
  const log = openSync(folder.logFile, isLarge(folder.logFile) ? "w" : "a", 0o600);
  try {
    const child = spawn(process.execPath, [program, JSON.stringify({ folder, start })], {
      cwd: folder.folder,
      detached: true,
      stdio: ["ignore", log, log],
      env: serviceEnvironment(),
      windowsHide: true,
    });
    child.unref();
    return child;
  } finally {
    closeSync(log);
  }
}

/** The environment of the test runner has options of Node that are meant for its own processes. */
function serviceEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(?:NODE_OPTIONS|NODE_V8_COVERAGE|NODE_TEST_CONTEXT|NODE_CHANNEL_.*|RESTANTE_.*)$/;
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...embeddedAllocator, ...Object.fromEntries(own) };
}

function isLarge(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > logBytesMax;
}

/** Keeps the process alive meanwhile, unlike the timers of the clock. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, retryMs));
}
