import { createHash } from "node:crypto";
import { fingerprintMail, fingerprintSms, type VolatileValues } from "../../../analysis/duplicates/fingerprint.ts";
import { normaliseText } from "../../../analysis/duplicates/normalise-text.ts";
import { comparedRecipientCountMax } from "../../../core/duplicates.ts";
import type { MessageId } from "../../../core/ids.ts";
import type { Contact, MessageType } from "../../../core/message.ts";
import type { MimeLimits } from "../../../mime/source.ts";
import { decodeDetail, summariesOf } from "./stored-detail.ts";

/** Message of a page, and what its duplicates have in common with it. */
export interface OutlinedSummary {
  readonly id: MessageId;
  /** Equal for duplicates; different messages may have the same. */
  readonly likeness: string;
}

/** Content of a message, hashed, and its volatile values. */
export interface MessageFingerprint {
  readonly type: MessageType;
  /** Hash of the normalised content. */
  readonly content: string;
  /** In lower case; envelope recipients where the message has an envelope; at most `comparedRecipientCountMax`. */
  readonly recipients: readonly string[];
  readonly volatile: VolatileValues;
}

/** Outlines the summaries of a page; `json` is their JSON without brackets. */
export function outlineSummaries(json: Uint8Array): readonly OutlinedSummary[] {
  return summariesOf({ json }).map(({ id, type, subject, attachments }) => {
    return { id, likeness: hashOf(JSON.stringify([type, normaliseText(subject).text, attachments])) };
  });
}

/** Returns the fingerprint of a message by its raw mail, which is empty for an SMS, and its stored detail. */
export function fingerprintMessage(raw: Uint8Array, detail: Uint8Array, limits: MimeLimits): MessageFingerprint {
  const { message } = decodeDetail(detail);
  const { type, from, to, cc, bcc, metadata, text } = message;
  const { content, volatile } =
    type === "SMS"
      ? fingerprintSms({
          text: text ?? { body: null, links: [], codes: [] },
          from,
        })
      : fingerprintMail(raw, limits);
  const recipients = metadata.rcptTo.length > 0 ? metadata.rcptTo : [...to, ...cc, ...bcc];
  return {
    type,
    content: hashOf(content),
    recipients: addressesOf(recipients),
    volatile,
  };
}

function addressesOf(contacts: readonly Contact[]): readonly string[] {
  const addresses = contacts
    .map(({ email, phone }) => (email ?? phone ?? "").toLowerCase())
    .filter((one) => one !== "");
  return [...new Set(addresses)].toSorted().slice(0, comparedRecipientCountMax);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
