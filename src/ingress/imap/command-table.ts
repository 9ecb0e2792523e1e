import { bad, type ImapCommand } from "./command.ts";
import { append, copying } from "./append-command.ts";
import { authenticatePlain, capability, id, login, logout, starttls, enable } from "./connection-commands.ts";
import { expunge, uidExpunge } from "./expunge-command.ts";
import { fetching } from "./fetch-command.ts";
import { idle } from "./idle-command.ts";
import { failing, list, lsub, namespace, status, subscribe } from "./list-command.ts";
import { searching } from "./search-command.ts";
import { close, examine, noop, select, unselect } from "./select-command.ts";
import { sorting, threading } from "./sort-command.ts";
import { storing } from "./store-command.ts";

const fixedMailboxes =
  "[CANNOT] Mailboxes follow from the direction of messages: a server has INBOX and Sent, and no others; mark messages with keywords instead";

const byUid: ReadonlyMap<string, ImapCommand> = new Map([
  ["COPY", copying({ isUid: true, isMove: false })],
  ["EXPUNGE", uidExpunge],
  ["FETCH", fetching(true)],
  ["MOVE", copying({ isUid: true, isMove: true })],
  ["SEARCH", searching(true)],
  ["SORT", sorting(true)],
  ["STORE", storing(true)],
  ["THREAD", threading(true)],
]);

/** UID: runs a command by UIDs. */
const uid: ImapCommand = {
  state: "selected",
  updates: "all",
  run: async (session, [name, ...tokens], call) => {
    const command = name?.kind === "atom" ? byUid.get(name.text.toUpperCase()) : undefined;
    return command === undefined ? bad("Unknown command after UID") : await command.run(session, tokens, call);
  },
};

/** Commands by name. */
export const commands: ReadonlyMap<string, ImapCommand> = new Map([
  ["APPEND", append],
  ["AUTHENTICATE", authenticatePlain],
  ["CAPABILITY", capability],
  ["CHECK", noop],
  ["CLOSE", close],
  ["COPY", copying({ isUid: false, isMove: false })],
  ["CREATE", failing(1, fixedMailboxes)],
  ["DELETE", failing(1, fixedMailboxes)],
  ["ENABLE", enable],
  ["EXAMINE", examine],
  ["EXPUNGE", expunge],
  ["FETCH", fetching(false)],
  ["ID", id],
  ["IDLE", idle],
  ["LIST", list],
  ["LOGIN", login],
  ["LOGOUT", logout],
  ["LSUB", lsub],
  ["MOVE", copying({ isUid: false, isMove: true })],
  ["NAMESPACE", namespace],
  ["NOOP", noop],
  ["RENAME", failing(2, fixedMailboxes)],
  ["SEARCH", searching(false)],
  ["SELECT", select],
  ["SORT", sorting(false)],
  ["STARTTLS", starttls],
  ["STATUS", status],
  ["STORE", storing(false)],
  ["SUBSCRIBE", subscribe],
  ["THREAD", threading(false)],
  ["UID", uid],
  ["UNSELECT", unselect],
  ["UNSUBSCRIBE", failing(1, "[CANNOT] All mailboxes are subscribed")],
]);
