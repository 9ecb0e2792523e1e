/** A browser, a service, and the ways between them, for journeys through the web UI. */
import chromium from "@sparticuz/chromium";
import { createTransport, type SendMailOptions } from "nodemailer";
import { chromium as playwright, type Browser, type BrowserContext, type Page } from "playwright-core";
import { startRestante, type Restante } from "../../../src/testing/start-restante.ts";

/** What journeys share. */
export interface Bench {
  readonly browser: Browser;
  readonly service: Restante;
  /** Ids of the servers that the service begins with. */
  readonly servers: readonly [first: string, second: string];
}

/** A browser, and a service that can be visited with it. */
export interface Visited {
  readonly browser: Browser;
  readonly service: Pick<Restante, "url" | "apiKey">;
}

/** A page that is signed in, and what it said on its console that a developer would have to look at. */
export interface SignedIn extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly complaints: readonly string[];
}

/** Longest wait for anything that a page shall show; it only counts when a test fails. */
export const shownMsMax = 60_000;

/** Starts the browser of the registry; the first time on a machine it unpacks itself, which takes seconds. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = await chromium.executablePath();
  return playwright.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"] });
}

/** Starts browser and service. */
export async function startBench(): Promise<Bench> {
  const servers = ["shop1234", "auth5678"] as const;
  const [browser, service] = await Promise.all([
    startBrowser(),
    startRestante({ servers: servers.map((id, at) => ({ id, name: `Server ${at + 1}` })) }),
  ]);
  return { browser, service, servers };
}

/** Ends both. */
export async function stopBench({ browser, service }: Bench): Promise<void> {
  await browser.close();
  await service.stop();
}

/** What a visitor's browser is like. */
export interface Visitor {
  /** The account's key where absent. */
  readonly key?: string;
  readonly colorScheme?: "light" | "dark";
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Where the visit begins. */
  readonly path?: string;
}

/** Opens a page in a browser context of its own, signed in. */
export async function visit({ browser, service }: Visited, visitor: Visitor = {}): Promise<SignedIn> {
  const { key = service.apiKey, colorScheme = "light", viewport = { width: 1280, height: 800 }, path = "/" } = visitor;
  const context = await browser.newContext({
    colorScheme,
    viewport,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(shownMsMax);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("401")) complaints.push(message.text());
  });
  await page.goto(service.url + path);
  await page.getByLabel("API key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "restante: all servers" }).waitFor();
  return { page, context, complaints, [Symbol.asyncDispose]: async () => context.close() };
}

/** Sends one mail, in an envelope from its `from` where that is a text; resolves when the service has it. */
export async function send(
  { service }: Pick<Bench, "service">,
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

/** Asks the API, `GET /api/servers`, with the account's key; rejects with what a refusal says. */
export async function request<Answer = unknown>(
  { service }: Pick<Visited, "service">,
  line: string,
  body?: unknown,
): Promise<Answer> {
  const [method = "", path = ""] = line.split(" ");
  const headers = { authorization: `Bearer ${service.apiKey}`, "content-type": "application/json" };
  const response = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) ?? null });
  if (!response.ok) throw new Error(`${line}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Ids of a server's messages, newest first. */
export async function messageIds({ service }: Pick<Visited, "service">, server: string): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  const response = await fetch(`${service.url}/api/messages?server=${server}`, { headers });
  return ((await response.json()) as { id: string }[]).map(({ id }) => id);
}

/** Deletes all messages of a server. */
export async function empty({ service }: Bench, server: string): Promise<void> {
  const headers = { authorization: `Bearer ${service.apiKey}` };
  await fetch(`${service.url}/api/messages?server=${server}`, { method: "DELETE", headers });
}

/** What is on the clipboard. */
export async function clipboardOf(page: Page): Promise<string> {
  return page.evaluate<string>("navigator.clipboard.readText()");
}
