/** Shared services in processes of their own, with callers in this process and in others. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Restante, RestanteOptions } from "../restante-options.ts";
import { SmtpDialogue } from "../smtp-dialogue.ts";
import { attachToSharedService } from "./attach.ts";
import { isRunning } from "./service-lifetime.ts";

const attachUrl = pathToFileURL(join(import.meta.dirname, "attach.ts")).href;

let project: string;
/** Stands for the test runner: exits when its standard input ends. */
let runner: ChildProcess;
let lines: string[] = [];
const open: Restante[] = [];

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "restante-project-"));
  runner = spawn("cat", { stdio: ["pipe", "ignore", "inherit"] });
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.stop()));
  lines = [];
});

afterAll(() => {
  runner.stdin?.end();
  rmSync(project, { recursive: true });
});

async function attach(options: RestanteOptions = {}): Promise<Restante> {
  const onLog = (line: string): void => void lines.push(line);
  const restante = await attachToSharedService({ log: "info", ...options }, { project, owner: runner.pid ?? 0, onLog });
  open.push(restante);
  return restante;
}

/** Process that attaches and then waits. */
async function startCaller(): Promise<{ child: ChildProcess; url: string; serverId: string; apiKey: string }> {
  const program = `
    import { attachToSharedService } from ${JSON.stringify(attachUrl)};
    const caller = ${JSON.stringify({ project, owner: runner.pid })};
    const { url, serverId, apiKey } = await attachToSharedService({}, caller);
    console.log(JSON.stringify({ url, serverId, apiKey }));
    setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [text] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return { child, ...(JSON.parse(text) as { url: string; serverId: string; apiKey: string }) };
}

async function deliver({ smtp }: Restante, to: string, reply: string): Promise<void> {
  await using dialogue = await SmtpDialogue.connect(smtp.port);
  await dialogue.expect("220");
  await dialogue.play(["EHLO t", "250"], ["MAIL FROM:<a@b.c>", "250"], [`RCPT TO:<${to}>`, reply]);
  if (reply === "250") await dialogue.play(["DATA", "354"], [`Subject: To ${to}\r\n\r\nHello\r\n.\r\n`, "250"]);
}

async function subjects({ url, serverId, apiKey }: Restante, server: string = serverId): Promise<unknown> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await fetch(`${url}/api/messages?server=${server}`, { headers });
  if (!response.ok) return response.status;
  return ((await response.json()) as { subject: string }[]).map(({ subject }) => subject).toSorted();
}

/** Returns the process ids of the services of a folder, in the order of their starts. */
function servicesOf({ logFile }: Restante): readonly number[] {
  const found = readFileSync(logFile ?? "", "utf8").matchAll(/"pid":(\d+),"msg":"shared service started"/g);
  return Array.from(found, ([, pid]) => Number(pid));
}

describe("a shared service", () => {
  test("is started once for callers of several processes at the same time, each with its own server", async () => {
    const [one, other, elsewhere] = await Promise.all([attach(), attach(), startCaller()]);
    expect(new Set([one.url, other.url, elsewhere.url]).size).toBe(1);
    expect(new Set([one.serverId, other.serverId, elsewhere.serverId]).size).toBe(3);
    expect(servicesOf(one)).toHaveLength(1);
    elsewhere.child.kill();
  });

  test("keeps callers apart: mail without a server goes to the server of the port", async () => {
    const [one, other] = [await attach(), await attach()];
    await deliver(one, "ada@example.com", "250");
    await deliver(one, other.emailAddress("bob"), "250");
    await deliver(other, "eve@example.com", "250");
    expect(await subjects(one)).toEqual(["To ada@example.com"]);
    expect(await subjects(other)).toEqual([`To bob@${other.serverDomain}`, "To eve@example.com"]);
    expect(await subjects(one, other.serverId)).toBe(404);
  });

  test("rejects mail without a server for callers with catchAll off", async () => {
    await deliver(await attach({ catchAll: "off" }), "ada@example.com", "550 5.1.1");
  });

  test("refuses a port that is in use, and continues", async () => {
    const one = await attach();
    await expect(attach({ smtpPort: one.smtp.port })).rejects.toThrow(`port ${one.smtp.port} of 127.0.0.1 is in use`);
    expect(await subjects(one)).toEqual([]);
  });

  test("deletes the server of a caller that is killed", async () => {
    const one = await attach();
    const { child, serverId, apiKey } = await startCaller();
    child.kill("SIGKILL");
    await expect.poll(() => lines.some((line) => line.includes(serverId) && line.includes("detached"))).toBe(true);
    const gone = await fetch(`${one.url}/api/servers`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect([gone.status, await subjects(one)]).toEqual([401, []]);
  });

  test("is replaced when it was killed, and its callers are warned", async () => {
    const one = await attach();
    const warned = once(process, "warning");
    const before = servicesOf(one);
    process.kill(before.at(-1) ?? 0, "SIGKILL");
    expect(String(await warned)).toContain(`The shared restante service has exited; its log is ${one.logFile}`);
    const other = await attach();
    expect(await subjects(other)).toEqual([]);
    expect(servicesOf(other)).toHaveLength(before.length + 1);
  });

  test("serves callers that follow one another, and exits with the test runner", async () => {
    const one = await attach();
    const before = servicesOf(one);
    await Promise.all([one.stop(), one.stop()]);
    const other = await attach();
    await other.stop();
    expect(servicesOf(other)).toEqual(before);
    const pid = before.at(-1) ?? 0;
    expect(isRunning(pid)).toBe(true);
    runner.stdin?.end();
    await expect.poll(() => isRunning(pid)).toBe(false);
    const folder = dirname(one.logFile ?? "");
    expect(readdirSync(folder).toSorted()).toEqual(["service", "service.log", "start"]);
    rmSync(folder, { recursive: true });
  });
});
