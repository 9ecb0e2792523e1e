import { parseAddressList } from "../../mime/address-list.ts";
import { parseEmailAddress } from "../../mime/email-address.ts";
import type { DraftMailbox } from "../email.ts";

/** Returns whether a text is exactly one address (RFC 5321 §4.1.2, RFC 6531) without a name or brackets. */
export function isEmailAddress(text: string): boolean {
  return parseEmailAddress(text) !== undefined;
}

/** Returns the mailbox of `a@b` or `Name <a@b>`; undefined for anything else. */
export function parseMailbox(text: string): DraftMailbox | undefined {
  const mailboxes = parseMailboxes(text);
  return mailboxes?.length === 1 ? mailboxes[0] : undefined;
}

/**
 * Returns the mailboxes of a list as in a To field, separated by commas; undefined when one of them has no valid address.
 * An empty list has none. Reads at most `contactCountMax` (core/limits.ts) mailboxes.
 */
export function parseMailboxes(text: string): readonly DraftMailbox[] | undefined {
  const mailboxes = parseAddressList(text).map(({ name, email }) => ({ name, address: email ?? "" }));
  return mailboxes.every(({ address }) => isEmailAddress(address)) ? mailboxes : undefined;
}
