/** The GitHub Action, run as the runner does, with the package that is installed in the repository. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { freePort } from "../../src/testing/free-port.test-aid.ts";
import { SmtpDialogue } from "../../src/testing/smtp-dialogue.ts";
import { root, type InstalledPackage } from "./installed-package.ts";

interface Metadata {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly runs: { readonly main: string; readonly post: string };
}

const action = parse(readFileSync(join(root, "action.yml"), "utf8")) as Metadata;

/** Returns the entries of a file to which the runner lets actions append `NAME=value`. */
function entriesOf(file: string): Readonly<Record<string, string>> {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

async function sendMail(port: number, to: string): Promise<void> {
  await using dialogue = await SmtpDialogue.connect(port);
  await dialogue.expect("220");
  await dialogue.play(
    ["EHLO job", "250"],
    ["MAIL FROM:<app@example.com>", "250"],
    [`RCPT TO:<${to}>`, "250"],
    ["DATA", "354"],
    ["Subject: In the job\r\n\r\nHello\r\n.\r\n", "250"],
  );
}

/** Declares the tests of the action. */
export function testGitHubAction(installed: () => InstalledPackage): void {
  const prepare = (name: string, inputs: Readonly<Record<string, string>>): Readonly<Record<string, string>> => {
    const folder = join(installed().folder, name);
    mkdirSync(folder);
    const files = Object.fromEntries(
      ["GITHUB_STATE", "GITHUB_OUTPUT", "GITHUB_ENV"].map((file) => [file, join(folder, file)]),
    );
    for (const file of Object.values(files)) writeFileSync(file, "");
    const all = Object.entries(action.inputs).map(([input, { default: fallback }]) => [input, fallback] as const);
    const given = { version: "local", "artifact-folder": join(folder, "artifact"), ...inputs };
    const environment = Object.entries({ ...Object.fromEntries(all), ...given });
    const variables = environment.map(([input, value]) => [`INPUT_${input.toUpperCase()}`, value] as const);
    return { PATH: process.env["PATH"] ?? "", ...files, ...Object.fromEntries(variables) };
  };
  const runScript = (
    script: string,
    env: Readonly<Record<string, string>>,
  ): { status: number | null; stdout: string } =>
    spawnSync(process.execPath, [join(root, script)], { cwd: installed().folder, env, encoding: "utf8" });

  test("the GitHub Action starts the service, exports its environment, stops it and prints its log", async () => {
    const ports = { "http-port": String(await freePort()), "smtp-port": String(await freePort()) };
    const env = prepare("action", { ...ports, servers: "ci000001:CI", settings: "RESTANTE_MAIL_DOMAIN=mail.test\n" });
    const started = runScript(action.runs.main, env);
    expect([started.status, started.stdout]).toEqual([0, expect.stringContaining("restante is ready")]);
    const outputs = entriesOf(env["GITHUB_OUTPUT"] ?? "");
    expect(Object.keys(outputs).toSorted()).toEqual(Object.keys(action.outputs).toSorted());
    const variables = entriesOf(env["GITHUB_ENV"] ?? "");
    const { RESTANTE_URL: url = "", RESTANTE_API_KEY: key = "", RESTANTE_SERVER: server = "" } = variables;
    expect(started.stdout.split("\n")[0]).toBe(`::add-mask::${key}`);
    await sendMail(Number(variables["SMTP_PORT"]), `any@${server}.mail.test`);
    const headers = { authorization: `Bearer ${key}` };
    const list = await (await fetch(`${url}/api/messages?server=${server}`, { headers })).json();
    expect(list).toMatchObject([{ subject: "In the job" }]);
    const { pid = "", log = "" } = entriesOf(env["GITHUB_STATE"] ?? "");
    const stopped = runScript(action.runs.post, { ...env, STATE_pid: pid, STATE_log: log });
    expect([stopped.status, stopped.stdout]).toEqual([0, expect.stringContaining("is ready.")]);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow("fetch failed");
  });

  test("the GitHub Action fails with the log of a service that does not start", async () => {
    const env = prepare("failing-action", { "http-port": String(await freePort()), "smtp-port": "many" });
    const { status, stdout } = runScript(action.runs.main, env);
    expect([status, stdout]).toEqual([1, expect.stringMatching(/::error .*exited with 2.*RESTANTE_SMTP_PORT/)]);
  });
}
