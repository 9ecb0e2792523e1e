/** Calls that end their worker process do not end the service, over HTTP. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ServiceProcess } from "../../src/testing/service-process.ts";

const server = "wrkr1234";
const key = "a-key-for-workers";
const environment = {
  RESTANTE_API_KEY: key,
  RESTANTE_SERVERS: `${server}:Workers`,
  RESTANTE_LOG: "error",
  RESTANTE_CHROMIUM: "off",
};

let folder: string;
let service: ServiceProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-workers-"));
  service = await ServiceProcess.start([`--data-dir=${folder}`], { environment });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Sends a mail through Brevo's API with a template; resolves with the status and the body. */
async function render(template: string, parameter: string): Promise<readonly [number, string]> {
  const value = {
    sender: { email: "app@shop.example" },
    to: [{ email: `zoe@${server}.restante.test` }],
    subject: "Hello",
    htmlContent: template,
    params: { a: parameter },
  };
  const response = await fetch(`${service.url}/providers/brevo/v3/smtp/email`, {
    method: "POST",
    headers: { "api-key": key, "content-type": "application/json" },
    body: JSON.stringify(value),
  });
  return [response.status, await response.text()];
}

/** Returns the ids of the processes that a process has started; zombies are not among them. */
function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      // After the name in parentheses: state, parent.
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, owner] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return owner === String(parent) && state !== "Z" ? [Number(name)] : [];
    } catch {
      // No process, or one that has exited meanwhile.
      return [];
    }
  });
}

/** Makes every worker do something: templates, large mail, its bodies, its lint. Resolves with the statuses. */
async function work(): Promise<readonly number[]> {
  const [status] = await render("<p>{{ params.a|upper }}</p>", "x".repeat(100_000));
  const messages = (await (await service.fetch(`/api/messages?server=${server}`, key)).json()) as { id: string }[];
  const id = messages[0]?.id ?? "";
  const paths = [`/api/messages/${id}`, `/api/analysis/lint/${id}`, `/api/analysis/spam/${id}`];
  const responses = await Promise.all(paths.map(async (path) => service.fetch(path, key)));
  return [status, ...responses.map((response) => response.status)];
}

test("rejects templates that need more memory than they may, and works on", async () => {
  const long = "x".repeat(900_000);
  const attacks = [
    "{{ params.a|split:''|split:''|split:''|length }}",
    `{{ params.a${"|add:params.a".repeat(20)}|split:''|length }}`,
    `{% set b = params.a %}${"{% set b = b + b %}".repeat(40)}{{ b }}`,
  ];
  const results = await Promise.all(attacks.map(async (attack) => render(attack, `<${long}`)));
  expect(results.map(([status]) => status)).toEqual([400, 400, 400]);
  expect(await work()).toEqual([201, 200, 200, 200]);
});

test("survives workers that crash, and starts others", async () => {
  const before = childrenOf(service.pid);
  // Those for templates, large mails, bodies, and reports.
  expect(before.length).toBeGreaterThanOrEqual(4);
  for (const [at, child] of before.entries()) process.kill(child, at % 2 === 0 ? "SIGABRT" : "SIGSEGV");
  await expect.poll(() => childrenOf(service.pid).filter((child) => before.includes(child))).toEqual([]);
  await expect.poll(work).toEqual([201, 200, 200, 200]);
});

test("keeps its workers when a terminal or systemd signals all of its processes", async () => {
  const before = childrenOf(service.pid);
  for (const child of before)
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.kill(child, signal);
  expect(await work()).toEqual([201, 200, 200, 200]);
  expect(childrenOf(service.pid)).toEqual(before);
});

test("gives its workers neither keys nor settings, and makes them what the kernel ends first", async () => {
  const children = childrenOf(service.pid);
  const environments = children.map((child) => readFileSync(`/proc/${String(child)}/environ`, "utf8"));
  expect(environments.filter((text) => text.includes(key) || text.includes("RESTANTE_SERVERS"))).toEqual([]);
  const scores = children.map((child) => readFileSync(`/proc/${String(child)}/oom_score_adj`, "utf8").trim());
  expect(new Set(scores)).toEqual(new Set(["1000"]));
  const limits = children.map((child) => readFileSync(`/proc/${String(child)}/limits`, "utf8"));
  for (const name of ["Max data size", "Max cpu time"]) {
    expect(limits.filter((text) => new RegExp(`${name} +unlimited`).test(text))).toEqual([]);
  }
});

test("leaves no worker behind when it is killed", async () => {
  const children = childrenOf(service.pid);
  await service.stop("SIGKILL");
  const isAlive = (child: number): boolean => readdirSync("/proc").includes(String(child));
  await expect.poll(() => children.filter(isAlive)).toEqual([]);
});
