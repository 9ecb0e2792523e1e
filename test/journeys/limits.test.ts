/** Limits as a sender and a reader meet them: 452 at SMTP, a count over HTTP, and both outlive a crash. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { UsageLimits } from "../../src/operations/get-usage.ts";
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

const start = async (): Promise<ServiceProcess> =>
  ServiceProcess.start([`--data-dir=${dataDir}`], {
    environment: {
      RESTANTE_API_KEY: key,
      RESTANTE_SERVERS: "jrny1234:Journey",
      RESTANTE_LIMIT_EMAIL_COUNT_PER_DAY: "2",
      ...(await storeSettings(dataDir)),
    },
  });
const emailUsage = async (service: ServiceProcess): Promise<UsageLimits["email"]> => {
  const answer = await service.fetch("/api/usage/limits", key);
  return ((await answer.json()) as UsageLimits).email;
};
const deliver = async (service: ServiceProcess, expected: RegExp): Promise<void> => {
  await using dialogue = await service.greet();
  const to = "RCPT TO:<x@jrny1234.restante.test>";
  await dialogue.play(["EHLO t", "250"], ["MAIL FROM:<a@b.example>", "250"], [to, "250"], ["DATA", "354"]);
  await dialogue.play(["Subject: x\r\n\r\nhello\r\n.", expected], ["NOOP", "250"], ["QUIT", "221"]);
};

test("mail past the day's limit is answered 452, and the count outlives kill -9", async () => {
  const first = await start();
  await deliver(first, /^250/);
  expect(await emailUsage(first)).toEqual({ limit: 2, current: 1 });
  await first.stop("SIGKILL");

  await using second = await start();
  expect(await emailUsage(second)).toEqual({ limit: 2, current: 1 });
  await deliver(second, /^250/);
  await deliver(second, /^452 4\.2\.2 .*2 mails a day/);
  expect(await emailUsage(second)).toEqual({ limit: 2, current: 2 });
  expect(await second.subjects("jrny1234", key)).toHaveLength(2);
  const metrics = await (await second.fetch("/metrics", "")).text();
  expect(metrics).toMatch(/^restante_quota_refusals_total\{kind="email"\} 1$/m);
});
