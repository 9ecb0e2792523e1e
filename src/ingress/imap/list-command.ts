/** LIST, LSUB, STATUS and other commands on the names of mailboxes (RFC 9051 section 6.3, RFC 5258, RFC 5819, RFC 6154). */
import { atomOf, listOf, no, ok, type RunCommand, stringOf } from "./command.ts";
import {
  findMailbox,
  hierarchyDelimiter,
  type MailboxName,
  mailboxNames,
  matchesPattern,
  noSuchMailbox,
} from "./select-command.ts";
import { modSequence } from "./flags.ts";
import type { AuthenticatedSession } from "./session.ts";
import { ImapSyntaxError, type ImapToken, imapString } from "./tokenise.ts";

const patternCountMax = 20;
const selectionOptions: ReadonlySet<string> = new Set(["SUBSCRIBED", "REMOTE", "RECURSIVEMATCH", "SPECIAL-USE"]);
const returnOptions: ReadonlySet<string> = new Set(["SUBSCRIBED", "CHILDREN", "SPECIAL-USE"]);
const statusItems: ReadonlySet<string> = new Set([
  "MESSAGES",
  "RECENT",
  "UIDNEXT",
  "UIDVALIDITY",
  "UNSEEN",
  "DELETED",
  "SIZE",
  "APPENDLIMIT",
  "HIGHESTMODSEQ",
]);
const batchCountMax = 1000;

interface ListRequest {
  readonly selection: ReadonlySet<string>;
  readonly patterns: readonly string[];
  readonly returned: ReadonlySet<string>;
  /** Items of STATUS to return; null for none. */
  readonly status: readonly string[] | null;
}

/** LIST. */
export const list: RunCommand<AuthenticatedSession> = async (session, tokens) => {
  const request = readList(tokens);
  if (request.patterns.length === 1 && request.patterns[0] === "" && request.status === null) {
    await session.send(String.raw`* LIST (\Noselect) "${hierarchyDelimiter}" ""` + "\r\n");
    return ok("LIST completed");
  }
  for (const mailbox of mailboxNames) {
    if (request.selection.has("SPECIAL-USE") && mailbox.specialUse === null) continue;
    if (!request.patterns.some((pattern) => matchesPattern(mailbox, pattern))) continue;
    await session.send(lineOf("LIST", mailbox, request));
    if (request.status !== null) await sendStatus(session, mailbox, request.status);
  }
  return ok("LIST completed");
};

/** LSUB: all mailboxes are subscribed. */
export const lsub: RunCommand<AuthenticatedSession> = async (session, tokens) => {
  const pattern = stringOf(tokens[0], "The reference") + stringOf(tokens[1], "The pattern");
  const none = { selection: new Set<string>(), returned: new Set<string>() };
  for (const mailbox of mailboxNames) {
    if (matchesPattern(mailbox, pattern)) await session.send(lineOf("LSUB", mailbox, none));
  }
  return ok("LSUB completed");
};

function lineOf(
  response: string,
  { name, specialUse }: MailboxName,
  { selection, returned }: Pick<ListRequest, "selection" | "returned">,
): string {
  const isSubscribed = selection.has("SUBSCRIBED") || returned.has("SUBSCRIBED");
  const attributes = [
    String.raw`\HasNoChildren`,
    ...(specialUse === null ? [] : [specialUse]),
    ...(isSubscribed ? [String.raw`\Subscribed`] : []),
  ];
  return `* ${response} (${attributes.join(" ")}) "${hierarchyDelimiter}" ${imapString(name)}\r\n`;
}

/** Reads `[selection options] reference patterns [RETURN (options)]`. */
function readList(tokens: readonly ImapToken[]): ListRequest {
  const hasSelection = tokens[0]?.kind === "list";
  const [referenceToken, patternToken, returnToken, optionsToken, ...rest] = tokens.slice(hasSelection ? 1 : 0);
  const selection = namesOf(hasSelection ? listOf(tokens[0], "The options") : [], selectionOptions);
  const reference = stringOf(referenceToken, "The reference");
  const patternTokens = patternToken?.kind === "list" ? patternToken.items : [patternToken];
  if (patternTokens.length > patternCountMax) throw new ImapSyntaxError("LIST has too many patterns");
  const patterns = patternTokens.map((token) => reference + stringOf(token, "The pattern"));
  if (returnToken === undefined) return { selection, patterns, returned: new Set(), status: null };
  if (atomOf(returnToken, "RETURN") !== "RETURN" || rest.length > 0) throw new ImapSyntaxError("RETURN is missing");
  const options = listOf(optionsToken, "The options");
  const at = options.findIndex((token) => token.kind === "atom" && token.text.toUpperCase() === "STATUS");
  const status = at === -1 ? null : readStatusItems(options[at + 1]);
  const others = at === -1 ? options : [...options.slice(0, at), ...options.slice(at + 2)];
  return { selection, patterns, returned: namesOf(others, returnOptions), status };
}

function namesOf(tokens: readonly ImapToken[], known: ReadonlySet<string>): ReadonlySet<string> {
  const names = tokens.map((token) => atomOf(token, "The option"));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw new ImapSyntaxError("Unknown option of LIST");
  return new Set(names);
}

/** STATUS. */
export const status: RunCommand<AuthenticatedSession> = async (session, tokens) => {
  const mailbox = findMailbox(stringOf(tokens[0], "The mailbox"));
  const items = readStatusItems(tokens[1]);
  if (mailbox === undefined) return no(noSuchMailbox);
  await sendStatus(session, mailbox, items);
  return ok("STATUS completed");
};

function readStatusItems(token: ImapToken | undefined): readonly string[] {
  const items = listOf(token, "The items of STATUS").map((item) => atomOf(item, "The item"));
  if (items.length === 0 || !items.every((item) => statusItems.has(item))) {
    throw new ImapSyntaxError(`The items of STATUS are ${[...statusItems].join(", ")}`);
  }
  return [...new Set(items)];
}

async function sendStatus(
  session: AuthenticatedSession,
  mailbox: MailboxName,
  items: readonly string[],
): Promise<void> {
  const { access, context } = session;
  if (items.includes("HIGHESTMODSEQ")) session.reportsModSeq = true;
  const counts = await context.operations.status(access, mailbox.direction);
  const values: Readonly<Record<string, number>> = {
    MESSAGES: counts.messageCount,
    RECENT: counts.recentCount,
    UIDNEXT: counts.uidNext,
    UIDVALIDITY: counts.uidValidity,
    UNSEEN: counts.unseenCount,
    APPENDLIMIT: context.limits.messageBytesMax,
    HIGHESTMODSEQ: modSequence(counts.cursor),
    ...(items.includes("SIZE") || items.includes("DELETED") ? await measure(session, mailbox) : {}),
  };
  const shown = items.map((item) => `${item} ${values[item] ?? 0}`).join(" ");
  await session.send(`* STATUS ${imapString(mailbox.name)} (${shown})\r\n`);
}

/** Returns the values that need a look at each message. */
async function measure(
  { access, context: { operations } }: AuthenticatedSession,
  { direction }: MailboxName,
): Promise<{ readonly SIZE: number; readonly DELETED: number }> {
  const { index, view, release } = await operations.openMailbox(access, direction);
  const isStored = (await operations.deletion(access)) !== "hide";
  try {
    const { uids } = view;
    let [size, deletedCount] = [0, 0];
    for (let at = 0; at < uids.length; at += batchCountMax) {
      const ids = Array.from(uids.subarray(at, at + batchCountMax)).flatMap((uid) => index.idOf(uid) ?? []);
      size += (await operations.measure(access, ids)).reduce((sum, bytes) => sum + bytes, 0);
      const marked = await operations.readMarks(access, ids);
      deletedCount += marked.filter(({ marks }) => isStored && marks.flags.includes("deleted")).length;
    }
    return { SIZE: size, DELETED: deletedCount };
  } finally {
    release();
  }
}

/** NAMESPACE (RFC 2342). */
export const namespace: RunCommand<AuthenticatedSession> = async (session) => {
  await session.send(`* NAMESPACE (("" "${hierarchyDelimiter}")) NIL NIL\r\n`);
  return ok("NAMESPACE completed");
};

/** SUBSCRIBE: succeeds for the mailboxes that exist, which are subscribed already. */
export const subscribe: RunCommand<AuthenticatedSession> = async (_, tokens) => {
  const mailbox = findMailbox(stringOf(tokens[0], "The mailbox"));
  return await Promise.resolve(mailbox === undefined ? no(noSuchMailbox) : ok("SUBSCRIBE completed"));
};
