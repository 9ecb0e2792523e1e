import { append, copyOrMove } from "./append-command.ts";
import { bad, command, type ImapCommand, no, type RunCommand, states } from "./command.ts";
import { authenticateBySasl, capability, enable, id, login, logout, starttls } from "./connection-commands.ts";
import { fetch } from "./fetch-command.ts";
import { idle } from "./idle-command.ts";
import { list, lsub, namespace, status, subscribe } from "./list-command.ts";
import { search } from "./search-command.ts";
import { close, noop, opening, unselect } from "./select-command.ts";
import { sort, thread } from "./sort-command.ts";
import { expunge, store } from "./store-command.ts";
import { ImapSyntaxError } from "./tokenise.ts";

const { any, unauthenticated, authenticated, selected } = states;

const fixedMailboxes =
  "[CANNOT] Mailboxes follow from the direction of messages: a server has INBOX and Sent, and no others; mark messages with keywords instead";

/** Returns a command that is valid and always fails. */
function failing(argumentCount: number, text: string): ImapCommand {
  return command(authenticated, async (_, tokens) => {
    if (tokens.length < argumentCount) throw new ImapSyntaxError("An argument is missing");
    return await Promise.resolve(no(text));
  });
}

const byNumber = { updates: "withoutExpunge" } as const;
/** Commands that name messages, by number or after UID by UID. */
const ofMessages: readonly (readonly [string, ImapCommand])[] = [
  ["COPY", command(selected, copyOrMove(false), byNumber)],
  ["FETCH", command(selected, fetch, byNumber)],
  ["MOVE", command(selected, copyOrMove(true))],
  ["SEARCH", command(selected, search, byNumber)],
  ["SORT", command(selected, sort, byNumber)],
  ["STORE", command(selected, store, byNumber)],
  ["THREAD", command(selected, thread, byNumber)],
];
const byUid = new Map<string, ImapCommand>([...ofMessages, ["EXPUNGE", command(selected, expunge, { takes: 1 })]]);

/** UID: runs a command by UIDs. */
const uid: RunCommand = async (session, [name, ...tokens], { tag }) => {
  const named = name?.kind === "atom" ? byUid.get(name.text.toUpperCase()) : undefined;
  return named === undefined
    ? bad("Unknown command after UID")
    : await named.run(session, tokens, { tag, isUid: true });
};

/** Commands by name. */
export const commands: ReadonlyMap<string, ImapCommand> = new Map([
  ...ofMessages,
  ["APPEND", command(authenticated, append)],
  ["AUTHENTICATE", command(unauthenticated, authenticateBySasl, { updates: "none" })],
  ["CAPABILITY", command(any, capability, { takes: 0 })],
  ["CHECK", command(any, noop, { takes: 0, updates: "none" })],
  ["CLOSE", command(selected, close, { takes: 0, updates: "none" })],
  ["CREATE", failing(1, fixedMailboxes)],
  ["DELETE", failing(1, fixedMailboxes)],
  ["ENABLE", command(authenticated, enable)],
  ["EXAMINE", command(authenticated, opening("EXAMINE"), { updates: "none" })],
  ["EXPUNGE", command(selected, expunge, { takes: 0 })],
  ["ID", command(any, id, { takes: 1 })],
  ["IDLE", command(authenticated, idle, { takes: 0 })],
  ["LIST", command(authenticated, list)],
  ["LOGIN", command(unauthenticated, login, { takes: 2, updates: "none" })],
  ["LOGOUT", command(any, logout, { takes: 0, updates: "none" })],
  ["LSUB", command(authenticated, lsub, { takes: 2 })],
  ["NAMESPACE", command(authenticated, namespace, { takes: 0 })],
  ["NOOP", command(any, noop, { takes: 0, updates: "none" })],
  ["RENAME", failing(2, fixedMailboxes)],
  ["SELECT", command(authenticated, opening("SELECT"), { updates: "none" })],
  ["STARTTLS", command(unauthenticated, starttls, { takes: 0, updates: "none" })],
  ["STATUS", command(authenticated, status, { takes: 2 })],
  ["SUBSCRIBE", command(authenticated, subscribe, { takes: 1 })],
  ["UID", command(selected, uid)],
  ["UNSELECT", command(selected, unselect, { takes: 0, updates: "none" })],
  ["UNSUBSCRIBE", failing(1, "[CANNOT] All mailboxes are subscribed")],
]);
