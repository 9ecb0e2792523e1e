import { mainTurns } from "../../core/shared-turns.ts";
import type { MessageId } from "../../core/ids.ts";
import { markedMessageCountMax } from "../../core/limits.ts";
import type { MarkChange, Marks, MessageFlag } from "../../core/marks.ts";
import type { ReaderDeletion } from "../../core/server.ts";
import type { MailboxAccess } from "../../operations/mailboxes/access-mailbox.ts";
import { lowerBound } from "../../operations/mailboxes/identity-arrays.ts";
import type { MailboxIndex } from "../../operations/mailboxes/mailbox-index.ts";
import type { MailMarks, ReaderMailbox } from "../../operations/mailboxes/mailboxes.ts";
import { bad, ImapRefusal } from "./command.ts";
import { writeFlags } from "./flags.ts";
import type { MailboxName } from "./select-command.ts";
import { resolveSequenceSet, type SequenceRange } from "./sequence-set.ts";
import type { ImapSession } from "./session.ts";

/** Responses that are written at once. */
const lineCountMax = 500;
/** Marks that are read at once: more than one change can concern. */
const markCountMax: number = markedMessageCountMax;

/** Options of {@link SelectedMailbox.update}. */
export interface UpdateOptions {
  /** Whether deletions may be reported. */
  readonly mayExpunge: boolean;
  /** Whether changes are read that this node was not notified of. */
  readonly isForced?: boolean;
}

/** Message of a selected mailbox. */
export interface SelectedMessage {
  /** Position from 1, as the client counts. */
  readonly number: number;
  readonly uid: number;
  readonly id: MessageId;
}

/**
 * Mailbox as its client knows it: the UIDs in the order of their numbers. They are those of the index that all sessions
 * share, without those that the reader has hidden, unless deletions must not be reported yet.
 */
export class SelectedMailbox {
  readonly name: MailboxName;
  readonly isReadOnly: boolean;
  /** Effect of a deletion when the mailbox was selected; deletions check again. */
  readonly deletion: ReaderDeletion;
  readonly access: MailboxAccess;
  /** False for clients of IMAP4rev2, which has no such flag. */
  readonly reportsRecent: boolean;
  /** UIDs that the last search with SAVE found (RFC 9051 section 6.4.4.1). */
  saved: readonly number[] = [];
  readonly #mailbox: ReaderMailbox;
  #uids: Uint32Array;
  #marksUpTo: number;
  /** Ranges of messages that this session was the first to be notified of, in ascending order. */
  readonly #recent: { readonly first: number; readonly last: number }[] = [];
  /** Numbers of changes that this session has made, and reported itself. */
  readonly #ownChanges = new Set<number>();
  /** UIDs with the flag `\Deleted`, which is one of the session where each reader deletes for itself. */
  readonly #deleted = new Set<number>();

  constructor(
    mailbox: ReaderMailbox,
    {
      name,
      isReadOnly,
      deletion,
      access,
      reportsRecent,
    }: Pick<SelectedMailbox, "name" | "isReadOnly" | "deletion" | "access" | "reportsRecent">,
  ) {
    this.#mailbox = mailbox;
    this.name = name;
    this.isReadOnly = isReadOnly;
    this.deletion = deletion;
    this.access = access;
    this.reportsRecent = reportsRecent;
    this.#uids = mailbox.view.uids;
    this.#marksUpTo = mailbox.index.cursor;
    this.#noteRecent();
  }

  /** Whether messages may be deleted, in effect or for the reader alone. */
  get mayDelete(): boolean {
    return this.deletion !== "refuse";
  }

  /** Whether a message with these stored marks has the flag `\Deleted` for this session. */
  isDeleted(uid: number, { flags }: Marks): boolean {
    return this.deletion === "hide" ? this.#deleted.has(uid) : flags.includes("deleted");
  }

  /** Returns the list of the flags of a message as the session sees them, with its parentheses. */
  flagsOf(uid: number, marks: Marks): string {
    const flags = [...withoutDeleted(marks.flags), ...(this.isDeleted(uid, marks) ? ["deleted" as const] : [])];
    return writeFlags({ ...marks, flags }, this.isRecent(uid));
  }

  /** Returns the part of a change of flags that is stored. */
  storedPartOf(change: MarkChange): MarkChange {
    if (this.deletion !== "hide") return change;
    const { addFlags = [], removeFlags = [] } = change;
    return { ...change, addFlags: withoutDeleted(addFlags), removeFlags: withoutDeleted(removeFlags) };
  }

  /** Applies the other part of a change to a message. */
  noteDeleted(uid: number, { addFlags = [], removeFlags = [] }: MarkChange): void {
    if (removeFlags.includes("deleted")) this.#deleted.delete(uid);
    if (addFlags.includes("deleted")) this.#deleted.add(uid);
  }

  /** Whether this session was the first one to be notified of a message (RFC 3501 section 2.3.2). */
  isRecent(uid: number): boolean {
    return this.#recent.some(({ first, last }) => uid >= first && uid <= last);
  }

  /** Number of messages for which {@link isRecent} is true. */
  get recentCount(): number {
    const below = (uid: number): number => lowerBound(this.#uids, uid);
    return this.#recent.reduce((sum, { first, last }) => sum + below(last + 1) - below(first), 0);
  }

  #noteRecent(): void {
    const last = this.#uids.at(-1) ?? 0;
    const first = this.index.takeRecent(last, !this.isReadOnly);
    const before = this.#recent.at(-1);
    if (first > last || !this.reportsRecent) return;
    if (before?.last === first - 1) this.#recent[this.#recent.length - 1] = { first: before.first, last };
    else this.#recent.push({ first, last });
  }

  get index(): MailboxIndex {
    return this.#mailbox.index;
  }

  /** UIDs by number. */
  get uids(): Uint32Array {
    return this.#uids;
  }

  /** Number of messages that the client knows. */
  get count(): number {
    return this.#uids.length;
  }

  /** Releases the mailbox. */
  close(): void {
    this.#mailbox.release();
  }

  /** Returns the number of a message; undefined for one that the client does not know. */
  numberOf(uid: number): number | undefined {
    const at = lowerBound(this.#uids, uid);
    return this.#uids[at] === uid ? at + 1 : undefined;
  }

  /** Returns the UIDs of the messages of a set that exist. Throws {@link ImapRefusal} for a message number that is too large. */
  find(set: readonly SequenceRange[] | "saved", isUid: boolean): readonly number[] {
    if (set === "saved") return this.saved.filter((uid) => this.numberOf(uid) !== undefined);
    const greatest = isUid ? (this.#uids.at(-1) ?? 0) : this.count;
    const found: number[] = [];
    for (const { first, last } of resolveSequenceSet(set, greatest)) {
      if (!isUid && (first < 1 || last > this.count)) {
        throw new ImapRefusal(bad("The set has a message number that does not exist"));
      }
      const [from, to] = isUid ? [lowerBound(this.#uids, first), lowerBound(this.#uids, last + 1)] : [first - 1, last];
      for (let at = from; at < to; at += 1) found.push(this.#uids[at] ?? 0);
    }
    return found;
  }

  /** Returns the messages of UIDs that still exist. */
  messagesOf(uids: readonly number[]): readonly SelectedMessage[] {
    return uids.flatMap((uid) => {
      const [number, id] = [this.numberOf(uid), this.index.idOf(uid)];
      return number === undefined || id === undefined ? [] : [{ number, uid, id }];
    });
  }

  /** Records a change of marks that this session reports itself. */
  noteOwnChange(sequence: number | undefined): void {
    if (sequence !== undefined) this.#ownChanges.add(sequence);
  }

  /** Reports what has changed since the last report: deletions, new messages, and flags. */
  async update(session: ImapSession, { mayExpunge, isForced = false }: UpdateOptions): Promise<void> {
    const { index } = this;
    await index.refresh(isForced);
    if (index.isReplaced) return;
    await this.#report(session, mayExpunge);
    await this.#reportMarks(session, mayExpunge);
  }

  async #report(session: ImapSession, mayExpunge: boolean): Promise<void> {
    const former = this.#uids;
    const present = this.#mailbox.view.uids;
    if (former.buffer === present.buffer && former.length === present.length) return;
    const added = present.subarray(lowerBound(present, (former.at(-1) ?? 0) + 1));
    const isOnlyAdded = former.length + added.length === present.length;
    if (isOnlyAdded || mayExpunge) this.#uids = present;
    else if (added.length > 0) {
      this.#uids = new Uint32Array(former.length + added.length);
      this.#uids.set(former);
      this.#uids.set(added, former.length);
    }
    if (!isOnlyAdded && mayExpunge) await sendExpunges(session, former, present);
    if (added.length === 0) return;
    this.#noteRecent();
    const recent = this.reportsRecent ? `* ${this.recentCount} RECENT\r\n` : "";
    await session.send(`* ${this.#uids.length} EXISTS\r\n${recent}`);
  }

  async #reportMarks(session: ImapSession, mayExpunge: boolean): Promise<void> {
    while (this.index.markedAt > this.#marksUpTo) {
      const page = await session.context.operations.listMarks(this.access, this.#marksUpTo, markCountMax);
      const last = page.at(-1)?.sequence ?? this.index.markedAt;
      await mainTurns.next();
      if (this.#mailbox.view.hide(page)) await this.#report(session, mayExpunge);
      await this.#sendMarks(session, page);
      this.#marksUpTo = page.length >= markCountMax ? last : Math.max(last, this.index.markedAt);
    }
    this.#ownChanges.clear();
  }

  async #sendMarks(session: ImapSession, marked: readonly MailMarks[]): Promise<void> {
    const foreign = marked.filter(({ sequence }) => !this.#ownChanges.has(sequence));
    const uids = this.index.uidsOf(foreign.map(({ id }) => id));
    const lines = foreign.flatMap(({ id, marks, sequence }) => {
      const uid = uids.get(id);
      const number = uid === undefined ? undefined : this.numberOf(uid);
      if (number === undefined) return [];
      const modSeq = session.reportsModSeq ? ` MODSEQ (${sequence})` : "";
      return [`* ${number} FETCH (UID ${uid} FLAGS ${this.flagsOf(uid ?? 0, marks)}${modSeq})\r\n`];
    });
    for (let at = 0; at < lines.length; at += lineCountMax) {
      await session.send(lines.slice(at, at + lineCountMax).join(""));
    }
  }
}

function withoutDeleted(flags: readonly MessageFlag[]): readonly MessageFlag[] {
  return flags.filter((flag) => flag !== "deleted");
}

/** Sends EXPUNGE for the UIDs that are gone, from the greatest number, so that the numbers of the others are unchanged. */
async function sendExpunges(session: ImapSession, former: Uint32Array, present: Uint32Array): Promise<void> {
  let lines: string[] = [];
  let at = lowerBound(present, (former.at(-1) ?? 0) + 1) - 1;
  for (let number = former.length; number > 0; number -= 1) {
    if (at >= 0 && present[at] === former[number - 1]) {
      at -= 1;
      continue;
    }
    lines.push(`* ${number} EXPUNGE\r\n`);
    if (lines.length < lineCountMax) continue;
    await session.send(lines.join(""));
    lines = [];
  }
  await session.send(lines.join(""));
}
