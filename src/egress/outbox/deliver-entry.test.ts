import { expect, test } from "vitest";
import type { MessageId } from "../../core/ids.ts";
import type { OutboxEntry } from "../../store/outbox-store.ts";
import { deliverEntry, type WaysOut } from "./deliver-entry.ts";
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

function ways(changes: Partial<WaysOut> = {}): { sent: OutboundMail[]; called: Uint8Array[]; ways: WaysOut } {
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
      deliverSms: async (content) => void called.push(content),
      ...changes,
    },
  };
}

test("the relay gets the envelope and the message's bytes, or the entry's own", async () => {
  const all = ways();
  await deliverEntry(all.ways, entry);
  await deliverEntry(all.ways, { ...entry, content: Buffer.from("own") });
  expect(all.sent.map(({ raw, ...envelope }) => [Buffer.from(raw).toString(), envelope])).toEqual([
    ["raw", { mailFrom: "a@own.test", rcptTo: ["b@outside.example"] }],
    ["own", { mailFrom: "a@own.test", rcptTo: ["b@outside.example"] }],
  ]);
});

test.each<[string, Partial<WaysOut>, "fail" | "retry"]>([
  ["an address that is no longer verified", { isAllowed: async () => false }, "fail"],
  ["a message that was deleted", { store: { getRaw: async () => undefined } }, "fail"],
  ["no relay", { relay: null }, "retry"],
])("%s: nothing leaves", async (_name, changes, verdict) => {
  const all = ways(changes);
  await expect(deliverEntry(all.ways, entry)).rejects.toMatchObject({ verdict });
  expect(all.sent).toEqual([]);
});

test("only the mail that asks an owner goes to an address that is not verified", async () => {
  const question = { ...entry, message: null, content: Buffer.from("May we?") };
  const all = ways({ isAllowed: async () => false, isPending: async () => true });
  await deliverEntry(all.ways, question);
  expect(all.sent).toHaveLength(1);
  const withdrawn = ways();
  await expect(deliverEntry(withdrawn.ways, question)).rejects.toMatchObject({ verdict: "fail" });
  expect(withdrawn.sent).toEqual([]);
});

test("a recipient that the relay refuses fails the entry with the relay's words", async () => {
  const failure = new DeliveryFailure("550 no", { stage: "recipient", replyCode: 550, isOurRefusal: false });
  const deliver = async () => ({ accepted: [], refused: [{ address: "b@outside.example", failure }], response: "" });
  await expect(deliverEntry(ways({ relay: { deliver } }).ways, entry)).rejects.toBe(failure);
});

test("a hook gets the entry's content; what stays inside never leaves", async () => {
  const all = ways();
  await deliverEntry(all.ways, { ...entry, route: "hook", content: Buffer.from("{}") });
  expect(all.called.map(String)).toEqual([String(Buffer.from("{}"))]);
  await expect(deliverEntry(all.ways, { ...entry, route: "inside" })).rejects.toMatchObject({ verdict: "fail" });
  expect(all.sent).toEqual([]);
});
