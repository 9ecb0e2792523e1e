/** The only importer of playwright-core and @sparticuz/chromium, which are optional peer dependencies. */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, CDPSession, Page, Route } from "playwright-core";
import type { PageFetch } from "../core/page-request.ts";
import { unpackOnce } from "./browser-folder.ts";
import type { BrowserSettings } from "./browser-process.ts";
import type { EmailClient } from "./email-client.ts";
import { pageOrigin } from "./mail-images.ts";
import type { MailPage } from "./mail-page.ts";
import type { TextLine } from "./compare-screenshot.ts";
import { readFontFamilies, readTextLines } from "./read-page.ts";
import { visitPage } from "./visit-page.ts";
import type { PageVisit } from "./page-visitor.ts";

/** Pixels of a picture on its longer side, and in total; the rest of the page is cut off. */
const sidePixelsMax = 16_000;
const picturePixelsMax = 40_000_000;
/** Widest page that clients scale down to their screen, in CSS pixels. */
const fittedWidthMax = 2000;
const loadMsMax = 15_000;

const auditViewport = { width: 800, height: 900 };

/** Flags in addition to those of playwright-core that deny the browser any network access. */
const noNetworkFlags = [
  "--host-resolver-rules=MAP * ~NOTFOUND",
  "--proxy-server=http://127.0.0.1:9",
  "--proxy-bypass-list=<-loopback>",
  "--dns-prefetch-disable",
  "--no-pings",
  "--disable-domain-reliability",
  "--disable-gpu",
  "--font-render-hinting=none",
];
/** Flags that keep scripts of pages from sending packets that are no requests (WebRTC). */
const noPacketFlags = [
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
];
/** Flags that keep pictures independent of the screen, the processor and the moment. */
const samePictureFlags = [
  "--disable-lcd-text",
  "--force-color-profile=srgb",
  "--disable-skia-runtime-opts",
  "--hide-scrollbars",
  "--blink-settings=imageAnimationPolicy=2",
];
const policy = `default-src 'none'; img-src ${pageOrigin}/part/; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'`;

/** Running browser that renders pages. */
export interface OpenBrowser {
  /** Id of the browser's process, which is the leader of its process group. */
  readonly processId: number | null;
  /** Returns a PNG of the page, as high as its content within the limits. Rejects if the page does not load in time. */
  photograph(page: MailPage, client: EmailClient): Promise<Uint8Array>;
  /** Returns the result of `read` about the picture that {@link photograph} returns, while the page is open. */
  study<Result>(page: MailPage, client: EmailClient, read: (shown: ShownPicture) => Promise<Result>): Promise<Result>;
  /**
   * Runs a script of this project in the page, where scripts of the page itself are blocked, and returns its result.
   */
  examine(page: MailPage, script: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Returns the path of the browser; that in the package is unpacked below the folder the first time. Call it in a worker. */
export async function executableOf({ browser, folder }: Pick<BrowserSettings, "browser" | "folder">): Promise<string> {
  if (browser.kind === "executable") return browser.path;
  const { default: chromium } = await import("@sparticuz/chromium");
  const file = import.meta.resolve("@sparticuz/chromium");
  const name = `chromium-${createHash("sha256")
    .update(file)
    .update(String(statSync(new URL(file)).mtimeMs))
    .digest("hex")
    .slice(0, 16)}`;
  const unpacked = await unpackOnce(folder, name, async (into) => {
    // The package unpacks into the temporary folder. Each worker has an environment of its own.
    const { TMPDIR } = process.env;
    process.env["TMPDIR"] = into;
    await chromium.executablePath();
    if (TMPDIR !== undefined) process.env["TMPDIR"] = TMPDIR;
  });
  return join(unpacked, "chromium");
}

/**
 * Starts a browser in Chromium's sandbox, which does not exist for the superuser. `fonts` is the path of a configuration of
 * fontconfig. Rejects if it does not start.
 */
export async function launchBrowser(executablePath: string, fonts: string): Promise<OpenBrowser> {
  const environment = { FONTCONFIG_FILE: fonts, LANG: "en_US.UTF-8", LC_ALL: "", LANGUAGE: "", TZ: "UTC" };
  const browser = await launch(executablePath, [...noNetworkFlags, ...samePictureFlags], environment);
  return {
    processId: await processIdOf(browser),
    photograph: (page, client) =>
      whileRunning(browser, () => photograph(browser, { page, client }, async ({ png }) => png)),
    study: (page, client, read) => whileRunning(browser, () => photograph(browser, { page, client }, read)),
    examine: (page, script) => whileRunning(browser, () => examine(browser, page, script)),
    close: () => browser.close(),
  };
}

/** Running browser that visits pages with their scripts. */
export interface VisitBrowser {
  /** Id of the browser's process, which is the leader of its process group. */
  readonly processId: number | null;
  /** Visits a page: see {@link visitPage}. */
  visit(page: PageVisit, fetch: PageFetch, signal: AbortSignal): Promise<void>;
  /** Returns false when the browser has exited. */
  isConnected(): boolean;
}

/** Starts a browser of link scanners, which has no network either. Rejects if it does not start. */
export async function launchVisitBrowser(executablePath: string): Promise<VisitBrowser> {
  const browser = await launch(executablePath, [...noNetworkFlags, ...noPacketFlags]);
  return {
    processId: await processIdOf(browser),
    visit: (page, fetch, signal) => whileRunning(browser, () => visitPage({ browser, fetch, signal }, page)),
    isConnected: () => browser.isConnected(),
  };
}

/**
 * Returns the result of an action. Rejects when the browser exits, on which a call of playwright may wait forever: for
 * example one that opens a page at that moment.
 */
async function whileRunning<Result>(browser: Browser, action: () => Promise<Result>): Promise<Result> {
  const exit = Promise.withResolvers<never>();
  const reject = (): void => {
    exit.reject(new Error("the browser exited"));
  };
  browser.once("disconnected", reject);
  try {
    return await Promise.race([action(), exit.promise]);
  } finally {
    browser.off("disconnected", reject);
  }
}

async function launch(executablePath: string, flags: readonly string[], environment: object = {}): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  const chromiumSandbox = process.getuid?.() !== 0;
  return chromium.launch({
    executablePath,
    chromiumSandbox,
    args: [...flags],
    env: { ...process.env, ...environment },
    timeout: 30_000,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

async function processIdOf(browser: Browser): Promise<number | null> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  return processInfo.find(({ type }) => type === "browser")?.id ?? null;
}

/** Picture of a page, and what the open page tells about it. */
export interface ShownPicture {
  readonly png: Uint8Array;
  readonly readLines: () => Promise<readonly TextLine[]>;
  /** Returns the families of the fonts that texts were drawn with. */
  readonly readFonts: () => Promise<readonly string[]>;
}

async function photograph<Result>(
  browser: Browser,
  { page, client }: { readonly page: MailPage; readonly client: EmailClient },
  read: (shown: ShownPicture) => Promise<Result>,
): Promise<Result> {
  const { viewport, pixelRatio, dark } = client;
  const context = await browser.newContext({
    ...isolated,
    viewport,
    deviceScaleFactor: pixelRatio,
    colorScheme: dark === "no" ? "light" : "dark",
    javaScriptEnabled: false,
  });
  try {
    const tab = await context.newPage();
    const session = await context.newCDPSession(tab);
    await load(tab, page, "sandbox");
    if (dark === "forced") await session.send("Emulation.setAutoDarkModeOverride", { enabled: true });
    const { png, ratio } = await capture(session, client);
    const readLines = async (): Promise<readonly TextLine[]> => readTextLines(session, ratio);
    return await read({ png, readLines, readFonts: async () => readFontFamilies(session) });
  } finally {
    await close(context);
  }
}

async function examine(browser: Browser, page: MailPage, script: string): Promise<unknown> {
  const context = await browser.newContext({ ...isolated, viewport: auditViewport });
  try {
    const tab = await context.newPage();
    await load(tab, page, "sandbox allow-scripts");
    return await tab.evaluate<unknown>(script);
  } finally {
    await close(context);
  }
}

const isolated = { acceptDownloads: false, offline: true, serviceWorkers: "block", locale: "en-US" } as const;

/** Loads the page: serves the first request with the page, later ones with its images, and aborts all others. */
async function load(tab: Page, { html, images }: MailPage, sandbox: string): Promise<void> {
  let isLoaded = false;
  await tab.route(
    () => true,
    async (route: Route) => {
      const url = route.request().url();
      const image = images.get(url);
      if (image !== undefined) {
        await route.fulfill({ contentType: image.contentType, body: Buffer.from(image.bytes) });
      } else if (!isLoaded && url === `${pageOrigin}/`) {
        isLoaded = true;
        const headers = {
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": `${policy}; ${sandbox}`,
          "x-dns-prefetch-control": "off",
          "referrer-policy": "no-referrer",
        };
        await route.fulfill({ headers, body: html });
      } else await route.abort();
    },
  );
  await tab.goto(`${pageOrigin}/`, { waitUntil: "load", timeout: loadMsMax });
}

/** Size of the captured part of the page, and device pixels per CSS pixel. */
interface Screen {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
}

async function capture(
  session: CDPSession,
  client: EmailClient,
): Promise<{ readonly png: Uint8Array; readonly ratio: number }> {
  const { viewport, pixelRatio, zoomsOut, dark } = client;
  let screen: Screen = { ...viewport, ratio: pixelRatio };
  let content = await measure(session, screen);
  if (zoomsOut && content.width > screen.width) {
    const width = Math.min(Math.ceil(content.width), fittedWidthMax);
    const scale = width / viewport.width;
    screen = { width, height: Math.ceil(viewport.height * scale), ratio: pixelRatio / scale };
    content = await measure(session, screen);
  }
  const { width, ratio } = screen;
  const heightMax = Math.min(sidePixelsMax / ratio, picturePixelsMax / (width * ratio * ratio));
  const height = Math.floor(Math.min(Math.max(content.height, screen.height), heightMax));
  const clip = { x: 0, y: 0, width, height, scale: 1 };
  // Chromium inverts no colours outside of the screen, so the screen must be as high as the page.
  const captureBeyondViewport = dark !== "forced";
  if (!captureBeyondViewport) await measure(session, { width, height, ratio });
  const { data } = await session.send("Page.captureScreenshot", { format: "png", captureBeyondViewport, clip });
  return { png: Buffer.from(data, "base64"), ratio };
}

/** Returns the size of the page on a screen, in CSS pixels. The session captures on the screen that was set last. */
async function measure(
  session: CDPSession,
  { width, height, ratio }: Screen,
): Promise<{ readonly width: number; readonly height: number }> {
  const metrics = { width, height, deviceScaleFactor: ratio, mobile: false };
  await session.send("Emulation.setDeviceMetricsOverride", metrics);
  return (await session.send("Page.getLayoutMetrics")).cssContentSize;
}

/** Closes a context; if that fails, the context is closed with the browser. */
async function close(context: BrowserContext): Promise<void> {
  // Ignored: the browser exits soon and closes all of its contexts.
  await context.close().catch(() => undefined);
}
