/** APPEND, COPY and MOVE (RFC 9051 sections 6.3.12, 6.4.7 and 6.4.8), with the response codes of UIDPLUS. */
import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import type { Direction } from "../../core/message.ts";
import { type ImapReply, listOf, no, ok, type RunCommand, stringOf, readSet } from "./command.ts";
import { readFlags } from "./flags.ts";
import { findMailbox } from "./select-command.ts";
import type { SelectedMailbox, SelectedMessage } from "./selected-mailbox.ts";
import { formatSequenceSet } from "./sequence-set.ts";
import type { AuthenticatedSession, ImapSession, SelectedSession } from "./session.ts";
import { ImapSyntaxError, type ImapToken } from "./tokenise.ts";
import { keepsMessages, readOnly } from "./store-command.ts";

/** Messages that one command copies: each is stored on its own. */
const copyCountMax = 1000;
const datePattern = /^[ \d]\d-[A-Za-z]{3}-\d{4} \d{2}:\d{2}:\d{2} [+-]\d{4}$/;
const noTarget = "[TRYCREATE] There is no such mailbox; a server has INBOX and Sent";

/**
 * APPEND: into INBOX as a received message, into Sent as a sent one that goes to nobody. Its date is the present instant: lists
 * and waiting searches show it as new.
 */
export const append: RunCommand<AuthenticatedSession> = async (session, tokens) => {
  const [name, ...rest] = tokens;
  const mailbox = findMailbox(stringOf(name, "The mailbox"));
  const { flags, raw } = readAppend(rest);
  const { access, context } = session;
  if (mailbox === undefined) return no(noTarget);
  const marks = { flags: flags.flags, tags: [...new Set(flags.keywords)].toSorted() };
  const uid = await context.operations.append(access, { direction: mailbox.direction, raw, marks });
  const { uidValidity } = await context.operations.status(access, mailbox.direction);
  return ok(`[APPENDUID ${uidValidity} ${uid}] APPEND completed`);
};

function readAppend(tokens: readonly ImapToken[]): {
  readonly flags: ReturnType<typeof readFlags>;
  readonly raw: Uint8Array;
} {
  const last = tokens.at(-1);
  if (last?.kind !== "octets") throw new ImapSyntaxError("APPEND needs a mail as a literal");
  const options = tokens.slice(0, -1);
  const flags = options[0]?.kind === "list" ? readFlags(listOf(options[0], "The flags")) : readFlags([]);
  const [date, ...others] = options[0]?.kind === "list" ? options.slice(1) : options;
  const isDate = date === undefined || (date.kind === "string" && datePattern.test(date.text));
  if (!isDate || others.length > 0) throw new ImapSyntaxError("APPEND has a wrong argument");
  if (last.bytes.length === 0) throw new ImapSyntaxError("The mail is empty");
  return { flags, raw: last.bytes };
}

/** Returns COPY or MOVE, by numbers or by UIDs. */
export const copyOrMove =
  (isMove: boolean): RunCommand<SelectedSession> =>
  async (session, tokens, { isUid }) => {
    const { selected } = session;
    const set = readSet(tokens[0]);
    const target = findMailbox(stringOf(tokens[1], "The mailbox"));
    if (tokens.length > 2) throw new ImapSyntaxError("The command takes two arguments");
    if (target === undefined) return no(noTarget);
    if (!selected.access.mayWrite || (isMove && selected.isReadOnly)) return no(readOnly);
    if (isMove && !selected.mayDelete) return no(keepsMessages);
    const uids = selected.find(set, isUid);
    if (uids.length > copyCountMax) return no(`[LIMIT] At most ${copyCountMax} messages can be copied at once`);
    const transfer = { messages: selected.messagesOf(uids), direction: target.direction };
    return await (isMove ? move : copy)(session, selected, transfer);
  };

interface Transfer {
  readonly messages: readonly SelectedMessage[];
  readonly direction: Direction;
}

async function copy(session: ImapSession, selected: SelectedMailbox, transfer: Transfer): Promise<ImapReply> {
  const copies: Copies = { from: [], to: [] };
  try {
    for (const message of transfer.messages) await copyOne(session, selected, { ...transfer, message, copies });
  } catch (error) {
    // COPY stores all messages or none (RFC 9051 section 6.4.7).
    await removeCopies(session, selected, { ...transfer, copies });
    throw error;
  }
  return ok(`${copyUid(selected, copies)}COPY completed`);
}

/** Moves the messages one after the other, so that each is in one mailbox at least. */
async function move(session: ImapSession, selected: SelectedMailbox, transfer: Transfer): Promise<ImapReply> {
  const copies: Copies = { from: [], to: [] };
  try {
    await session.context.operations.remove(selected.access, copied(session, selected, { ...transfer, copies }));
  } finally {
    const code = copyUid(selected, copies);
    if (code !== "") await session.send(`* OK ${code}Moved\r\n`);
  }
  return ok("MOVE completed");
}

/** Copies messages, and yields each one that was copied. */
async function* copied(
  session: ImapSession,
  selected: SelectedMailbox,
  transfer: Transfer & { readonly copies: Copies },
): AsyncGenerator<MessageId> {
  for (const message of transfer.messages) {
    if (await copyOne(session, selected, { ...transfer, message })) yield message.id;
  }
}

interface Copies {
  readonly from: number[];
  readonly to: number[];
}

/** Copies one message; returns false when it no longer exists. */
async function copyOne(
  { context: { operations, budget } }: ImapSession,
  { access }: SelectedMailbox,
  { message, direction, copies }: Transfer & { readonly message: SelectedMessage; readonly copies: Copies },
): Promise<boolean> {
  const [sizeBytes = 0] = await operations.measure(access, [message.id]);
  const hold = budget.hold();
  if (!hold.take(sizeBytes)) {
    throw new Problem("too_many_requests", { text: "Too many mails are stored at once; retry later" });
  }
  try {
    const uid = await operations.copy(access, message.id, direction);
    if (uid === undefined) return false;
    copies.from.push(message.uid);
    copies.to.push(uid);
    return true;
  } finally {
    hold.release();
  }
}

async function removeCopies(
  { context: { operations } }: ImapSession,
  { access }: SelectedMailbox,
  { direction, copies }: Transfer & { readonly copies: Copies },
): Promise<void> {
  if (copies.to.length === 0) return;
  const { index, release } = await operations.openMailbox(access, direction);
  try {
    for (const uid of copies.to) {
      const id = index.idOf(uid);
      if (id !== undefined) await operations.discard(access, id);
    }
  } finally {
    release();
  }
}

/** Returns the response code COPYUID with a space after it; "" when nothing was copied. */
function copyUid({ index }: SelectedMailbox, { from, to }: Copies): string {
  if (from.length === 0) return "";
  return `[COPYUID ${index.uidValidity} ${formatSequenceSet(from)} ${formatSequenceSet(to)}] `;
}
