/** SMS that a version without callbacks left in the outbox. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readBody } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { configFrom } from "../../src/app/settings/config.ts";
import { startService } from "../../src/app/service.ts";
import { createIdSource, type MessageId, type ServerId } from "../../src/core/ids.ts";
import type { Message } from "../../src/core/message.ts";
import { encodeSmsDelivery, type SmsDelivery } from "../../src/egress/sms/sms-delivery.ts";
import { recordSms } from "../../src/operations/services/reading/sms-record.ts";
import { openSqliteStore } from "../../src/store/sqlite/open.ts";
import type { NewOutboxEntry } from "../../src/store/outbox-store.ts";

const key = "a-key-for-journeys";
const server = "text1234" as ServerId;
const sms = { from: "+15550100", to: "+15550150", text: "YES" };

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "restante-upgrade-"));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true, force: true });
});

function entryOf(message: MessageId | null, content: SmsDelivery): NewOutboxEntry {
  const state = { status: "Queued", lastError: null, at: Date.now() } as const;
  const envelope = { mailFrom: "", rcptTo: [], content: encodeSmsDelivery(content) };
  return { id: randomUUID(), message, route: "hook", ...envelope, ...state };
}

/** Stores a reply and a status report as older versions did. */
async function leaveEntries(url: string): Promise<MessageId> {
  const store = await openSqliteStore({ directory: dataDir, durable: false });
  await store.createServer({ id: server, name: "Texts", password: "p", createdAt: Date.now(), expiresAt: null });
  const settings = { provider: "twilio", sealedSecrets: null, webhook: `${url}/in` } as const;
  await store.phoneNumbers.addPhoneNumber({ id: randomUUID(), number: sms.from, server, ...settings, createdAt: 0 });
  const { id } = createIdSource(() => Date.now()).next(server, "Sent");
  const calls = ["queued", "sent"].map((status) => ({ body: `MessageStatus=${status}`, headers: {} }));
  await store.addMessages([recordSms(id, sms)], {
    entries: [
      entryOf(id, { kind: "inbound", ...sms, id, server }),
      entryOf(null, { kind: "status", url: `${url}/status`, calls }),
    ],
  });
  await store.close();
  return id;
}

test("delivers SMS replies and status reports that an older version had queued, once", async () => {
  const received: string[] = [];
  const http = createServer((request, response) => {
    const note = async (): Promise<void> => {
      const form = new URLSearchParams(await readBody(request));
      received.push(`${request.url ?? ""} ${form.get("Body") ?? form.get("MessageStatus") ?? ""}`);
      response.writeHead(204).end();
    };
    void note();
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const id = await leaveEntries(`http://127.0.0.1:${String((http.address() as AddressInfo).port)}`);
  const ports = { httpPort: 0, httpsPort: null, smtpPort: 0 };
  const service = await startService(configFrom({ dataDir, apiKey: key, log: "silent", ...ports }), { durable: false });
  try {
    await vi.waitFor(async () => {
      const response = await fetch(`${service.url}/api/messages/${id}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      const { delivery } = (await response.json()) as Message;
      expect(delivery).toMatchObject({ status: "Sent", attempts: 1 });
      expect(received.toSorted()).toEqual(["/in YES", "/status queued", "/status sent"]);
    });
  } finally {
    await service.stop();
    http.closeAllConnections();
    http.close();
  }
});
