/** The thread that holds the browser: one question after the other. */
import { parentPort, workerData } from "node:worker_threads";
import { auditScript, readAudit } from "./audit.ts";
import { launchBrowser, unpackBrowser, type OpenBrowser } from "./browser.ts";
import { composePage } from "./mail-page.ts";
import { groupBytes, isUnreaped, killGroup, killSession } from "./process-group.ts";
import type { RenderAnswer, RenderMessage, RenderQuestion, RenderResult, RenderSetting } from "./render-protocol.ts";

const { browser: found, folder, sessionFolder, limits, memoryBytesMax } = workerData as RenderSetting;
const watchMs = 200;
const reapPauseMs = 20;
/** Browsers that were killed and are not known to be reaped. */
const killed = new Set<number>();
let isEnding = false;
let opening: Promise<OpenBrowser> | null = null;

function tell(answer: RenderAnswer): void {
  parentPort?.postMessage(answer);
}

async function open(): Promise<OpenBrowser> {
  try {
    const path = found.kind === "executable" ? found.path : await unpackBrowser(folder);
    if (isEnding) throw new Error("the thread is ending");
    const opened = await launchBrowser(path);
    tell({ kind: "opened", processId: opened.processId });
    return opened;
  } catch (error) {
    throw new Error("Chromium could not be started; the service's log says why", { cause: error });
  }
}

async function answer(question: RenderQuestion): Promise<void> {
  try {
    tell({ kind: "done", result: await render(question) });
  } catch (error) {
    const isOurs = error instanceof Error && error.cause !== undefined;
    const text = isOurs ? error.message : "The mail could not be rendered: it asks for too much time or memory";
    tell({ kind: "failed", text, detail: detailOf(error) });
  }
}

/** A mail may only fail in a browser that has shown no other: what one did to it must not be the next one's fault. */
async function render(question: RenderQuestion): Promise<RenderResult> {
  const isNew = opening === null;
  let stopWatching = (): void => undefined;
  try {
    const browser = await (opening ??= open());
    tell({ kind: "begun" });
    stopWatching = watchMemory(browser);
    return await resultOf(browser, question);
  } catch (error) {
    await drop();
    if (isNew || isEnding) throw error;
  } finally {
    stopWatching();
  }
  return render(question);
}

/** Ends the browser without asking it. */
async function drop(): Promise<void> {
  // Whoever asked for the browser got the rejection.
  const left = await opening?.catch(() => null);
  opening = null;
  if (left !== undefined && left !== null) kill(left);
}

function kill({ processId }: OpenBrowser): void {
  if (processId === null) return;
  killed.add(processId);
  killGroup(processId);
}

async function resultOf(browser: OpenBrowser, { raw, client }: RenderQuestion): Promise<RenderResult> {
  const page = composePage(raw, limits, client);
  return client === null
    ? { audit: readAudit(await browser.examine(page, auditScript())) }
    : { png: await browser.photograph(page, client) };
}

/** Ends a browser that takes too much; what it was doing then fails. */
function watchMemory({ processId }: OpenBrowser): () => void {
  const timer = setInterval(() => {
    if (processId !== null && groupBytes(processId) > memoryBytesMax) killGroup(processId);
  }, watchMs);
  return () => {
    clearInterval(timer);
  };
}

function detailOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

/** Ends the browser, then the thread. */
async function end(): Promise<void> {
  isEnding = true;
  // Whoever asked for the browser got the rejection.
  const last = await opening?.catch(() => null);
  opening = null;
  if (last !== null && last?.processId !== null && last?.processId !== undefined) killed.add(last.processId);
  // Harmless: a browser that does not close is killed.
  await last?.close().catch(() => undefined);
  await untilReaped();
  parentPort?.close();
}

/** Kills the browser, also one that is starting, then ends the thread. */
async function killAndEnd(): Promise<void> {
  isEnding = true;
  const settled = new AbortController();
  const opened = (opening ?? Promise.resolve(null))
    // Whoever asked for the browser got the rejection.
    .catch(() => null)
    .finally(() => {
      settled.abort();
    });
  do {
    for (const processId of killSession(sessionFolder)) killed.add(processId);
    await pause();
  } while (!settled.signal.aborted);
  const last = await opened;
  if (last !== null) kill(last);
  await untilReaped();
  parentPort?.close();
}

/**
 * Resolves when the killed browsers are reaped. This thread's event loop does that; if it ended before, they would stay
 * defunct for as long as the service runs.
 */
async function untilReaped(): Promise<void> {
  for (const processId of killed) while (isUnreaped(processId)) await pause();
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, reapPauseMs));
}

function hear(message: RenderMessage): void {
  if (message === "close") void end();
  else if (message === "kill") void killAndEnd();
  else void answer(message);
}

parentPort?.on("message", hear);
