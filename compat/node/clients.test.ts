/**
 * Four published versions of the official Node client, in separate programs, against a service that they find
 * by the variables of `restante env` only.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processEnvironment, runCommand, ServiceProcess } from "../../src/testing/service-process.ts";

/** Versions 8 to 11. */
const majors = ["mailosaur-8", "mailosaur-9", "mailosaur-10", "mailosaur"];
/** Versions 9 and 10 throw in their constructor behind any proxy. */
const brokenBehindProxies = ["mailosaur-9", "mailosaur-10"];
const scenarioCount = 14;

let folder: string;
let service: ServiceProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-compat-"));
  service = await ServiceProcess.start([`--data-dir=${folder}`], {
    environment: { RESTANTE_SERVERS: "compat01:First" },
  });
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function printedVariables(flag: string): Promise<Record<string, string>> {
  const { code, out, error } = await runCommand(["env", "--json", flag, `--data-dir=${folder}`]);
  expect([code, error]).toEqual([0, ""]);
  return JSON.parse(out) as Record<string, string>;
}

/** Runs the scenarios; returns standard output and standard error. */
async function runScenarios(packageName: string, environment: Record<string, string>): Promise<[string, string]> {
  const program = join(import.meta.dirname, "scenarios.ts");
  const child = spawn(process.execPath, [program, packageName], {
    env: { ...processEnvironment, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, error]: [string[], string[]] = [[], []];
  child.stdout.setEncoding("utf8").on("data", (text: string) => out.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => error.push(text));
  await once(child, "close");
  return [out.join(""), error.join("")];
}

describe.each([
  ["--proxy", majors.filter((name) => !brokenBehindProxies.includes(name))],
  ["--redirect", majors],
])("restante env %s", (flag, packages) => {
  test.concurrent.each(packages)("is sufficient for all scenarios of %s", async (packageName) => {
    const [out, error] = await runScenarios(packageName, await printedVariables(flag));
    // Node warns about a deprecated function that old versions use.
    expect(error.replaceAll(/^\(.*\n/gm, "")).toBe("");
    expect(out.trim().split("\n")).toHaveLength(scenarioCount);
  });
});

test.each(brokenBehindProxies)("%s fails behind any proxy, as documented", async (packageName) => {
  const [, error] = await runScenarios(packageName, { HTTPS_PROXY: "http://127.0.0.1:9", MAILOSAUR_API_KEY: "any" });
  expect(error).toContain("HttpsProxyAgent is not a constructor");
});
