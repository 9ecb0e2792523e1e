/** Scheduled and held mail: each arrives exactly once, although the process is killed before and during the arrival. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import nodemailer from "nodemailer";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-schedules";
const server = "sched123";
const environment = {
  RESTANTE_API_KEY: key,
  RESTANTE_SERVERS: `${server}:Later`,
  RESTANTE_LIMIT_WAIT_MS: "600000",
  RESTANTE_LOG: "error",
};
const mailCount = 80;
const heldCount = 30;
const delayMs = 4000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-scheduled-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const settings = async (): Promise<Record<string, string>> => ({ ...environment, ...(await storeSettings(folder)) });
const start = async (): Promise<ServiceProcess> =>
  ServiceProcess.start([`--data-dir=${folder}`], { environment: await settings() });

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

/** Sends mails by SMTP, which are acknowledged at once and delivered late by a fault rule. */
async function sendLate(service: ServiceProcess, subjects: readonly string[]): Promise<void> {
  const rule = { name: "late", match: { stage: "rcpt" }, then: { deliverAfterMs: delayMs } };
  const body = JSON.stringify({ items: [rule] });
  const answer = await service.fetch(`/api/servers/${server}/faults`, key, { method: "PUT", body });
  expect(answer.status).toBe(200);
  const transport = nodemailer.createTransport({ host: "127.0.0.1", port: service.smtpPort, pool: true });
  const mail = { from: "app@example.com", to: `x@${server}.restante.test`, text: "Late" };
  await Promise.all(subjects.map(async (subject) => transport.sendMail({ ...mail, subject })));
  transport.close();
}

/**
 * Waits until at least `count` mails have arrived that match; returns the subjects of all. Releases quarantined mail: on a slow
 * machine, mail is due before the first kill, and two kills during its arrival quarantine it.
 */
async function arrived(service: ServiceAccess, criteria: object, count: number): Promise<readonly string[]> {
  const wait = `timeout=2000&count=${String(count)}`;
  const path = `/api/messages/search?server=${server}&itemsPerPage=1000&${wait}`;
  for (;;) {
    const released = await service.fetch("/api/quarantine/retry", key, { method: "POST", body: "{}" });
    expect(released.status).toBe(200);
    const found = await service.fetch(path, key, { method: "POST", body: JSON.stringify(criteria) });
    const subjects = ((await found.json()) as readonly { subject: string }[]).map(({ subject }) => subject);
    if (subjects.length >= count) return subjects.toSorted();
  }
}

const scheduled = { tag: "later", provider: "mailgun" };
const late = { subject: "late mail" };

test("lets each scheduled and each held mail arrive exactly once through kill -9 before and during the arrival", async () => {
  const numbers = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, n) => String(n).padStart(3, "0"));
  const subjects = numbers(mailCount).map((number) => `mail ${number}`);
  const lateSubjects = numbers(heldCount).map((number) => `late mail ${number}`);
  const first = await start();
  await sendLate(first, lateSubjects);
  const at = Date.now() + delayMs;
  await Promise.all(subjects.map(async (subject) => schedule(first, subject, at)));
  await first.stop("SIGKILL");
  const second = await start();
  expect((await arrived(second, late, 1)).length).toBeGreaterThan(0);
  await second.stop("SIGKILL");
  const third = await start();
  expect(await arrived(third, scheduled, mailCount)).toEqual(subjects);
  expect(await arrived(third, late, heldCount)).toEqual(lateSubjects);
  await third.stop("SIGKILL");
  await using fourth = await LocalService.start([`--data-dir=${folder}`], await settings());
  expect(await arrived(fourth, scheduled, mailCount)).toEqual(subjects);
  expect(await arrived(fourth, late, heldCount)).toEqual(lateSubjects);
});
