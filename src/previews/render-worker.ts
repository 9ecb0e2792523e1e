/** Main module of the process that drives the browser; handles one request at a time. */
import { answerCalls, readWorkerSettings } from "../workers/answer-calls.ts";
import { auditScript, readAudit } from "./audit.ts";
import { launchBrowser, unpackBrowser, type OpenBrowser } from "./browser.ts";
import { composePage } from "./mail-page.ts";
import { groupBytes, killChildren, killGroup } from "./process-group.ts";
import type { RenderRequest, RenderResult, RenderWorkerSettings } from "./render-request.ts";

const { browser: found, folder, limits, memoryBytesMax } = readWorkerSettings() as RenderWorkerSettings;
const watchMs = 200;
const reapPauseMs = 20;
let browser: OpenBrowser | null = null;
/** Whether {@link browser} has rendered a mail. */
let isUsed = false;

async function open(): Promise<OpenBrowser> {
  isUsed = false;
  return launchBrowser(found.kind === "executable" ? found.path : await unpackBrowser(folder));
}

/**
 * Renders a mail. A mail that fails is rendered again in a new browser, unless the browser was new: a previous mail may
 * have damaged it.
 */
async function render(request: RenderRequest): Promise<RenderResult> {
  browser ??= await open();
  const wasUsed = isUsed;
  isUsed = true;
  const stopWatching = watchMemory(browser);
  try {
    return await resultOf(browser, request);
  } catch (error) {
    if (browser.processId !== null) killGroup(browser.processId);
    browser = null;
    if (!wasUsed) throw error;
  } finally {
    stopWatching();
  }
  return render(request);
}

async function resultOf(current: OpenBrowser, { raw, client }: RenderRequest): Promise<RenderResult> {
  const page = composePage(raw, limits, client);
  return client === null
    ? { audit: readAudit(await current.examine(page, auditScript())) }
    : { png: await current.photograph(page, client) };
}

/** Kills a browser that exceeds its memory; the current request fails then. */
function watchMemory({ processId }: OpenBrowser): () => void {
  const timer = setInterval(() => {
    if (processId !== null && groupBytes(processId) > memoryBytesMax) killGroup(processId);
  }, watchMs);
  return () => {
    clearInterval(timer);
  };
}

/** Kills the browser, waits until this process has reaped it, and exits. */
function exit(): void {
  if (killChildren() === 0) process.exit();
  setTimeout(exit, reapPauseMs);
}

process.once("disconnect", exit);
// If the browser does not start, this process exits with the error, which the service reports.
browser = await open();
answerCalls(render);
