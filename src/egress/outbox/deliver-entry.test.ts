import { expect, test } from "vitest";
import type { MessageId } from "../../core/ids.ts";
import type { OutboxEntry } from "../../store/outbox-store.ts";
import { deliverEntry, type DeliveryDependencies } from "./outbox-queue.ts";
import { DeliveryFailure } from "../delivery-failure.ts";
import type { OutboundMail } from "../relay/smtp-relay.ts";

const message = "6d1b9d4e-0000-8000-8000-000000000000" as MessageId;
const entry: OutboxEntry = {
  id: "one",
  message,
  route: "relay",
  mailFrom: "a@own.test",
  rcptTo: ["b@outside.example"],
  content: null,
  at: 0,
  attempts: 1,
};

function ways(changes: Partial<DeliveryDependencies> = {}): {
  sent: OutboundMail[];
  called: Uint8Array[];
  ways: DeliveryDependencies;
} {
  const sent: OutboundMail[] = [];
  const called: Uint8Array[] = [];
  const deliver = async (mail: OutboundMail) => {
    sent.push(mail);
    return { accepted: mail.rcptTo, refused: [], response: "250 Ok" };
  };
  return {
    sent,
    called,
    ways: {
      store: { getRaw: async () => Buffer.from("raw") },
      relay: { deliver },
      isAllowed: async () => true,
      isPending: async () => false,
      deliverSms: async ({ content }) => void called.push(content ?? new Uint8Array()),
      ...changes,
    },
  };
}

test("sends the bytes of the message, or the content of the entry, to the relay", async () => {
  const all = ways();
  await deliverEntry(all.ways, entry);
  await deliverEntry(all.ways, { ...entry, content: Buffer.from("own") });
  expect(all.sent.map(({ raw, ...envelope }) => [Buffer.from(raw).toString(), envelope])).toEqual([
    ["raw", { mailFrom: "a@own.test", rcptTo: ["b@outside.example"] }],
    ["own", { mailFrom: "a@own.test", rcptTo: ["b@outside.example"] }],
  ]);
});

test.each<[string, Partial<DeliveryDependencies>, "fail" | "retry"]>([
  ["an address that is no longer verified", { isAllowed: async () => false }, "fail"],
  ["a message that was deleted", { store: { getRaw: async () => undefined } }, "fail"],
  ["no relay", { relay: null }, "retry"],
])("sends nothing for %s", async (_name, changes, verdict) => {
  const all = ways(changes);
  await expect(deliverEntry(all.ways, entry)).rejects.toMatchObject({ verdict });
  expect(all.sent).toEqual([]);
});

test("sends only confirmation mails to pending addresses", async () => {
  const question = { ...entry, message: null, content: Buffer.from("May we?") };
  const all = ways({ isAllowed: async () => false, isPending: async () => true });
  await deliverEntry(all.ways, question);
  expect(all.sent).toHaveLength(1);
  const withdrawn = ways();
  await expect(deliverEntry(withdrawn.ways, question)).rejects.toMatchObject({ verdict: "fail" });
  expect(withdrawn.sent).toEqual([]);
});

test("rejects with the reply of the relay for a rejected recipient", async () => {
  const failure = new DeliveryFailure("550 no", { stage: "recipient", replyCode: 550, isLocalRefusal: false });
  const deliver = async () => ({ accepted: [], refused: [{ address: "b@outside.example", failure }], response: "" });
  await expect(deliverEntry(ways({ relay: { deliver } }).ways, entry)).rejects.toBe(failure);
});

test("delivers the SMS content of an entry, and rejects internal messages", async () => {
  const all = ways();
  await deliverEntry(all.ways, { ...entry, route: "hook", content: Buffer.from("{}") });
  expect(all.called.map(String)).toEqual([String(Buffer.from("{}"))]);
  await expect(deliverEntry(all.ways, { ...entry, route: "inside" })).rejects.toMatchObject({ verdict: "fail" });
  expect(all.sent).toEqual([]);
});
