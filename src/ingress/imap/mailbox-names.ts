import type { Direction } from "../../core/message.ts";

/** Mailbox as clients see it. */
export interface MailboxName {
  readonly name: string;
  readonly direction: Direction;
  /** Role (RFC 6154); null for INBOX. */
  readonly specialUse: string | null;
}

/** Mailboxes of each server. */
export const mailboxNames: readonly MailboxName[] = [
  { name: "INBOX", direction: "Received", specialUse: null },
  { name: "Sent", direction: "Sent", specialUse: String.raw`\Sent` },
];

/** Separator of names. */
export const hierarchyDelimiter = "/";

/** Returns the mailbox with a name; INBOX in any case (RFC 9051 section 5.1). */
export function findMailbox(name: string): MailboxName | undefined {
  return mailboxNames.find((mailbox) => mailbox.name === name || name.toUpperCase() === mailbox.name);
}

/** Whether a name matches a pattern with `*` and `%`. */
export function matchesPattern({ name }: MailboxName, pattern: string): boolean {
  const matches = (text: string, wanted: string): boolean => {
    // Names have no delimiter, so that both wildcards match the same; the loop takes linear time for each wildcard.
    const [start = "", ...rest] = wanted.split(/[*%]+/);
    if (!text.startsWith(start)) return false;
    if (rest.length === 0) return text === start;
    let at = start.length;
    const last = rest.pop() ?? "";
    for (const piece of rest) {
      const found = text.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
  return matches(name, pattern) || (name === "INBOX" && matches(name, pattern.toUpperCase()));
}
