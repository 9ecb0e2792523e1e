/** Durability: every message acknowledged with 250 is complete after kill -9 during ingest. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LocalService } from "../../src/testing/local-service.ts";
import type { ServiceAccess } from "../../src/testing/service-access.ts";
import { ServiceProcess } from "../../src/testing/service-process.ts";
import { storeSettings } from "./store-under-test.ts";

const key = "a-key-for-crashes";
const server = "crsh1234";
const environment = { RESTANTE_API_KEY: key, RESTANTE_SERVERS: `${server}:Crash`, RESTANTE_LOG: "error" };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "restante-crash-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const settings = async (): Promise<Record<string, string>> => ({ ...environment, ...(await storeSettings(folder)) });
const start = async (): Promise<ServiceProcess> =>
  ServiceProcess.start([`--data-dir=${folder}`], { environment: await settings() });

/** Message whose expected content can be derived from its subject. */
function mailOf(mark: string): string {
  const filler = createHash("sha512").update(mark).digest("hex").repeat(60);
  return `Subject: ${mark}\r\n\r\n${filler}\r\n`;
}

/** Sends messages in sequence over one connection until it breaks; returns the marks acknowledged with 250. */
async function sendUntilDeath(port: number, sender: string, onAccepted: () => void): Promise<readonly string[]> {
  const accepted: string[] = [];
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let step = 0;
    let number = 0;
    const line = (): string => {
      const commands = ["EHLO c.example", "MAIL FROM:<a@b.example>", `RCPT TO:<x@${server}.test>`, "DATA"];
      const command = commands[step];
      return command === undefined ? `${mailOf(`${sender}-${String(number)}`)}.\r\n` : `${command}\r\n`;
    };
    socket.on("data", (chunk) => {
      if (!/^\d{3} [^\n]*\n$/m.test(chunk.toString("latin1"))) return;
      if (step === 5) {
        accepted.push(`${sender}-${String(number)}`);
        onAccepted();
        number += 1;
        step = 1;
      }
      socket.write(line());
      step += 1;
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      resolve(accepted);
    });
  });
}

async function storedMails(service: ServiceAccess): Promise<ReadonlyMap<string, string>> {
  const stored = new Map<string, string>();
  for (let page = 0; ; page += 1) {
    const path = `/api/messages?server=${server}&itemsPerPage=1000&page=${String(page)}`;
    const found = (await (await service.fetch(path, key)).json()) as { id: string; subject: string }[];
    for (const { id, subject } of found) stored.set(subject, id);
    if (found.length < 1000) return stored;
  }
}

test("keeps every acknowledged message intact through five rounds of kill -9", async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const service = await start();
    let accepted = 0;
    const senders = Array.from({ length: 8 }, async (_, sender) =>
      sendUntilDeath(service.smtpPort, `${String(round)}-${String(sender)}`, () => {
        accepted += 1;
        if (accepted === 60 + round * 25) service.signal("SIGKILL");
      }),
    );
    acknowledged.push(...(await Promise.all(senders)).flat());
    await service.ended;
  }
  await using service = await LocalService.start([`--data-dir=${folder}`], await settings());
  const stored = await storedMails(service);
  expect(acknowledged.length).toBeGreaterThan(400);
  expect(acknowledged.filter((mark) => !stored.has(mark))).toEqual([]);
  for (const mark of acknowledged) {
    const raw = await (await service.fetch(`/api/files/email/${stored.get(mark) ?? ""}`, key)).text();
    expect(raw === mailOf(mark)).toBe(true);
  }
});
