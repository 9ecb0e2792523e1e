/** One-time codes of verification APIs: they are made here, delivered as SMS or mail, and compared. */
import { escapeHtml } from "./formats/html-text.ts";
import { createHash, randomInt } from "node:crypto";
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

/** Codes that applications choose, and that requests to check a code have. */
export const codePattern: RegExp = /^[0-9A-Za-z]{4,10}$/;

/** Length of the hash by which an app on Android recognises its SMS. */
export const appHashLength = 11;

/** Returns the text of an SMS with the hash of an app; without one (null) the text itself. */
export function withAppHash(text: string, hash: string | null): string {
  return hash === null ? text : `<#> ${text}\n${hash}`;
}

/** Returns a hash of a recipient that is part of ids of objects; letter case does not matter. */
export function recipientHash(to: string): string {
  return createHash("sha256").update(to.toLowerCase()).digest("hex");
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
