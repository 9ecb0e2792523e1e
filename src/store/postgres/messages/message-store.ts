import { decodeMessageId } from "../../../core/ids.ts";
import type { ServerId } from "../../../core/ids.ts";
import { createContentStore } from "../../content/content-store.ts";
import type { ReparseStore } from "../../reparse-store.ts";
import { passingCalls } from "../../sql/calls.ts";
import type { MessageStore } from "../../store.ts";
import type { Database } from "../connection/database.ts";
import type { OpenGate } from "../connection/open-gate.ts";
import { openContent } from "../content/content-source.ts";
import type { Changes } from "./changes.ts";
import { serverNumberOf } from "./id-slots.ts";
import { Messages, type MessageOptions } from "./messages.ts";
import { Pages } from "./pages.ts";
import type { TextSearchOptions } from "../search/text-search.ts";

/** Dependencies of {@link createMessageStore}; `database` does not pass the gate by itself. */
export interface MessageStoreDependencies extends MessageOptions {
  /** The same database; every call of it passes the gate. */
  readonly gatedDatabase: Database;
  readonly gate: OpenGate;
  readonly search: Omit<TextSearchOptions, "lists">;
  /** Called for each message that was stored, with the number of its server and of its change. */
  readonly onStored: (serverNumber: number, sequence: number) => void;
  readonly onDeleted: () => void;
}

/** Creates the part of the store that holds messages. */
export function createMessageStore(
  dependencies: MessageStoreDependencies,
): Omit<MessageStore, "emptyServer" | "listChanges"> & Pick<ReparseStore, "replaceMessage"> {
  const { database, gatedDatabase, gate, changes, outside, onStored, onDeleted } = dependencies;
  const messages = new Messages(dependencies);
  const pages = new Pages(gatedDatabase, dependencies.search);
  return {
    addMessages: async (added, companions = {}) => {
      const stored = await gate.pass(async () => await messages.add(added, companions));
      for (const [at, outcome] of stored.entries()) {
        const message = added[at];
        if (message === undefined || outcome.outcome !== "stored") continue;
        onStored(serverNumberOf(decodeMessageId(message.id).server), outcome.sequence);
      }
      return stored;
    },
    listMessages: async (server, page) => await pages.list(server, page),
    searchMessages: async (server, expression, page) => await pages.search(server, expression, page),
    findMessages: async (server, expression, page) => await pages.find(server, expression, page),
    ...passingCalls(createContentStore(openContent(database, outside)), (call) => gate.pass(call)),
    deleteMessage: async (id) => {
      const sequence = await gate.pass(async () => await messages.delete(id));
      if (sequence !== undefined) noticeChange(changes, decodeMessageId(id).server, sequence);
      onDeleted();
      return sequence;
    },
    expireMessages: async (server, rule) => await gate.pass(async () => await messages.expire(server, rule)),
    replaceMessage: async (message) => await gate.pass(async () => await messages.replace(message)),
  };
}

/** Records one change of a server, so that its journal is trimmed in time. */
export function noticeChange(changes: Changes, server: ServerId, sequence: number): void {
  changes.notice(serverNumberOf(server), { before: sequence - 1, after: sequence });
}
