/** The thread that holds the browser: one question after the other. */
import { parentPort, workerData } from "node:worker_threads";
import { auditScript, readAudit } from "./audit.ts";
import { launchBrowser, unpackBrowser, type OpenBrowser } from "./browser.ts";
import { composePage } from "./mail-page.ts";
import { groupBytes, killGroup } from "./process-group.ts";
import type { RenderAnswer, RenderQuestion, RenderResult, RenderSetting } from "./render-protocol.ts";

const { browser: found, folder, limits, memoryBytesMax } = workerData as RenderSetting;
const watchMs = 200;
let opening: Promise<OpenBrowser> | null = null;

function tell(answer: RenderAnswer): void {
  parentPort?.postMessage(answer);
}

async function open(): Promise<OpenBrowser> {
  try {
    const opened = await launchBrowser(found.kind === "executable" ? found.path : await unpackBrowser(folder));
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
    if (isNew) throw error;
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
  if (left !== undefined && left !== null && left.processId !== null) killGroup(left.processId);
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

async function end(): Promise<void> {
  // Whoever asked for the browser got the rejection.
  const last = await opening?.catch(() => null);
  opening = null;
  await last?.close();
  parentPort?.close();
}

parentPort?.on("message", (message: RenderQuestion | "close") => void (message === "close" ? end() : answer(message)));
