/** Calls of the service that would reach itself, and loops through a proxy that hides it, over real sockets. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { requestHopCountMax } from "../../src/core/limits.ts";
import type { Summary } from "../../src/core/message.ts";
import { startHttpListener } from "../../src/testing/http-listener.ts";
import { LocalService } from "../../src/testing/local-service.ts";

const key = "a-key-for-loops";
const server = "loops123";
const number = "+15550177";

let folder: string;
let service: LocalService;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "restante-loops-"));
  service = await LocalService.start([`--data-dir=${folder}`], {
    RESTANTE_API_KEY: key,
    RESTANTE_SERVERS: `${server}:Loops`,
    RESTANTE_PHONE_NUMBERS: `${number}:${server}`,
    RESTANTE_CALLBACK_ORIGINS: "http://own.example:1",
  });
});
afterEach(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function ask(line: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const [method = "", path = ""] = line.split(" ");
  return fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

test("refuses targets that are listeners of its own, at any address of this machine", async () => {
  const { port } = new URL(service.url);
  const hosts = [
    "127.0.0.1",
    "localhost",
    "app.localhost",
    "127.0.0.2",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::]",
    "0.0.0.0",
  ];
  const targets = hosts.map((host) => `http://${host}:${port}/api/sms`);
  const path = `/api/servers/${server}`;
  const sms = { number: "+15550100", server, provider: "twilio", secret: "a" };
  const calls = targets.flatMap((url) => [
    [`POST ${path}/webhooks`, { url }] as const,
    [`PUT ${path}/event-webhooks/sendgrid`, { url }] as const,
    [`POST ${path}/inbound-routes`, { pattern: "a@app.example", shape: "raw", url }] as const,
    ["POST /api/phone-numbers", { ...sms, webhook: url }] as const,
  ]);
  const answers = await Promise.all(
    calls.map(async ([line, body]) => {
      const response = await ask(line, body);
      return [line, body, response.status, await response.text()] as const;
    }),
  );
  expect(answers.filter(([, , status, text]) => status !== 400 || !/never call/.test(text))).toEqual([]);
});

test("ends a loop through a proxy that hides the service", async () => {
  const statuses: number[] = [];
  await using proxy = await startHttpListener(({ headers }) => {
    const passed = { "cdn-loop": `proxy.example, ${String(headers["cdn-loop"])}` };
    const passOn = async (): Promise<void> => {
      const sms = { from: "+15550100", to: number, text: "again" };
      statuses.push((await ask("POST /api/sms", sms, passed)).status);
    };
    void passOn();
    return { status: 204 };
  });
  const created = await ask(`POST /api/servers/${server}/webhooks`, { url: `${proxy.url}/hook` });
  expect(created.status).toBe(200);
  await ask("POST /api/sms", { from: "+15550100", to: number, text: "first" });
  await expect.poll(() => statuses.at(-1)).toBe(403);
  expect(statuses.filter((status) => status === 200)).toHaveLength(requestHopCountMax);
  const list = await service.fetch(`/api/messages?server=${server}&itemsPerPage=100`, key);
  expect((await list.json()) as Summary[]).toHaveLength(requestHopCountMax + 1);
});

test("refuses a mail that has passed more than a hundred hosts", async () => {
  const received = "Received: from a.example by b.example; Fri, 27 Nov 2026 10:00:00 +0000\r\n";
  await using dialogue = await service.greet();
  await dialogue.play(["EHLO test", "250"]);
  for (const [count, code] of [
    [100, "250"],
    [101, "554 5.4.6"],
  ] as const) {
    await dialogue.play(
      ["MAIL FROM:<a@b.example>", "250"],
      [`RCPT TO:<x@${server}.restante.test>`, "250"],
      ["DATA", "354"],
    );
    await dialogue.write(`${received.repeat(count)}Subject: hop\r\n\r\n${received.repeat(200)}.\r\n`);
    expect(await dialogue.reply()).toMatch(new RegExp(`^${code}`));
  }
});
