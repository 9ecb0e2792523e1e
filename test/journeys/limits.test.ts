/** Limits: 452 over SMTP, usage over HTTP, both preserved across a crash. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { UsageLimits } from "../../src/operations/account/account.ts";
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
