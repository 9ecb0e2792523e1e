/** Scheduled mail: each arrives exactly once, although the process is killed before and during the arrival. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-schedules";
const server = "sched123";
const environment = { RESTANTE_API_KEY: key, RESTANTE_SERVERS: `${server}:Later`, RESTANTE_LOG: "error" };
const mailCount = 80;
const delayMs = 4000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-scheduled-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const start = async (): Promise<ServiceProcess> =>
  ServiceProcess.start([`--data-dir=${folder}`], {
    environment: { ...environment, ...(await storeSettings(folder)) },
  });

/** Schedules a mail through Mailgun's API, with a key that the service does not know. */
async function schedule(service: ServiceProcess, subject: string, at: number): Promise<void> {
  const body = new URLSearchParams({
    from: "app@example.com",
    to: `x@${server}.restante.test`,
    subject,
    text: subject,
    "o:deliverytime": new Date(at).toUTCString(),
    "o:tag": "later",
  });
  const headers = { authorization: `Basic ${Buffer.from("api:unknown-key").toString("base64")}` };
  const response = await fetch(`${service.url}/providers/mailgun/v3/example.com/messages`, {
    method: "POST",
    headers,
    body,
  });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("Queued")]);
}

/** Waits until at least `count` mails have arrived; returns the subjects of all. */
async function arrived(service: ServiceProcess, count: number): Promise<readonly string[]> {
  const path = `/api/messages/search?server=${server}&itemsPerPage=1000&timeout=60000&count=${String(count)}`;
  const body = JSON.stringify({ tag: "later", provider: "mailgun" });
  const found = await service.fetch(path, key, { method: "POST", body });
  return ((await found.json()) as readonly { subject: string }[]).map(({ subject }) => subject).toSorted();
}

test("lets each scheduled mail arrive exactly once through kill -9 before and during the arrival", async () => {
  const subjects = Array.from({ length: mailCount }, (_, n) => `mail ${String(n).padStart(3, "0")}`);
  const first = await start();
  const at = Date.now() + delayMs;
  await Promise.all(subjects.map(async (subject) => schedule(first, subject, at)));
  await first.stop("SIGKILL");
  const second = await start();
  expect((await arrived(second, 1)).length).toBeGreaterThan(0);
  await second.stop("SIGKILL");
  const third = await start();
  expect(await arrived(third, mailCount)).toEqual(subjects);
  await third.stop("SIGKILL");
  await using fourth = await start();
  expect(await arrived(fourth, mailCount)).toEqual(subjects);
});
