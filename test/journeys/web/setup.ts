/** A browser, a service, and actions of users, for journeys through the web UI. */
import chromium from "@sparticuz/chromium";
import { createTransport, type SendMailOptions } from "nodemailer";
import {
  chromium as playwright,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from "playwright-core";
import { hasMemory } from "../../../src/testing/memory-folder.test-aid.ts";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";

/** Browser and service that the journeys share. */
export interface Setup {
  readonly browser: Browser;
  readonly service: Restante;
  /** Ids of the servers that the service begins with. */
  readonly servers: readonly [first: string, second: string];
}

/** A browser and the address of a service. */
export interface BrowserAndService {
  readonly browser: Browser;
  readonly service: Pick<Restante, "url" | "apiKey">;
}

/** A signed-in page with the errors of its console. */
export interface SignedIn extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly consoleErrors: readonly string[];
}

/** Shared memory for the pictures of Chromium. */
const pictureBytes = 1024 ** 3;

/** Longest wait for an element, in milliseconds; it only matters when a test fails. */
export const elementWaitMsMax = 120_000;

/** A page is loaded anew before the code that V8 optimises after the usual number of calls has paid off: 400 and 3,000. */
const lateOptimisation = "--js-flags=--invocation-count-for-maglev=20000,--invocation-count-for-turbofan=40000";

/** Starts Chromium; it is unpacked when it is first started on a machine, which takes seconds. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = await chromium.executablePath();
  const args = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none", lateOptimisation];
  // Otherwise, playwright-core has the shared memory in files of the temporary folder.
  const ignoreDefaultArgs = (await hasMemory(pictureBytes)) ? ["--disable-dev-shm-usage"] : [];
  return playwright.launch({ executablePath, args, ignoreDefaultArgs });
}

/** Starts browser and service. */
export async function startSetup(): Promise<Setup> {
  const servers = ["shop1234", "auth5678"] as const;
  const [browser, service] = await Promise.all([
    startBrowser(),
    startRestante({ servers: servers.map((id, at) => ({ id, name: `Server ${at + 1}` })) }),
  ]);
  return { browser, service, servers };
}

/** Stops both. */
export async function stopSetup({ browser, service }: Setup): Promise<void> {
  await browser.close();
  await service.stop();
}

/** Options of a visit. */
export interface VisitOptions {
  /** API key; by default the one of the account. */
  readonly key?: string;
  readonly colorScheme?: "light" | "dark";
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly reducedMotion?: "reduce";
  /** Script that runs before those of each page. */
  readonly script?: string;
  /** Path of the first page. */
  readonly path?: string;
}

/** Returns the rows of the message list. */
export function rowsOf(page: Page): Locator {
  return page.getByRole("region", { name: "Messages" }).getByRole("listitem");
}

/** Selects a tab of the open message, and one of its views. */
export async function selectTab(page: Page, tab: string, view?: string): Promise<void> {
  await page.getByRole("tab", { name: tab }).click();
  if (view === undefined) return;
  await page.getByRole("group", { name: "View", exact: true }).getByRole("button", { name: view }).click();
}

/** Opens a browser context that waits long enough on a busy machine. */
export async function newContext(
  { browser }: Pick<Setup, "browser">,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(elementWaitMsMax);
  return context;
}

/** Opens a page without the storage of earlier visits and signs in. */
export async function visit({ browser, service }: BrowserAndService, options: VisitOptions = {}): Promise<SignedIn> {
  const { key = service.apiKey, path = "/", script, colorScheme = "light", reducedMotion = null } = options;
  const { viewport = { width: 1280, height: 800 } } = options;
  const page = (script === undefined ? idlePages.get(browser)?.pop() : undefined) ?? (await openPage(browser, script));
  const context = page.context();
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme, reducedMotion });
  const consoleErrors: string[] = [];
  page.on("pageerror", (error) => consoleErrors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") consoleErrors.push(`${message.text()} ${message.location().url}`);
  });
  // Without the form, which other tests fill in: a visit takes less time.
  await page.goto(`${service.url}${path}#token=${key}`);
  await page.getByRole("link", { name: "restante: all servers" }).waitFor();
  const leave = async (): Promise<void> => {
    const isKept = script === undefined && !page.isClosed() && (await resetPage(page));
    if (isKept) idlePages.set(browser, [...(idlePages.get(browser) ?? []), page]);
    else await context.close();
  };
  return { page, context, consoleErrors, [Symbol.asyncDispose]: leave };
}

/**
 * Pages of visits that have ended. A further visit uses one of them: its process has compiled the scripts and its context
 * has the files, which saves a third of a CPU second of each visit.
 */
const idlePages = new WeakMap<Browser, Page[]>();

async function openPage(browser: Browser, script?: string): Promise<Page> {
  const context = await newContext({ browser }, { permissions: ["clipboard-read", "clipboard-write"] });
  await context.addInitScript(script ?? emptyStorage);
  return context.newPage();
}

/** Script that runs before those of the page, and empties the storage when the page is the first one of a visit. */
const emptyStorage = `if (location.hash.startsWith("#token=")) {
  localStorage.clear();
  sessionStorage.clear();
}`;

/**
 * Leaves the application, and removes cookies, further pages, routes and listeners of a visit. Returns false when the service
 * of the page has stopped: only another page of the same site keeps the process.
 */
async function resetPage(page: Page): Promise<boolean> {
  const context = page.context();
  for (const event of ["console", "pageerror", "request", "requestfailed", "response"] as const)
    page.removeAllListeners(event);
  await Promise.all(context.pages().map(async (other) => (other === page ? undefined : other.close())));
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.unrouteAll({ behavior: "ignoreErrors" });
  const left = await page.goto(`${new URL(page.url()).origin}/healthz`).catch(() => null);
  await page.mouse.move(0, 0);
  await context.clearCookies();
  return left?.ok() === true;
}

/** Sends an email over SMTP; a string as `from` is also the envelope sender. Resolves when the service has stored it. */
export async function send(
  { service }: Pick<Setup, "service">,
  mail: SendMailOptions | string,
  to: string,
): Promise<void> {
  const transport = createTransport({ ...service.smtp, tls: { rejectUnauthorized: false } });
  const own = typeof mail === "string" ? undefined : mail.from;
  const envelope = { from: typeof own === "string" ? own : "app@example.com", to: [to] };
  await transport.sendMail(
    typeof mail === "string" ? { envelope, raw: mail } : { from: "app@example.com", to, ...mail },
  );
  transport.close();
}

/** Sends an API request such as `GET /api/servers` with the key of the account; undefined for an empty response. Throws unless it succeeds. */
export async function request<Answer = unknown>(
  { service }: Pick<BrowserAndService, "service">,
  line: string,
  body?: unknown,
): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
  const response = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) ?? null });
  if (!response.ok) throw new Error(`${line}: ${await response.text()}`);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

/** Returns the ids of the messages on one page of 100 in a server; newest first. */
export async function messageIds(
  to: Pick<BrowserAndService, "service">,
  server: string,
  page = 0,
): Promise<readonly string[]> {
  const line = `GET /api/messages?server=${server}&page=${page}&itemsPerPage=100`;
  return (await request<readonly { readonly id: string }[]>(to, line)).map(({ id }) => id);
}

/** Deletes all messages of a server. */
export async function empty(of: Setup, server: string): Promise<void> {
  await request(of, `DELETE /api/messages?server=${server}`);
}

/** Returns the text on the clipboard. */
export async function clipboardOf(page: Page): Promise<string> {
  return page.evaluate<string>("navigator.clipboard.readText()");
}
