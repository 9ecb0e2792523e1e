import { expect, test } from "vitest";
import { createIdSource, newServerId } from "../../core/ids.ts";
import { encodeDeliveryContent } from "../../egress/callbacks/delivery-content.ts";
import { type CallbackMessage, eventMailOf, mailEvent } from "./event-mail.ts";

/** Of all characters, JSON writes this one with the most bytes. */
const worst = "\u0001";

test("keeps the content of an event below 256 kB for any mail", () => {
  const { id } = createIdSource(() => 1000).next(newServerId(), "Received");
  const text = worst.repeat(100_000);
  const many = Array.from({ length: 100_000 }, () => worst.repeat(20));
  const contacts = many.map((email) => ({ name: "", email, phone: null }));
  const message = {
    from: [{ name: "", email: text, phone: null }],
    to: contacts,
    cc: contacts,
    subject: text,
    metadata: {
      mailFrom: text,
      headers: [{ field: "Message-ID", value: text }, ...many.map((value) => ({ field: "X-Own", value }))],
    },
    provider: {
      name: "postmark",
      id: text,
      tags: many,
      metadata: Object.fromEntries(many.map((value, index) => [`${String(index)}${value}`, value])),
      template: { id: text, data: text },
      scheduledAt: null,
    },
  };
  const mail = eventMailOf({ id, detail: { message }, sizeBytes: 1 } as unknown as CallbackMessage);
  const event = mailEvent(mail, { type: "bounced", recipient: "a@b.example", at: 0, details: {} });
  const content = encodeDeliveryContent({ kind: "event", event, defect: null });
  expect(content.byteLength).toBeLessThan(256 * 1024);
  expect(mail.isHeadersCut).toBe(true);
});
