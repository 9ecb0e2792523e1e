/**
 * Builds the image and runs it as its users do, on the Docker daemon of this machine: `npm run compat:image`, or
 * `npm run compat:image -- --no-build` for the image `restante:<version>` that is there. Containers have no privileges and a
 * read-only root. Mail is received and found after a kill, health is reported, nothing in the image runs a shell, compiled
 * code is used, and Testcontainers of Node, Python, Java and Go start it. Skips with exit code 0 without a daemon.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stopMsMax } from "../src/app/stop-signal.ts";
import { ServiceAccess } from "../src/testing/service-access.ts";
import { realDaemonVariable } from "./docker-daemon.ts";

const root = join(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const image = `restante:${version}`;
/** Second name of the image, by which the tests of Testcontainers tell a given image from the default one. */
const otherImage = "restante:other";
const server = "abcd1234";
const key = randomBytes(24).toString("hex");
const suffix = randomBytes(4).toString("hex");
const volume = `restante-image-${suffix}`;
const hardened = ["--read-only", "--tmpfs=/tmp", "--cap-drop=ALL", "--security-opt=no-new-privileges"];
const containerFlags = [
  `--volume=${volume}:/data`,
  "--publish=127.0.0.1::1025",
  "--publish=127.0.0.1::8025",
  `--env=RESTANTE_API_KEY=${key}`,
  `--env=RESTANTE_SERVERS=${server}:Tests`,
  "--env=RESTANTE_SMTP_STARTTLS=never",
];

/** Output of a command that exited. */
interface Result {
  readonly status: number | null;
  readonly out: string;
}

/** Health as `docker inspect` prints it. */
interface Health {
  readonly Status: string;
  readonly Log: readonly { readonly ExitCode: number; readonly Output: string }[];
}

/** Runs a command of the Docker client; its output is standard output and standard error. */
function tryDocker(...argv: readonly string[]): Result {
  const { status, stdout, stderr } = spawnSync("docker", [...argv], { encoding: "utf8", maxBuffer: 2 ** 26 });
  return { status, out: `${stdout}${stderr}`.trim() };
}

/** Runs a command of the Docker client and returns its output; throws when it fails. */
function docker(...argv: readonly string[]): string {
  const { status, out } = tryDocker(...argv);
  assert.equal(status, 0, `docker ${argv.join(" ")}: ${out}`);
  return out;
}

/** Runs a command whose output is that of this program; throws when it fails. */
function run(command: string, argv: readonly string[], environment: Readonly<Record<string, string>> = {}): void {
  const { status } = spawnSync(command, [...argv], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  assert.equal(status, 0, `${command} ${argv.join(" ")}`);
}

/** Resolves when the health of a container has changed since `started`, or when the container has exited. */
async function firstHealthEvent(id: string, started: number): Promise<void> {
  const since = Math.floor(started / 1000) - 1;
  const filters = [`container=${id}`, "event=health_status", "event=die"].map((filter) => `--filter=${filter}`);
  const events = spawn("docker", ["events", `--since=${since}`, ...filters], { stdio: ["ignore", "pipe", "inherit"] });
  await once(events.stdout, "data");
  events.kill();
}

/** Container of the image with the data of {@link volume}. */
class Container extends ServiceAccess {
  readonly id: string;

  /** Starts a container; resolves when its health check has succeeded. */
  static async start(...flags: readonly string[]): Promise<Container> {
    const started = Date.now();
    const id = docker("run", "--detach", ...hardened, ...containerFlags, ...flags, image);
    const container = new Container(id);
    await firstHealthEvent(id, started);
    const message = `${JSON.stringify(container.health)}\n${container.message}`;
    assert.equal(container.health.Status, "healthy", message);
    process.stdout.write(`healthy after ${Date.now() - started} ms\n`);
    return container;
  }

  private constructor(id: string) {
    super();
    this.id = id;
  }

  /** Standard output and standard error so far. */
  override get message(): string {
    return docker("logs", this.id);
  }

  override get url(): string {
    return `http://${docker("port", this.id, "8025/tcp")}`;
  }

  override get smtpPort(): number {
    return Number(docker("port", this.id, "1025/tcp").split(":").at(-1));
  }

  get health(): Health {
    return JSON.parse(docker("inspect", "--format={{json .State.Health}}", this.id)) as Health;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    tryDocker("rm", "--force", "--volumes", this.id);
    return Promise.resolve();
  }
}

function checkImage(): void {
  assert.equal(docker("run", "--rm", ...hardened, image, "version"), version);
  const short = tryDocker("run", "--rm", ...hardened, "--env=RESTANTE_API_KEY=short", image);
  assert.match(short.out, /RESTANTE_API_KEY/);
  assert.equal(short.status, 2);
  for (const shell of ["sh", "bash", "/bin/sh", "/usr/bin/env"]) {
    assert.equal(tryDocker("run", "--rm", `--entrypoint=${shell}`, image).status, 127, shell);
  }
}

/** Checks that a start reads compiled code from the image, which it cannot write. */
async function checkCompiledCode(): Promise<void> {
  await using container = await Container.start("--env=NODE_DEBUG_NATIVE=COMPILE_CACHE");
  const { message } = container;
  assert.match(message, /V8 code cache for .*\/restante\/dist\/.* was accepted/);
  assert.doesNotMatch(message, /was rejected|Cannot create cache directory/);
}

async function checkFirstRun(container: Container): Promise<void> {
  assert.deepEqual(tryDocker("exec", container.id, "restante", "healthcheck"), { status: 0, out: "" });
  assert.notEqual(tryDocker("exec", container.id, "sh", "-c", "true").status, 0);
  assert.deepEqual(container.health.Log.at(-1), { ...container.health.Log.at(-1), ExitCode: 0, Output: "" });
  await container.send(`any@${server}.restante.test`, "First");
  await container.send(`any@${server}.restante.test`, `Large ${"x".repeat(2_000)}`);
  const body = JSON.stringify({ subject: "Firs" });
  const found = await container.fetch(`/api/messages/search?server=${server}`, key, { method: "POST", body });
  const [message] = (await found.json()) as { id: string }[];
  assert.ok(message, "the search finds the mail");
  for (const analysis of ["spam", "lint", "deliverability"]) {
    assert.equal((await container.fetch(`/api/analysis/${analysis}/${message.id}`, key)).status, 200, analysis);
  }
  const page = await (await fetch(container.url)).text();
  assert.equal((await fetch(new URL(/src="([^"]+\.js)"/.exec(page)?.[1] ?? "", container.url))).status, 200, "web UI");
}

async function checkRuns(): Promise<void> {
  {
    await using first = await Container.start();
    await checkFirstRun(first);
    docker("kill", first.id);
  }
  await using second = await Container.start("--user=1000:1000");
  assert.equal((await second.subjects(server, key)).length, 2);
  docker("stop", "-t", String(stopMsMax / 1000 + 5), second.id);
  assert.equal(docker("inspect", "--format={{.State.ExitCode}}", second.id), "0");
}

/** Runs the tests of the Testcontainers modules on the daemon. */
function checkTestcontainers(): void {
  const address = process.env["DOCKER_HOST"] ?? docker("context", "inspect", "--format={{.Endpoints.docker.Host}}");
  const environment = { [realDaemonVariable]: address };
  docker("tag", image, otherImage);
  try {
    run("npx", ["vitest", "run", "compat/node/restante-container.test.ts"], environment);
    for (const language of ["python", "java", "go"]) run("npm", ["run", `compat:${language}-client`], environment);
  } finally {
    docker("rmi", otherImage);
  }
}

async function main(): Promise<void> {
  if (!process.argv.includes("--no-build")) run("docker", ["build", "--file=deploy/Dockerfile", `--tag=${image}`, "."]);
  checkImage();
  try {
    await checkRuns();
    await checkCompiledCode();
  } finally {
    docker("volume", "rm", volume);
  }
  checkTestcontainers();
  process.stdout.write("the image does what it should\n");
}

if (tryDocker("version").status === 0) await main();
else process.stderr.write("SKIPPED: needs Docker with a running daemon\n");
