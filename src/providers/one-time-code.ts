/** One-time codes of verification APIs: they are made here, delivered as SMS or mail, and compared. */
import { randomInt, timingSafeEqual } from "node:crypto";
import type { EmailDraft } from "./email.ts";
import type { ProviderSession } from "./provider.ts";
import type { SubmissionRefusal } from "./sms.ts";

/** Message that carries a code. */
export interface CodeMessage {
  /** Address of a mail, number in E.164 of an SMS. */
  readonly to: string;
  readonly isEmail: boolean;
  /** Name of the sender in a mail. */
  readonly name: string;
  /** Address of a mail, sender of an SMS. */
  readonly from: string;
  /** Subject of a mail. */
  readonly subject: string;
  readonly text: string;
  /** Id of the verification, which all of its messages carry. */
  readonly providerId: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Returns a random code of decimal digits. */
export function newCode(length: number): string {
  return Array.from({ length }, () => String(randomInt(10))).join("");
}

/** Returns whether two codes are equal, in constant time for codes of the same length. */
export function isSameCode(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}

/** Stores the message that carries a code as received. Resolves to null, or to the reason why it was not stored. */
export async function deliverCode(session: ProviderSession, message: CodeMessage): Promise<SubmissionRefusal | null> {
  const { to, from, text, metadata, providerId } = message;
  if (!message.isEmail) {
    const sms = { from, to, text, metadata, callback: null, providerIdOf: () => providerId };
    return (await session.submitSms(sms)).refusal ?? null;
  }
  const [submission] = await session.submitEmails([
    {
      content: draftOf(message),
      mailFrom: from,
      recipients: [to],
      facts: { tags: [], metadata, template: null },
      sendAt: null,
      identify: () => ({ providerId, messageId: null }),
    },
  ]);
  return submission?.refusal ?? null;
}

function draftOf({ to, name, from, subject, text }: CodeMessage): EmailDraft {
  return {
    from: { name, address: from },
    replyTo: [],
    to: [{ name: "", address: to }],
    cc: [],
    bcc: [],
    subject,
    text: `${text}\n`,
    html: `<p>${escapeHtml(text)}</p>\n`,
    headers: [],
    attachments: [],
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
