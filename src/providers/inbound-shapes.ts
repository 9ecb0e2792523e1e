/** Table of the formats in which mail is handed to applications; a new one needs a file and a line here. */
import type { InboundShape } from "./callbacks.ts";

/** Loaders of all formats by name, in the order in which documentation lists them. */
export const inboundShapes: Readonly<Record<string, () => Promise<InboundShape>>> = {
  sendgrid: async () => (await import("./sendgrid/event-webhook.ts")).sendGridInbound,
  mailersend: async () => (await import("./mailersend/event-webhook.ts")).mailerSendInbound,
  mailgun: async () => (await import("./mailgun/inbound-shape.ts")).mailgunInbound,
  postmark: async () => (await import("./postmark/inbound-shape.ts")).postmarkInbound,
  ses: async () => (await import("./ses/event-webhook.ts")).sesInboundShape,
  mandrill: async () => (await import("./mandrill/event-webhook.ts")).mandrillInboundShape,
  sparkpost: async () => (await import("./sparkpost/event-webhook.ts")).sparkPostInboundShape,
  raw: async () => (await import("./inbound/raw.ts")).rawInbound,
};
