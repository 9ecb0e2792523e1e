/** Frame of the programs in this folder: an application, its mail in the service, and a browser for its pages. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Browser, Page } from "playwright-core";
import { RestanteClient, type ReceivedMessage } from "../../src/client/package-entry.ts";
import { startBrowser } from "../../test/journeys/web/setup.ts";
import { applications } from "./applications.ts";
import { recordResult, type ApplicationResult } from "./results.ts";
import { settingsOf } from "./settings.ts";

/** Options of a command. */
interface CommandOptions {
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const environment = (name: string): string => process.env[name] ?? "";
const server = environment("RESTANTE_SERVER");
const restante = new RestanteClient();

/** Longest start of an application, in milliseconds; like the next one, it only matters when something fails. */
const startMsMax = 600_000;
/** Longest wait for a mail or a part of a page, in milliseconds. */
const patienceMs = 120_000;

/** Password that common rules for passwords accept. */
export const password = "Correct-horse-7-battery";
/** Password that a reset sets. */
export const otherPassword = "Another-pony-8-charger";

/** Access to an application that is tried. */
export class Trial implements AsyncDisposable {
  readonly smtp: { readonly host: string; readonly port: number } = {
    host: "127.0.0.1",
    port: Number(environment("MAILOSAUR_SMTP_PORT")),
  };
  /** Folder in which the application is installed; removed afterwards. */
  readonly folder: string;
  readonly #title: string;
  readonly #processes: ChildProcess[] = [];
  #browser: Browser | undefined;

  constructor(title: string, folder: string) {
    this.#title = title;
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Returns the settings that the guide shows below a heading; default: that of the application. */
  settings(title: string = this.#title): string {
    return settingsOf(title, this.smtp.port);
  }

  /** Returns an address of the server of this run. */
  address(name: string): string {
    return `${name}@${server}.restante.example.com`;
  }

  /** Does something in the application, and returns the mail that it then sends to an address. */
  async mailTo(address: string, cause: () => Promise<unknown>): Promise<ReceivedMessage> {
    const after = await restante.messages.cursor(server);
    await cause();
    return restante.messages.waitForOne(server, { sentTo: address }, { after, timeout: patienceMs });
  }

  /** Opens a page in a browser without cookies. */
  async page(): Promise<Page> {
    this.#browser ??= await startBrowser();
    const context = await this.#browser.newContext({ locale: "en" });
    context.setDefaultTimeout(patienceMs);
    return context.newPage();
  }

  /** Returns the address and the text of each open page. */
  async shown(): Promise<string> {
    const pages = this.#browser?.contexts().flatMap((context) => context.pages()) ?? [];
    const texts = await Promise.all(pages.map(async (page) => `${page.url()}\n${await page.innerText("body")}\n\n`));
    return texts.join("");
  }

  /** Runs a command until it exits, and returns its standard output; throws with its output unless it exits with 0. */
  async run([command, ...argv]: readonly [string, ...string[]], options: CommandOptions = {}): Promise<string> {
    const child = spawn(command, argv, optionsOf(options));
    const [out, error] = [collect(child.stdout), collect(child.stderr)];
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(`${command} exited with ${String(code)}: ${out()}${error()}`);
    return out();
  }

  /** Starts a command that is stopped at the end, and waits until the URL, if any, answers. Its output is in `name.log`. */
  async start(
    url: string | null,
    [command, ...argv]: readonly [string, ...string[]],
    options: CommandOptions = {},
  ): Promise<void> {
    const child = spawn(command, argv, optionsOf(options));
    this.#processes.push(child);
    const log = createWriteStream(join(this.folder, `${basename(command)}.log`));
    child.stdout?.pipe(log);
    child.stderr?.pipe(log);
    const error = collect(child.stderr);
    if (url === null) return;
    const end = Date.now() + startMsMax;
    while (!(await doesAnswer(url))) {
      if (child.exitCode !== null) throw new Error(`${command} exited with ${String(child.exitCode)}: ${error()}`);
      if (Date.now() > end) throw new Error(`${command} does not answer at ${url}: ${error()}`);
      await pause(200);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser?.close();
    for (const child of this.#processes.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    }
  }
}

/** Posts JSON, and returns the JSON of the response; throws with its text when the status is not 2xx. */
export async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const request = {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: JSON.stringify(body),
  };
  const response = await fetch(url, request);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${String(response.status)} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** Tries the application that the running program is named after, and records what its body returns. */
export async function tryApplication(body: (trial: Trial) => Promise<Omit<ApplicationResult, "name">>): Promise<void> {
  const [, program = "", folder = ""] = process.argv;
  const name = basename(program, ".ts");
  const application = applications[name];
  if (application === undefined) throw new Error(`${name} is not in applications.ts`);
  await using trial = new Trial(application.title, folder);
  const result = await body(trial).catch(async (error: unknown) => {
    process.stderr.write(await trial.shown());
    throw error;
  });
  recordResult({ name, ...result });
  process.stdout.write(`${application.title} ${result.version}: ${result.flows}\n`);
}

function optionsOf({ folder, environment: own = {} }: CommandOptions): object {
  return { cwd: folder, env: { ...process.env, ...own }, stdio: ["ignore", "pipe", "pipe"] };
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = "";
  stream?.on("data", (chunk: Buffer) => (text = `${text}${chunk.toString()}`.slice(-10_000)));
  return () => text;
}

async function doesAnswer(url: string): Promise<boolean> {
  return fetch(url, { redirect: "manual" }).then(
    (response) => response.status < 500,
    () => false,
  );
}
