/**
 * Builds the single executable and uses it as its users do: `npm run compat:executable`. Mail is received, found by a
 * search, read and analysed on worker threads, also a large one; the web UI is served; nothing that was acknowledged is
 * lost when the process is killed.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../src/testing/free-port.test-aid.ts";
import { ServiceAccess } from "../src/testing/service-access.ts";

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "restante-executable-"));
const executable = join(folder, "restante");
const dataDir = join(folder, "data");
const environment = { PATH: process.env["PATH"] ?? "", RESTANTE_LOG: "warn" };

/** Running executable. */
class Executable extends ServiceAccess {
  readonly #child: ChildProcess;
  #out = "";

  private constructor(child: ChildProcess) {
    super();
    this.#child = child;
  }

  static async start(): Promise<Executable> {
    const ports = [`--http-port=${await freePort()}`, "--https-port=0", "--smtp-port=0"];
    const child = spawn(executable, ["serve", ...ports, `--data-dir=${dataDir}`], {
      env: environment,
      cwd: folder,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const service = new Executable(child);
    child.stdout.setEncoding("utf8").on("data", (text: string) => (service.#out += text));
    const started = performance.now();
    while (!service.#out.includes("Try it:")) await once(child.stdout, "data");
    process.stdout.write(`ready after ${Math.round(performance.now() - started)} ms\n`);
    return service;
  }

  override get message(): string {
    return this.#out;
  }

  async end(signal: NodeJS.Signals): Promise<unknown> {
    const ended = once(this.#child, "exit");
    this.#child.kill(signal);
    return (await ended)[0];
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.end("SIGKILL");
  }
}

function runCommand(...argv: readonly string[]): { readonly status: number | null; readonly out: string } {
  const options = { env: environment, cwd: folder, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(executable, [...argv], options);
  return { status, out: stdout + stderr };
}

async function checkFirstRun(service: Executable, server: string, key: string): Promise<void> {
  await service.send(`any@${server}.restante.test`, "First");
  await service.send(`any@${server}.restante.test`, `Large ${"x".repeat(2_000)}`);
  const body = JSON.stringify({ subject: "Firs" });
  const found = await service.fetch(`/api/messages/search?server=${server}`, key, { method: "POST", body });
  const [message] = (await found.json()) as { id: string }[];
  assert.ok(message, "the search finds the mail");
  const read = (await (await service.fetch(`/api/messages/${message.id}`, key)).json()) as { text: { body: string } };
  assert.match(read.text.body, /Hello/);
  for (const analysis of ["spam", "lint", "deliverability"]) {
    assert.equal((await service.fetch(`/api/analysis/${analysis}/${message.id}`, key)).status, 200, analysis);
  }
  const page = await (await fetch(service.url)).text();
  const [, script = ""] = /src="([^"]+\.js)"/.exec(page) ?? [];
  const loaded = await fetch(new URL(script, service.url));
  assert.equal(loaded.status, 200, `web UI: ${script}`);
  assert.equal((await fetch(`${service.url}/docs`)).status, 200);
  assert.deepEqual(runCommand("healthcheck", "--data-dir", dataDir), { status: 0, out: "" });
  const redirect = runCommand("env", "--redirect", "--data-dir", dataDir);
  assert.ok(redirect.status === 1 && redirect.out.includes("needs the npm package"), redirect.out);
}

async function main(): Promise<void> {
  const build = spawnSync(process.execPath, [join(root, "scripts", "build-executable.ts"), executable], {
    stdio: "inherit",
  });
  assert.equal(build.status, 0);
  process.stdout.write(`${Math.round(statSync(executable).size / 1e6)} MB\n`);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  assert.deepEqual(runCommand("version"), { status: 0, out: `${version}\n` });
  await using first = await Executable.start();
  const [server, key] = [first.shown("Server"), first.shown("API key")];
  await checkFirstRun(first, server, key);
  await first.end("SIGKILL");
  await using second = await Executable.start();
  assert.equal((await second.subjects(server, key)).length, 2);
  assert.equal(await second.end("SIGTERM"), 0);
  process.stdout.write("the executable does what it should\n");
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
