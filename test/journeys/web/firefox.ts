/** Firefox, driven over WebDriver BiDi, where a machine has one: https://w3c.github.io/webdriver-bidi/. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { WebSocket } from "ws";

/** Returns the path of a Firefox on this machine; undefined without one. */
export function findFirefox(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return ["firefox", "firefox-esr"]
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((file) => existsSync(file));
}

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly message?: string;
  readonly params?: { readonly level: string; readonly text: string };
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Preferences of a profile without requests to others and pages of a first start. */
const preferences = {
  "app.normandy.enabled": false,
  "app.update.enabled": false,
  "browser.aboutwelcome.enabled": false,
  "browser.shell.checkDefaultBrowser": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
};

/** One tab of a Firefox with a profile of its own. */
export class Firefox implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  /** Errors of the console. */
  readonly errors: string[] = [];
  #context = "";

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
    socket.on("message", (text: Buffer) => {
      this.#receive(JSON.parse(text.toString("utf8")) as Answer);
    });
  }

  /** Starts a Firefox without a window of this size in pixels. */
  static async start(program: string, size: { readonly width: number; readonly height: number }): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), "restante-firefox-"));
    const lines = Object.entries(preferences).map(
      (row) => `user_pref(${row.map((one) => JSON.stringify(one)).join(", ")});`,
    );
    writeFileSync(join(profile, "user.js"), lines.join("\n"));
    const argv = ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"];
    const child = spawn(program, argv, { stdio: ["ignore", "ignore", "pipe"] });
    const socket = new WebSocket(`${await addressOf(child)}/session`);
    await once(socket, "open");
    const firefox = new Firefox(child, profile, socket);
    await firefox.#send("session.new", { capabilities: {} });
    await firefox.#send("session.subscribe", { events: ["log.entryAdded"] });
    const { contexts } = (await firefox.#send("browsingContext.getTree", {})) as { contexts: { context: string }[] };
    firefox.#context = contexts[0]?.context ?? "";
    await firefox.#send("browsingContext.setViewport", { context: firefox.#context, viewport: size });
    return firefox;
  }

  /** Opens a page and waits until it is loaded. */
  async open(url: string): Promise<void> {
    await this.#send("browsingContext.navigate", { context: this.#context, url, wait: "complete" });
  }

  /** Evaluates an expression in the page; its value is JSON. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const result = (await this.#send("script.evaluate", {
      expression: `(async () => JSON.stringify((await (${expression})) ?? null))()`,
      target: { context: this.#context },
      awaitPromise: true,
    })) as { readonly result?: { readonly value: string }; readonly exceptionDetails?: { readonly text: string } };
    if (result.result === undefined) throw new Error(`${expression}: ${result.exceptionDetails?.text ?? "failed"}`);
    return JSON.parse(result.result.value) as Value;
  }

  /** Waits until an expression is true in the page; its navigations end the wait, so it begins again. */
  async until(expression: string): Promise<void> {
    const wait = `new Promise((resolve) => {
      const check = () => ((${expression}) ? resolve(true) : setTimeout(check, 50));
      check();
    })`;
    await this.evaluate(wait);
  }

  /** Presses and releases keys, in their order. */
  async press(...keys: readonly string[]): Promise<void> {
    const actions = keys.flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    await this.#send("input.performActions", {
      context: this.#context,
      actions: [{ type: "key", id: "keyboard", actions }],
    });
  }

  /** Returns a picture of the page as PNG. */
  async screenshot(): Promise<Buffer> {
    const { data } = (await this.#send("browsingContext.captureScreenshot", { context: this.#context })) as {
      data: string;
    };
    return Buffer.from(data, "base64");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#socket.terminate();
    this.#process.kill();
    await ended;
    rmSync(this.#profile, { recursive: true, force: true });
  }

  async #send(method: string, params: object): Promise<unknown> {
    const id = this.#waiting.size + 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject: (error) => reject(new Error(`${method}: ${error.message}`)) });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  #receive({ id, method, result, message, params }: Answer): void {
    if (method === "log.entryAdded" && params?.level === "error") this.errors.push(params.text);
    const waiting = id === undefined ? undefined : this.#waiting.get(id);
    if (result === undefined) waiting?.reject(new Error(message));
    else waiting?.resolve(result);
  }
}

/** Returns the address that Firefox prints. Rejects when it exits before. */
async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error("Firefox has no output");
  let log = "";
  for await (const line of createInterface({ input: child.stderr })) {
    const [, address] = /listening on (ws:\S+)/.exec(line) ?? [];
    if (address !== undefined) return address;
    log += `${line}\n`;
  }
  throw new Error(`Firefox has exited: ${log}`);
}
