/** Visit of a page with scripts, in a browser that has no network: every request of the page is passed to a function. */
import type { Browser, BrowserContext, Page, Request, Route } from "playwright-core";
import type { PageFetch, PageResponse } from "../core/page-request.ts";
import type { PageVisit } from "./page-visitor.ts";

/** Milliseconds without requests after which a visit ends. */
const quietMs = 1000;
const pollMs = 50;
/** Longest time in which a context closes; the browser of a page that prevents it is killed. */
const closeMsMax = 2000;

const isolated = {
  acceptDownloads: false,
  offline: true,
  serviceWorkers: "block",
  locale: "en-US",
  viewport: { width: 1280, height: 800 },
} as const;

/**
 * Runs before every script of a page: hides that the browser is offline, and removes the interfaces whose packets do not
 * pass as requests, in addition to the flags of the browser.
 */
const initScript = `Object.defineProperty(Navigator.prototype, "onLine", { get: () => true });
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"]) delete globalThis[name];`;

const socketText = "Scanners open no web sockets";
const popupText = "Scanners open no further windows";

/** Dependencies of {@link visitPage}. */
export interface VisitDependencies {
  readonly browser: Browser;
  readonly fetch: PageFetch;
  /** Ends the visit. */
  readonly signal: AbortSignal;
}

/**
 * Opens a URL in a context of its own, with scripts, until the page has requested nothing for a second, or its time is
 * over. Rejects when the context cannot be closed: the browser must then be killed.
 */
export async function visitPage({ browser, fetch, signal }: VisitDependencies, visit: PageVisit): Promise<void> {
  const context = await browser.newContext({ ...isolated, userAgent: visit.userAgent });
  try {
    await context.addInitScript(initScript);
    const tab = await context.newPage();
    const traffic = new Traffic(tab, fetch, visit.visit);
    await traffic.watch(context);
    // A page that fails to load has made its requests, which are reported.
    const opened = tab.goto(visit.url, { waitUntil: "load", timeout: visit.msMax }).catch(() => undefined);
    await untilQuiet(traffic, opened, AbortSignal.any([signal, AbortSignal.timeout(visit.msMax)]));
  } finally {
    await close(context);
  }
}

/** Requests of one page. */
class Traffic {
  readonly #tab: Page;
  readonly #pass: PageFetch;
  readonly #visit: number;
  runningCount = 0;
  lastAt: number = performance.now();

  constructor(tab: Page, fetch: PageFetch, visit: number) {
    this.#tab = tab;
    this.#pass = fetch;
    this.#visit = visit;
  }

  /** Decides on every request of the context; closes further windows. */
  async watch(context: BrowserContext): Promise<void> {
    await context.route(
      () => true,
      async (route) => this.#answer(route),
    );
    context.on("page", (page) => {
      // Ignored: a window that does not close is closed with the context.
      void page.close().catch(() => undefined);
    });
    this.#tab.on("websocket", (socket) => {
      void this.#refuse(socket.url(), "websocket", socketText);
    });
  }

  async #answer(route: Route): Promise<void> {
    this.runningCount += 1;
    try {
      const response = await this.#send(route.request());
      if (response === null) await route.abort("blockedbyclient");
      else await route.fulfill(fulfilled(response));
    } catch {
      // The page is gone, or a field of the response is one that a browser refuses: the page gets no response.
      await route.abort("failed").catch(() => undefined);
    } finally {
      this.runningCount -= 1;
      this.lastAt = performance.now();
    }
  }

  async #send(request: Request): Promise<PageResponse | null> {
    if (!isOf(this.#tab, request)) return this.#refuse(request.url(), "popup", popupText);
    const cookies = await this.#tab.context().cookies(request.url());
    const headers = request.headers();
    return this.#pass({
      visit: this.#visit,
      method: request.method(),
      url: request.url(),
      headers,
      body: request.postDataBuffer(),
      cookies: cookies.map(({ name, value }) => `${name}=${value}`).join("; "),
      resource: request.resourceType(),
      pageOrigin: originOf(this.#tab.url()),
      frameOrigin: originOf(request.frame().url()),
      refusal: null,
    });
  }

  async #refuse(url: string, resource: string, refusal: string): Promise<null> {
    const page = { visit: this.#visit, headers: {}, body: null, cookies: "", pageOrigin: null, frameOrigin: null };
    await this.#pass({ ...page, method: "GET", url, resource, refusal });
    return null;
  }
}

/** Returns whether a request is one of the page; false for one that opens a window, which has no frame yet. */
function isOf(tab: Page, request: Request): boolean {
  try {
    return request.frame().page() === tab;
  } catch {
    // Not a failure: playwright throws for a request without a frame.
    return false;
  }
}

function originOf(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed.origin : null;
}

/** Fields of a response that describe its transfer, or lead the browser elsewhere. */
const droppedFields = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "location",
  "transfer-encoding",
  "alt-svc",
  "strict-transport-security",
]);

const allowOriginField = "access-control-allow-origin";

interface Fulfilled {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/**
 * Returns the response as the browser gets it. A document that redirects is replaced by one that leads on, because
 * playwright passes no request after a redirect to the route.
 */
function fulfilled({ status, headers, body, redirect }: PageResponse): Fulfilled {
  const fields: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (droppedFields.has(name)) continue;
    const before = fields[name];
    fields[name] = before === undefined ? value : `${before}${name === "set-cookie" ? "\n" : ", "}${value}`;
  }
  // Playwright lets any origin read a response without this field; no origin is "none" (Fetch §4.9, CORS check).
  fields[allowOriginField] ??= "none";
  if (redirect === null) return { status, headers: fields, body: Buffer.from(body) };
  const { "set-cookie": cookies } = fields;
  const page = `<!doctype html><meta http-equiv="refresh" content="0;url=${escapeHtml(redirect)}">`;
  const shown = {
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "no-referrer",
    [allowOriginField]: "none",
  };
  return {
    status: 200,
    headers: cookies === undefined ? shown : { ...shown, "set-cookie": cookies },
    body: Buffer.from(page),
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** Waits until the page has loaded and made no request for a second, or the signal aborts. */
async function untilQuiet(traffic: Traffic, opened: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let isOpened = false;
  void opened.then(() => (isOpened = true));
  while (!signal.aborted) {
    if (isOpened && traffic.runningCount === 0 && performance.now() - traffic.lastAt >= quietMs) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

async function close(context: BrowserContext): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error("the page did not close"));
    }, closeMsMax);
  });
  try {
    await Promise.race([context.close(), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
