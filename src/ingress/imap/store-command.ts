/** STORE and EXPUNGE, by which clients mark and delete messages (RFC 9051 sections 6.4.3, 6.4.6 and 6.4.9). */
import { mainTurns } from "../../core/shared-turns.ts";
import type { MessageId } from "../../core/ids.ts";
import { type MarkChange, type Marks, messageFlags, noMarks, tagIdentity } from "../../core/marks.ts";
import { deletionRefused } from "../../operations/mailboxes/delete-mails.ts";
import type { MailMarks } from "../../operations/mailboxes/mailboxes.ts";
import { no, ok, type RunCommand, stringOf, readSet } from "./command.ts";
import { type ImapFlags, isKeyword, readFlags, readModifier } from "./flags.ts";
import type { SelectedMailbox, SelectedMessage } from "./selected-mailbox.ts";
import { formatSequenceSet } from "./sequence-set.ts";
import type { ImapSession, SelectedSession } from "./session.ts";
import { ImapSyntaxError, type ImapToken } from "./tokenise.ts";

/** Messages that STORE changes, and that EXPUNGE looks at, at once. */
const [batchCountMax, expungedCountMax] = [500, 1000];

/** Response to a change of a mailbox that may only be read. */
export const readOnly: string = "[NOPERM] The mailbox is read-only";
/** Response to a deletion on a server that refuses it. */
export const keepsMessages: string = `[CANNOT] ${deletionRefused}`;

/** STORE, by numbers or by UIDs. */
export const store: RunCommand<SelectedSession> = async (session, tokens, { isUid }) => {
  const { selected } = session;
  const { set, ...request } = readStore(tokens);
  if (request.unchangedSince !== null) session.reportsModSeq = true;
  if (selected.isReadOnly) return no(readOnly);
  if (marksDeleted(request) && !selected.mayDelete) return no(keepsMessages);
  const uids = selected.find(set, isUid);
  const modified: number[] = [];
  for (let at = 0; at < uids.length && !session.connection.isClosed; at += batchCountMax) {
    await mainTurns.next();
    const messages = selected.messagesOf(uids.slice(at, at + batchCountMax));
    const some = await change(session, selected, { ...request, messages, isUid });
    for (const message of some) modified.push(isUid ? message.uid : message.number);
  }
  const code = modified.length === 0 ? "" : `[MODIFIED ${formatSequenceSet(modified)}] `;
  return ok(`${code}STORE completed`);
};

function marksDeleted({ action, flags: { flags } }: Pick<Batch, "action" | "flags">): boolean {
  return action.sign !== "-" && flags.includes("deleted");
}

/** Reads `set [(UNCHANGEDSINCE n)] FLAGS flags`. */
function readStore(tokens: readonly ImapToken[]): Pick<Batch, "action" | "flags" | "unchangedSince"> & {
  readonly set: ReturnType<typeof readSet>;
} {
  const [setToken, ...afterSet] = tokens;
  const set = readSet(setToken);
  const hasModifier = afterSet[0]?.kind === "list";
  const unchangedSince = hasModifier ? readModifier(afterSet[0], "UNCHANGEDSINCE") : null;
  const [actionToken, ...flagTokens] = hasModifier ? afterSet.slice(1) : afterSet;
  return { set, action: readAction(actionToken), flags: readFlags(flagsOf(flagTokens)), unchangedSince };
}

interface StoreAction {
  readonly sign: "+" | "-" | "";
  readonly isSilent: boolean;
}

function readAction(token: ImapToken | undefined): StoreAction {
  const [, sign, silent] = /^([+-]?)FLAGS(\.SILENT)?$/i.exec(stringOf(token, "FLAGS")) ?? [];
  if (sign !== "+" && sign !== "-" && sign !== "") throw new ImapSyntaxError("STORE needs FLAGS, +FLAGS or -FLAGS");
  return { sign, isSilent: silent !== undefined };
}

function flagsOf(tokens: readonly ImapToken[]): readonly ImapToken[] {
  const [first, ...others] = tokens;
  if (first === undefined) throw new ImapSyntaxError("The flags are missing");
  if (first.kind !== "list") return tokens;
  if (others.length > 0) throw new ImapSyntaxError("STORE has too many arguments");
  return first.items;
}

interface Batch {
  readonly messages: readonly SelectedMessage[];
  readonly action: StoreAction;
  readonly flags: ImapFlags;
  readonly isUid: boolean;
  readonly unchangedSince: number | null;
}

/** Changes the flags of some messages; returns those that have changed since `unchangedSince`, which are left as they are. */
async function change(
  session: ImapSession,
  selected: SelectedMailbox,
  batch: Batch,
): Promise<readonly SelectedMessage[]> {
  const { messages, action, isUid, unchangedSince } = batch;
  const { operations } = session.context;
  const ids = messages.map(({ id }) => id);
  if (ids.length === 0) return [];
  const before = action.sign === "" ? await marksOf(session, selected, ids) : new Map<MessageId, MailMarks>();
  const asked = changeOf(
    batch,
    [...before.values()].map(({ marks }) => marks),
  );
  const { sequence, modified = [] } = await operations.changeMarks(selected.access, ids, {
    ...selected.storedPartOf(asked),
    ...(unchangedSince !== null && { unchangedSince }),
  });
  selected.noteOwnChange(sequence);
  const left = new Set(modified);
  for (const { uid, id } of messages) if (!left.has(id)) selected.noteDeleted(uid, asked);
  if (!action.isSilent || session.reportsModSeq) {
    const marked = await marksOf(session, selected, ids);
    const gone = await goneAmong(
      session,
      selected,
      ids.filter((id) => !marked.has(id)),
    );
    const lines = messages.map(({ number, uid, id }) => {
      // A message without marks may have been deleted meanwhile: its flags and its mod-sequence would be older ones.
      if (gone.has(id)) return "";
      const { marks = noMarks, sequence: changedAt = 0 } = marked.get(id) ?? {};
      const items = [
        ...(isUid ? [`UID ${uid}`] : []),
        ...(action.isSilent ? [] : [`FLAGS ${selected.flagsOf(uid, marks)}`]),
        ...(session.reportsModSeq ? [`MODSEQ (${Math.max(uid, changedAt)})`] : []),
      ];
      return `* ${number} FETCH (${items.join(" ")})\r\n`;
    });
    await session.send(lines.join(""));
  }
  return messages.filter(({ id }) => left.has(id));
}

/** Returns those of the messages that no longer exist. */
async function goneAmong(
  { context: { operations } }: ImapSession,
  { access }: SelectedMailbox,
  ids: readonly MessageId[],
): Promise<ReadonlySet<MessageId>> {
  if (ids.length === 0) return new Set();
  const sizes = await operations.measure(access, ids);
  return new Set(ids.filter((_, at) => sizes[at] === 0));
}

async function marksOf(
  session: ImapSession,
  { access }: SelectedMailbox,
  ids: readonly MessageId[],
): Promise<Map<MessageId, MailMarks>> {
  const marked = await session.context.operations.readMarks(access, ids);
  return new Map(marked.map((one) => [one.id, one]));
}

/** Returns the change; a replacement leaves the tags that are no keywords, which the client does not see. */
function changeOf({ action, flags: { flags, keywords } }: Batch, before: readonly Marks[]): MarkChange {
  if (action.sign === "+") return { addFlags: flags, addTags: keywords };
  if (action.sign === "-") return { removeFlags: flags, removeTags: keywords };
  const kept = new Set(keywords.map(tagIdentity));
  const shown = new Set(before.flatMap(({ tags }) => tags.filter(isKeyword)));
  const removed = [...shown].filter((tag) => !kept.has(tagIdentity(tag)));
  return { addFlags: flags, addTags: keywords, removeFlags: messageFlags, removeTags: removed };
}

/** EXPUNGE, and UID EXPUNGE of a set. */
export const expunge: RunCommand<SelectedSession> = async (session, tokens, { isUid }) => {
  const { selected } = session;
  if (selected.isReadOnly) return no(readOnly);
  if (!selected.mayDelete) return no(keepsMessages);
  await removeDeleted(session, selected, isUid ? new Set(selected.find(readSet(tokens[0]), true)) : null);
  return ok("EXPUNGE completed");
};

/** Deletes or hides the messages with the flag `\Deleted` that the client knows, all of them or those among `among`. */
export async function removeDeleted(
  session: ImapSession,
  selected: SelectedMailbox,
  among: ReadonlySet<number> | null,
): Promise<void> {
  await session.context.operations.remove(selected.access, deletedAmong(session, selected, among));
}

async function* deletedAmong(
  session: ImapSession,
  selected: SelectedMailbox,
  among: ReadonlySet<number> | null,
): AsyncGenerator<MessageId> {
  const { operations } = session.context;
  const candidates = among === null ? selected.uids : Uint32Array.from(among);
  for (let at = 0; at < candidates.length; at += expungedCountMax) {
    const messages = selected.messagesOf(Array.from(candidates.subarray(at, at + expungedCountMax)));
    const ids = messages.map(({ id }) => id);
    const marked = new Map((await operations.readMarks(selected.access, ids)).map(({ id, marks }) => [id, marks]));
    for (const { id, uid } of messages) {
      if (session.connection.isClosed) return;
      if (selected.isDeleted(uid, marked.get(id) ?? noMarks)) yield id;
    }
  }
}
