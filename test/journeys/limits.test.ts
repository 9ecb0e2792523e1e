/** Limits: 452 over SMTP, usage over HTTP, both preserved across a crash. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { UsageLimits } from "../../src/operations/account/account.ts";
import { LineClient } from "../../src/testing/line-client.test-aid.ts";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-journeys";
let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-limits-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

const settings = async (): Promise<Record<string, string>> => ({
  RESTANTE_API_KEY: key,
  RESTANTE_SERVERS: "jrny1234:Journey,jrny5678:Other",
  ...(await storeSettings(dataDir)),
});
const startHere = async (limits: Readonly<Record<string, string>>): Promise<LocalService> =>
  LocalService.start([`--data-dir=${dataDir}`], { ...(await settings()), ...limits });
const twoMails = { RESTANTE_LIMIT_EMAIL_COUNT_PER_DAY: "2" };
const emailUsage = async (service: ServiceAccess): Promise<UsageLimits["email"]> => {
  const answer = await service.fetch("/api/usage/limits", key);
  return ((await answer.json()) as UsageLimits).email;
};
const deliver = async (service: ServiceAccess, expected: RegExp): Promise<void> => {
  await using dialogue = await service.greet();
  const to = "RCPT TO:<x@jrny1234.restante.test>";
  await dialogue.play(["EHLO t", "250"], ["MAIL FROM:<a@b.example>", "250"], [to, "250"], ["DATA", "354"]);
  await dialogue.play(["Subject: x\r\n\r\nhello\r\n.", expected], ["NOOP", "250"], ["QUIT", "221"]);
};

test("answers 452 beyond the daily limit, and keeps the count across kill -9", async () => {
  const first = await ServiceProcess.start([`--data-dir=${dataDir}`], {
    environment: { ...(await settings()), ...twoMails },
  });
  await deliver(first, /^250/);
  expect(await emailUsage(first)).toEqual({ limit: 2, current: 1 });
  await first.stop("SIGKILL");

  await using second = await startHere(twoMails);
  expect(await emailUsage(second)).toEqual({ limit: 2, current: 1 });
  await deliver(second, /^250/);
  await deliver(second, /^452 4\.2\.2 .*daily limit of 2 mails/);
  expect(await emailUsage(second)).toEqual({ limit: 2, current: 2 });
  expect(await second.subjects("jrny1234", key)).toHaveLength(2);
  const metrics = await (await second.fetch("/metrics", "")).text();
  expect(metrics).toMatch(/^restante_quota_refusals_total\{kind="email"\} 1$/m);
});

test("rejects only the full server at RCPT, and accepts mail again once a message is deleted", async () => {
  await using service = await startHere({ RESTANTE_LIMIT_SERVER_MESSAGES: "1" });
  await deliver(service, /^250/);
  await deliver(service, /^452 4\.2\.2 The recipient's mailbox is over quota/);
  await using dialogue = await service.greet();
  const [full, other] = ["RCPT TO:<x@jrny1234.restante.test>", "RCPT TO:<x@jrny5678.restante.test>"];
  await dialogue.play(["EHLO t", "250"], ["MAIL FROM:<a@b.example>", "250"]);
  await dialogue.play([full, "452 4.2.2"], [other, "250"], ["DATA", "354"], ["Subject: y\r\n\r\nhello\r\n.", "250"]);
  expect(await service.subjects("jrny5678", key)).toEqual(["y"]);

  const created = await service.fetch("/api/messages?server=jrny1234", key, {
    method: "POST",
    body: JSON.stringify({ subject: "z", text: "hello" }),
  });
  expect(created.status).toBe(507);
  expect(await created.json()).toMatchObject({
    type: "QuotaExceeded",
    message: "Server jrny1234 is over its quota of 1 messages: it holds 1, and this needs 1 more",
  });
  const metrics = await (await service.fetch("/metrics", "")).text();
  expect(metrics).toMatch(/^restante_quota_refusals_total\{kind="server"\} 3$/m);

  await service.fetch("/api/messages?server=jrny1234", key, { method: "DELETE" });
  await dialogue.play(["MAIL FROM:<a@b.example>", "250"], [full, "250"], ["QUIT", "221"]);
});

test("holds the quota of a team at every listener, and accepts mail of others in the same session", async () => {
  await using service = await LocalService.start(
    [`--data-dir=${dataDir}`, "--imap-port=0", "--mailpit-port=0", "--peer-server=jrny1234"],
    await settings(),
  );
  const ask = async (path: string, method: string, body: unknown): Promise<Response> =>
    service.fetch(path, key, { method, body: JSON.stringify(body) });
  const { id: team } = (await (await ask("/api/teams", "POST", { name: "Limited" })).json()) as { id: string };
  await ask("/api/servers/jrny1234", "PUT", { team });
  await ask(`/api/teams/${team}/limits`, "PUT", { messagesMax: 1 });
  await deliver(service, /^250/);
  await deliver(service, /^452 4\.2\.2 The recipient's mailbox is over quota/);
  await using dialogue = await service.greet();
  const [full, other] = ["RCPT TO:<x@jrny1234.restante.test>", "RCPT TO:<x@jrny5678.restante.test>"];
  await dialogue.play(["EHLO t", "250"], ["MAIL FROM:<a@b.example>", "250"]);
  await dialogue.play([full, "452 4.2.2"], [other, "250"], ["DATA", "354"], ["Subject: y\r\n\r\nhello\r\n.", "250"]);

  const { value } = (await (await service.fetch("/api/servers/jrny1234/password", key)).json()) as { value: string };
  const imap = await LineClient.open(Number(service.shown("IMAP").split(":").at(-1)));
  await imap.line();
  imap.send(`a LOGIN jrny1234 ${value}\r\n`);
  expect(await imap.line()).toMatch(/^a OK/);
  imap.send("b APPEND INBOX {12+}\r\nSubject: x\r\n\r\n");
  expect(await imap.line()).toMatch(/^b NO \[OVERQUOTA\]/);

  const mail = { From: { Email: "a@b.example" }, To: [{ Email: "c@d.example" }], Subject: "x", Text: "x" };
  const sent = await fetch(`${service.shown("Mailpit")}/api/v1/send`, { method: "POST", body: JSON.stringify(mail) });
  expect([sent.ok, await sent.text()]).toEqual([false, expect.stringContaining("quota")]);

  const call = {
    name: "send",
    arguments: { server: "jrny1234", deliver: false, text: "x" },
  };
  const tool = await ask("/mcp", "POST", { jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
  expect(await tool.text()).toContain("raise the quota");
  expect(await service.subjects("jrny1234", key)).toHaveLength(1);
});
