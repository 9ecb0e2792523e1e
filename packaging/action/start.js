/**
 * Start of the GitHub Action: installs the package, starts the service in the background, waits until it is ready, and sets
 * environment and outputs of the job. Uses only Node, so that the action needs no build.
 */
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Time for the start; npm has installed the package before. */
const startMsMax = 60_000;

/** Returns an input of the action, which the runner passes as an environment variable. */
function input(name) {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

/** Appends `NAME=value` to a file of the runner. Values have one line. */
function append(file, name, value) {
  if (/[\r\n]/.test(value)) throw new Error(`${name}: a line break is not allowed`);
  appendFileSync(process.env[file] ?? "", `${name}=${value}\n`);
}

/** Returns the settings of the input `settings`. */
function furtherSettings() {
  const lines = input("settings")
    .split("\n")
    .map((line) => line.trim());
  return Object.fromEntries(
    lines
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const [, name, value] = /^(RESTANTE_[A-Z0-9_]+)=(.*)$/.exec(line) ?? [];
        if (name === undefined) throw new Error(`settings: "${line}" is not of the form RESTANTE_NAME=value`);
        return [name, value];
      }),
  );
}

/** Returns the main file of the package: that of the repository, or one that npm installs into the folder. */
function install(folder) {
  const version = input("version");
  if (version === "local") return join(process.cwd(), "node_modules", "restante", "dist", "cli", "main.js");
  if (!/^[\w.-]+$/.test(version)) throw new Error(`version: "${version}" is not a version`);
  const prefix = join(folder, "package");
  mkdirSync(prefix, { recursive: true });
  const words = ["install", "--prefix", prefix, "--no-audit", "--no-fund", "--omit=optional", `restante@${version}`];
  const { status, error } = spawnSync("npm", words, { stdio: "inherit", shell: process.platform === "win32" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`npm install of restante ${version} failed with ${status}`);
  return join(prefix, "node_modules", "restante", "dist", "cli", "main.js");
}

/** Returns the first Node that can run the package: the one of the action, or that of the job. */
function findNode(main) {
  const { engines } = JSON.parse(readFileSync(join(dirname(main), "..", "..", "package.json"), "utf8"));
  const [oldestMajor, oldestMinor] = engines.node.replace(">=", "").split(".").map(Number);
  for (const node of [process.execPath, "node"]) {
    const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
    const [, major, minor] = /^v(\d+)\.(\d+)/.exec(stdout ?? "") ?? [];
    if (Number(major) > oldestMajor || (Number(major) === oldestMajor && Number(minor) >= oldestMinor)) return node;
  }
  throw new Error(`restante needs Node ${engines.node}: add a step with actions/setup-node before this one`);
}

/** Resolves when the service is ready; throws with its log when it exits or does not get ready. */
async function waitUntilReady(child, { url, log }) {
  let ended = null;
  child.once("exit", (code) => (ended = code));
  child.once("error", (error) => (ended = error.message));
  const until = Date.now() + startMsMax;
  while (ended === null && Date.now() < until) {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(() => null);
    // Another service may respond at the port: this one has printed its start message.
    if (response?.ok === true && readFileSync(log, "utf8").includes(" is ready.")) return;
    await delay(100);
  }
  const reason = ended === null ? `was not ready within ${startMsMax / 1000} s` : `exited with ${ended}`;
  throw new Error(`restante ${reason}\n${readFileSync(log, "utf8")}`);
}

async function start() {
  const folder = input("artifact-folder");
  mkdirSync(folder, { recursive: true });
  const key = input("api-key") || randomBytes(24).toString("hex");
  process.stdout.write(`::add-mask::${key}\n`);
  const url = `http://127.0.0.1:${input("http-port")}`;
  const log = join(folder, "restante.log");
  const settings = {
    RESTANTE_SERVERS: input("servers"),
    RESTANTE_HTTP_PORT: input("http-port"),
    RESTANTE_SMTP_PORT: input("smtp-port"),
    RESTANTE_HTTPS_PORT: input("https-port"),
    RESTANTE_DATA_DIR: join(folder, "data"),
    ...furtherSettings(),
    RESTANTE_API_KEY: key,
  };
  const main = install(folder);
  const output = openSync(log, "a", 0o600);
  const child = spawn(findNode(main), [main, "serve"], {
    env: { ...process.env, ...settings },
    detached: true,
    stdio: ["ignore", output, output],
  });
  append("GITHUB_STATE", "pid", String(child.pid));
  append("GITHUB_STATE", "log", log);
  await waitUntilReady(child, { url, log });
  child.unref();
  const server = input("servers").split(",")[0].split(":")[0];
  const outputs = { url, "api-key": key, server, "smtp-host": "127.0.0.1", "smtp-port": input("smtp-port"), folder };
  for (const [name, value] of Object.entries(outputs)) append("GITHUB_OUTPUT", name, value);
  const environment = {
    RESTANTE_URL: url,
    RESTANTE_API_KEY: key,
    RESTANTE_SERVER: server,
    RESTANTE_DATA_DIR: settings.RESTANTE_DATA_DIR,
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: input("smtp-port"),
  };
  for (const [name, value] of Object.entries(environment)) append("GITHUB_ENV", name, value);
  process.stdout.write(`restante is ready: ${url}, SMTP 127.0.0.1:${input("smtp-port")}, server ${server}\n`);
}

try {
  await start();
  // The service goes on; this process must not wait for it.
  process.exit(0);
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  process.stdout.write(
    `::error title=restante::${text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}\n`,
  );
  process.exit(1);
}
