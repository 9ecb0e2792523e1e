/** Types of bounces (https://postmarkapp.com/developer/api/bounce-api#bounce-types), and the addresses that cause them. */
import type { EventDetails, EventWebhooks, MailEvent, MailEventType } from "../callbacks.ts";

/** Row of the table of types. */
export interface BounceType {
  /** Value of `Type`. */
  readonly type: string;
  /** Value of `TypeCode`. */
  readonly code: number;
  /** Value of `Name`. */
  readonly name: string;
  readonly description: string;
}

const rows: readonly (readonly [type: string, code: number, name: string, description: string])[] = [
  ["HardBounce", 1, "Hard bounce", "The message cannot be delivered: the mailbox does not exist."],
  ["Transient", 2, "Message delayed", "The message cannot be delivered for the moment."],
  ["Unsubscribe", 16, "Unsubscribe request", "The recipient asks to be removed."],
  ["Subscribe", 32, "Subscribe request", "Somebody asks to be added."],
  ["AutoResponder", 64, "Auto responder", "An automatic response."],
  ["AddressChange", 128, "Address change", "The recipient has another address."],
  ["DnsError", 256, "DNS error", "The host of the recipient was not found for the moment."],
  ["SpamNotification", 512, "Spam notification", "The message was classified as spam."],
  ["OpenRelayTest", 1024, "Open relay test", "A test of whether the host relays mail."],
  ["Unknown", 2048, "Unknown", "The bounce has no known type."],
  ["SoftBounce", 4096, "Soft bounce", "The message cannot be delivered for the moment: the mailbox is full."],
  ["VirusNotification", 8192, "Virus notification", "The bounce contains a virus."],
  ["ChallengeVerification", 16384, "Spam challenge verification", "The recipient asks the sender for a confirmation."],
  ["BadEmailAddress", 100000, "Invalid email address", "The address is not valid."],
  ["SpamComplaint", 100001, "Spam complaint", "The recipient reported the message as spam."],
  ["ManuallyDeactivated", 100002, "Manually deactivated", "The recipient was deactivated."],
  ["Unconfirmed", 100003, "Registration not confirmed", "The subscription was not confirmed."],
  ["Blocked", 100006, "ISP block", "The host blocks the sender because of content or reputation."],
  ["SMTPApiError", 100007, "SMTP API error", "The message that was submitted by SMTP was not accepted."],
  ["InboundError", 100008, "Processing failed", "The inbound message could not be handed over."],
  ["DMARCPolicy", 100009, "DMARC policy", "The message was rejected because of the DMARC policy of its sender."],
  [
    "TemplateRenderingFailed",
    100010,
    "Template rendering failed",
    "The template of the message could not be rendered.",
  ],
];

/** Name in lower case → row. */
const types: ReadonlyMap<string, BounceType> = new Map(
  rows.map(([type, code, name, description]) => [type.toLowerCase(), { type, code, name, description }]),
);

const testDomain = "bounce-testing.postmarkapp.com";
const byBounce = { hard: "hardbounce", soft: "softbounce", blocked: "blocked" } as const;
/** Returns whether the recipient is inactive after a bounce of this type. */
export function deactivates({ type }: BounceType): boolean {
  return ["HardBounce", "BadEmailAddress", "SpamComplaint", "ManuallyDeactivated"].includes(type);
}

/**
 * Returns the type of the bounce that the address causes
 * (https://postmarkapp.com/support/article/1239-how-to-test-bounces); undefined for addresses of other domains.
 */
export function testBounceOf(recipient: string): BounceType | undefined {
  const [name = "", domain] = recipient.toLowerCase().split("@");
  if (domain !== testDomain) return undefined;
  return types.get(name.replaceAll(/[_-]/g, "")) ?? typeNamed("hardbounce");
}

/** Returns the type of the bounce that an event reports. */
export function bounceTypeOf({ type, recipient, details }: MailEvent): BounceType {
  if (type === "complained") return typeNamed("spamcomplaint");
  return testBounceOf(recipient) ?? typeNamed(type === "deferred" ? "transient" : byBounce[details.bounce ?? "hard"]);
}

function typeNamed(name: string): BounceType {
  return types.get(name) ?? { type: "Unknown", code: 2048, name: "Unknown", description: "" };
}

/** Returns the events that the address causes instead of a delivery; undefined for addresses of other domains. */
export const testOutcomeOf: NonNullable<EventWebhooks["outcomeOf"]> = (recipient) => {
  const bounce = testBounceOf(recipient);
  if (bounce === undefined) return undefined;
  const outcome = (type: MailEventType, details: EventDetails = {}) => ({ type, details });
  if (bounce.type === "SpamComplaint") return [outcome("delivered"), outcome("complained")];
  if (bounce.type === "Transient") return [outcome("deferred")];
  if (bounce.type === "Blocked") return [outcome("bounced", { bounce: "blocked" })];
  return [outcome("bounced", { bounce: deactivates(bounce) ? "hard" : "soft" })];
};
