/** Main module of the process that drives the browser of link scanners; visits one page at a time. */
import type { PageFetch, PageResponse } from "../core/page-request.ts";
import { answerCalls, readWorkerSettings } from "../workers/answer-calls.ts";
import { executableOf, launchVisitBrowser, type VisitBrowser } from "./browser.ts";
import type { BrowserSettings } from "./browser-process.ts";
import { exitAfterChildren, killGroup, watchMemory } from "./process-group.ts";
import type { PageRequested, PageVisit, VisitMessage } from "./page-visitor.ts";

const settings = readWorkerSettings() as BrowserSettings;
let browser: VisitBrowser | null = null;
let running: { readonly visit: number; readonly end: AbortController } | null = null;
let lastNumber = 0;
const waiting = new Map<number, (response: PageResponse | null) => void>();

async function open(): Promise<VisitBrowser> {
  return launchVisitBrowser(await executableOf(settings));
}

/** Passes a request of the page to the service, which sends it. */
const passOn: PageFetch = async (request) => {
  const number = ++lastNumber;
  const { promise, resolve } = Promise.withResolvers<PageResponse | null>();
  waiting.set(number, resolve);
  process.send?.({ kind: "page-request", number, request } satisfies PageRequested);
  return promise;
};

/** Visits a page. Its browser is killed when it fails or takes too much memory, and is not asked again. */
async function visit(request: PageVisit): Promise<null> {
  const end = new AbortController();
  running = { visit: request.visit, end };
  browser ??= await open();
  const { processId } = browser;
  const stopWatching = watchMemory(processId, settings.memoryBytesMax);
  try {
    await browser.visit(request, passOn, end.signal);
    if (!browser.isConnected()) throw new Error("the browser exited during the visit");
    return null;
  } catch (error) {
    killGroup(processId);
    browser = null;
    throw error;
  } finally {
    stopWatching();
    running = null;
    for (const resolve of waiting.values()) resolve(null);
    waiting.clear();
  }
}

exitAfterChildren();
// If the browser does not start, this process exits with the error, which the service reports.
browser = await open();
process.on("message", (message: VisitMessage | { readonly kind?: undefined }) => {
  if (message.kind === "page-response") {
    waiting.get(message.number)?.(message.response);
    waiting.delete(message.number);
  } else if (message.kind === "end-visit" && message.visit === running?.visit) running.end.abort();
});
answerCalls(visit, { isCall: (message) => !("kind" in message) });
