/** SEARCH and UID SEARCH (RFC 9051 section 6.4.4, RFC 4731, RFC 5182). */
import { mainTurns } from "../../core/shared-turns.ts";
import { noMarks } from "../../core/marks.ts";
import { type ImapReply, ok, type RunCommand } from "./command.ts";
import { hasModSequence, type ImapSearch, parseSearch, type SearchReturn } from "./parse-search.ts";
import { resolveSearch } from "./resolve-search.ts";
import type { SelectedMailbox } from "./selected-mailbox.ts";
import { formatSequenceSet } from "./sequence-set.ts";
import type { ImapSession, SelectedSession } from "./session.ts";

/** Messages whose marks are read at once. */
const batchCountMax = 1000;

/** SEARCH, with numbers or with UIDs in its response. */
export const search: RunCommand<SelectedSession> = async (session, tokens, { tag, isUid }) => {
  const request = parseSearch(tokens);
  const { selected } = session;
  const saves = request.returns?.includes("SAVE") === true;
  const uids = await findMessages(session, selected, request).catch((error: unknown) => {
    // RFC 5182 section 2.1: the saved result of a search that fails is empty.
    if (saves) selected.saved = [];
    throw error;
  });
  if (saves) selected.saved = savedOf(uids, request.returns ?? []);
  return await respond(session, selected, { search: request, uids, isUid, tag });
};

/** Returns the UIDs of the messages of a mailbox that a search finds, ascending. Rejects as the search of mailboxes does. */
export async function findMessages(
  session: ImapSession,
  selected: SelectedMailbox,
  { key }: Pick<ImapSearch, "key">,
): Promise<readonly number[]> {
  const saved = new Set(selected.saved);
  const { uids, index } = selected;
  const query = resolveSearch(key, {
    uids,
    isRecent: (uid) => selected.isRecent(uid),
    ...(selected.deletion === "hide" && { isDeleted: (uid: number) => selected.isDeleted(uid, noMarks) }),
    isSaved: (uid) => saved.has(uid),
    tagOf: (keyword) => keyword,
  });
  const gone = new AbortController();
  session.connection.onClosed(() => {
    gone.abort();
  });
  try {
    const messages = {
      direction: selected.name.direction,
      uids,
      idOf: (uid: number) => index.idOf(uid),
      uidsOf: (ids: Parameters<typeof index.uidsOf>[0]) => index.uidsOf(ids),
    };
    return await session.context.operations.search(selected.access, messages, { query, signal: gone.signal });
  } finally {
    session.connection.onClosed(null);
  }
}

interface Found {
  readonly search: ImapSearch;
  readonly uids: readonly number[];
  readonly isUid: boolean;
  readonly tag: string;
}

async function respond(
  session: ImapSession,
  selected: SelectedMailbox,
  { search, uids, isUid, tag }: Found,
): Promise<ImapReply> {
  const numbers = isUid ? uids : uids.flatMap((uid) => selected.numberOf(uid) ?? []);
  const reports = hasModSequence(search.key);
  if (reports) session.reportsModSeq = true;
  const modSequence = reports ? await greatestModSequence(session, selected, reportedOf(uids, search.returns)) : null;
  // IMAP4rev2 has no SEARCH response (RFC 9051 section 6.4.4).
  const returns = search.returns ?? (session.isRev2 ? ["ALL" as const] : null);
  const response = writeSearchResponse({ numbers, modSequence }, { tag, isUid, returns });
  if (response !== null) await session.send(`${response}\r\n`);
  return ok("SEARCH completed");
}

async function greatestModSequence(
  { context: { operations } }: ImapSession,
  selected: SelectedMailbox,
  uids: readonly number[],
): Promise<number> {
  let greatest = Math.max(0, ...[uids[0], uids.at(-1)].flatMap((uid) => uid ?? []));
  for (let at = 0; at < uids.length; at += batchCountMax) {
    await mainTurns.next();
    const ids = selected.messagesOf(uids.slice(at, at + batchCountMax)).map(({ id }) => id);
    for (const { sequence } of await operations.readMarks(selected.access, ids))
      greatest = Math.max(greatest, sequence);
  }
  return greatest;
}

/** Returns the messages whose mod-sequences a response reports (RFC 4731 section 3.2): the ends only when it names nothing else. */
function reportedOf(uids: readonly number[], returns: readonly SearchReturn[] | null): readonly number[] {
  return returns === null ? uids : savedOf(uids, returns);
}

/** Returns what SAVE saves (RFC 5182 section 2.4). */
function savedOf(uids: readonly number[], returns: readonly SearchReturn[]): readonly number[] {
  const savesAll = returns.includes("ALL") || returns.includes("COUNT");
  if (savesAll || !(returns.includes("MIN") || returns.includes("MAX"))) return uids;
  const ends = [returns.includes("MIN") ? uids[0] : undefined, returns.includes("MAX") ? uids.at(-1) : undefined];
  return [...new Set(ends.flatMap((uid) => uid ?? []))];
}

/** Result of a search. */
interface SearchResult {
  /** Message numbers, or UIDs for UID SEARCH, ascending. */
  readonly numbers: readonly number[];
  /** Greatest mod-sequence of the messages, for a search that names one; null otherwise. */
  readonly modSequence: number | null;
}

/** Form of the response of a search. */
interface SearchResponseForm {
  readonly tag: string;
  readonly isUid: boolean;
  /** Options of RETURN; null for the response of IMAP4rev1. */
  readonly returns: readonly SearchReturn[] | null;
}

/** Returns the untagged response of a search without its line end; null when there is none (RETURN (SAVE)). */
export function writeSearchResponse({ numbers, modSequence }: SearchResult, form: SearchResponseForm): string | null {
  const { tag, isUid, returns } = form;
  // RFC 7162 section 3.1.5: no mod-sequence where nothing was found.
  const reported = numbers.length === 0 ? null : modSequence;
  if (returns === null) {
    const suffix = reported === null ? "" : ` (MODSEQ ${reported})`;
    return `* SEARCH${numbers.map((number) => ` ${number}`).join("")}${suffix}`;
  }
  if (returns.every((option) => option === "SAVE")) return null;
  const items = (["MIN", "MAX", "ALL", "COUNT"] as const)
    .filter((option) => returns.includes(option))
    .flatMap((option) => itemOf(option, numbers));
  const uid = isUid ? " UID" : "";
  const suffix = reported === null ? "" : ` MODSEQ ${reported}`;
  return `* ESEARCH (TAG "${tag}")${uid}${items.map((item) => ` ${item}`).join("")}${suffix}`;
}

/** Returns an item of the response; none but COUNT when nothing was found. */
function itemOf(option: Exclude<SearchReturn, "SAVE">, numbers: readonly number[]): readonly string[] {
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (option === "COUNT") return [`COUNT ${numbers.length}`];
  if (first === undefined || last === undefined) return [];
  if (option === "ALL") return [`ALL ${formatSequenceSet(numbers)}`];
  return [`${option} ${option === "MIN" ? first : last}`];
}
