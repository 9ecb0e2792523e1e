/** Mailboxes of a server, and the commands that open and close them (RFC 9051 sections 6.3.2, 6.3.3, 6.4.1 and 6.4.2). */
import type { Direction } from "../../core/message.ts";
import { isKeyword, keptFlags, modSequence, systemFlags } from "./flags.ts";
import { atomOf, listOf, no, ok, type RunCommand, stringOf } from "./command.ts";
import { SelectedMailbox } from "./selected-mailbox.ts";
import type { AuthenticatedSession, ImapSession, SelectedSession } from "./session.ts";
import { imapString, ImapSyntaxError, type ImapToken } from "./tokenise.ts";
import { removeDeleted } from "./store-command.ts";

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

/** NO response to the name of a mailbox that does not exist. */
export const noSuchMailbox: string = "[NONEXISTENT] There is no such mailbox; a server has INBOX and Sent";

/** Returns SELECT or EXAMINE. */
export function opening(name: "SELECT" | "EXAMINE"): RunCommand<AuthenticatedSession> {
  return async (session, tokens) => {
    const mailbox = findMailbox(stringOf(tokens[0], "The mailbox"));
    if (tokens.length > 1) readParameters(session, listOf(tokens[1], "The parameters"));
    if (tokens.length > 2) throw new ImapSyntaxError("The command has too many arguments");
    const { access } = session;
    const hadSelected = session.selected !== null;
    session.unselect();
    if (hadSelected) await session.send("* OK [CLOSED] The former mailbox is closed\r\n");
    if (mailbox === undefined) return no(noSuchMailbox);
    const deletion = await session.context.operations.deletion(access);
    const opened = await session.context.operations.openMailbox(access, mailbox.direction);
    const isReadOnly = name === "EXAMINE" || !access.mayWrite;
    const selected = new SelectedMailbox(opened, {
      name: mailbox,
      isReadOnly,
      deletion,
      access,
      reportsRecent: !session.isRev2,
    });
    session.selected = selected;
    const { uidValidity, uidNext, cursor } = selected.index;
    const keywords = (await session.context.operations.listTags(access)).filter(isKeyword);
    const flags = [systemFlags, ...keywords].join(" ");
    const kept = [deletion === "delete" ? systemFlags : keptFlags, ...keywords].join(" ");
    await session.send(
      [
        `* ${selected.count} EXISTS`,
        ...(session.isRev2 ? [] : [`* ${selected.recentCount} RECENT`]),
        `* FLAGS (${flags})`,
        `* OK [PERMANENTFLAGS (${isReadOnly ? "" : String.raw`${kept} \*`})] Flags that are kept`,
        `* OK [UIDVALIDITY ${uidValidity}] UIDs valid`,
        `* OK [UIDNEXT ${uidNext}] Predicted next UID`,
        `* OK [HIGHESTMODSEQ ${modSequence(cursor)}] Mod-sequences are kept`,
        ...(session.isRev2 ? [`* LIST () "/" ${imapString(mailbox.name)}`] : []),
        "",
      ].join("\r\n"),
    );
    return ok(`[${isReadOnly ? "READ-ONLY" : "READ-WRITE"}] ${name} completed`);
  };
}

/** Reads the parameters, of which there is one: CONDSTORE (RFC 7162 section 3.1.8). */
function readParameters(session: ImapSession, tokens: readonly ImapToken[]): void {
  if (!tokens.every((token) => atomOf(token, "The parameter") === "CONDSTORE")) {
    throw new ImapSyntaxError("Unknown parameter; CONDSTORE is the only one");
  }
  if (tokens.length > 0) session.reportsModSeq = true;
}

/** UNSELECT (RFC 3691). */
export const unselect: RunCommand<SelectedSession> = async (session) => {
  session.unselect();
  return await Promise.resolve(ok("UNSELECT completed"));
};

/** CLOSE: deletes the messages with the flag `\Deleted`, without reporting them, where they may be deleted. */
export const close: RunCommand<SelectedSession> = async (session) => {
  const { selected } = session;
  if (!selected.isReadOnly && selected.mayDelete) await removeDeleted(session, selected, null);
  session.unselect();
  return ok("CLOSE completed");
};

/** NOOP and CHECK: report what has changed, whichever node stored it. */
export const noop: RunCommand = async (session) => {
  await session.selected?.update(session, { mayExpunge: true, isForced: true });
  return ok("Completed");
};
