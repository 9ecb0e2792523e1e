/** Addresses in requests, with the errors of Amazon SES. */
import type { DraftMailbox } from "../email.ts";
import { parseMailbox } from "../formats/mailbox.ts";
import { rejection } from "./errors.ts";

/** Most recipients of a mail: To, Cc and Bcc together. */
export const recipientCountMax = 50;
/** Most UTF-16 units of an address with its name. */
const addressLengthMax = 2000;
/** Domains that nobody can verify as an identity (RFC 6761 §6.4). */
const unverifiable = /(?:^|\.)invalid\.?$/i;

/** Returns the mailbox of `a@b` or `Name <a@b>`; throws `invalid`. */
export function mailboxOf(text: string): DraftMailbox {
  const mailbox = text.length > addressLengthMax ? undefined : parseMailbox(text);
  if (mailbox === undefined || !isDeliverable(mailbox.address)) throw rejection("invalid", reasonOf(text));
  return mailbox;
}

/** Amazon SES does not support SMTPUTF8: addresses are ASCII, domains in Punycode. */
function isDeliverable(address: string): boolean {
  return /^[!-~]+$/.test(address.replaceAll(" ", ""));
}

function reasonOf(text: string): string {
  const address = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text;
  if (address.trim() === "") return `Invalid email address ${address.trim()}.`;
  if (!address.includes("@")) return "Missing final '@domain'";
  if (/@\s*$|\.\s*$/.test(address)) return "Missing domain";
  if (/\s/.test(address.trim().slice(address.trim().lastIndexOf("@")))) return "Domain contains control or whitespace";
  return "Illegal address";
}

/** Returns the sender; throws `invalid`, and `rejected` for a domain that no account can have verified. */
export function senderOf(text: string, region: string): DraftMailbox {
  const sender = mailboxOf(text);
  if (!unverifiable.test(sender.address.slice(sender.address.lastIndexOf("@") + 1))) return sender;
  const failed = `The following identities failed the check in region ${region.toUpperCase()}: ${text}`;
  throw rejection("rejected", `Email address is not verified. ${failed}`);
}

/** Throws `invalid` unless there is at least one recipient and at most {@link recipientCountMax}. */
export function checkRecipientCount(count: number): void {
  if (count === 0) throw rejection("invalid", "Missing required header 'To'.");
  if (count > recipientCountMax) {
    throw rejection("invalid", `Recipient count exceeds ${String(recipientCountMax)}.`);
  }
}

/** Returns the addresses of mailboxes without repetitions, in order. */
export function addressesOf(mailboxes: readonly DraftMailbox[]): readonly string[] {
  return [...new Set(mailboxes.map(({ address }) => address))];
}
