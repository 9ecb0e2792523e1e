/** Stopping a service that npm started in the background, as scripts and CI jobs do. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-stopping-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Starts the service as a shell job, kills the job when the service is ready, and resolves when all processes have exited. */
async function killedJob(command: string, signal: "TERM" | "KILL"): Promise<string> {
  const script = `${command} & read _; kill -${signal} $!; wait $!; true`;
  const ports = { RESTANTE_HTTP_PORT: "0", RESTANTE_HTTPS_PORT: "0", RESTANTE_SMTP_PORT: "0" };
  const env = { ...ports, PATH: process.env["PATH"] ?? "", HOME: folder, RESTANTE_DATA_DIR: join(folder, "data") };
  const shell = spawn("sh", ["-c", script], { cwd: root, env, stdio: ["pipe", "pipe", "pipe"] });
  let out = "";
  shell.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  shell.stderr.setEncoding("utf8").on("data", (text: string) => (out += text));
  while (!out.includes(" is ready.")) await once(shell.stdout, "data");
  shell.stdin.end("\n");
  // The service inherits the pipes, so they close when it exits.
  await once(shell, "close");
  return out;
}

test.runIf(process.platform === "linux").each([
  ["npm start", "TERM"],
  ["npm start", "KILL"],
  ["npx --no-install node scripts/start.js serve", "TERM"],
] as const)("the service ends in an orderly way when %s gets SIG%s", async (command, signal) => {
  await killedJob(command, signal);
  expect(existsSync(join(folder, "data", "restante.db"))).toBe(true);
  expect(existsSync(join(folder, "data", "service.json"))).toBe(false);
});
