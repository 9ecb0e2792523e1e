import { decodeMessageId } from "../../../core/ids.ts";
import { createContentStore } from "../../content/content-store.ts";
import type { ReparseStore } from "../../reparse-store.ts";
import { passingCalls } from "../../sql/calls.ts";
import type { MessageStore } from "../../store.ts";
import { openContent } from "../content/content-source.ts";
import { serverNumberOf } from "./id-slots.ts";
import { Messages } from "./messages.ts";
import { Pages } from "./pages.ts";
import type { StoreParts } from "../store-parts.ts";

/** Creates the part of the store that holds messages. */
export function createMessageStore(
  parts: StoreParts,
): Omit<MessageStore, "emptyServer" | "listChanges"> & Pick<ReparseStore, "replaceMessage"> {
  const { database, gatedDatabase, gate, changes, outside, textIndex, maintenance } = parts;
  const messages = new Messages(parts);
  const pages = new Pages(gatedDatabase, parts.search);
  return {
    addMessages: async (added, companions = {}) => {
      const stored = await gate.pass(async () => await messages.add(added, companions));
      for (const [at, outcome] of stored.entries()) {
        const message = added[at];
        if (message === undefined || outcome.outcome !== "stored") continue;
        const { sequence } = outcome;
        const server = serverNumberOf(decodeMessageId(message.id).server);
        const isIndexBehind = textIndex?.notice(server, { before: sequence - 1, after: sequence }) ?? false;
        if (isIndexBehind || changes.isOverlong) maintenance.wake();
      }
      return stored;
    },
    listMessages: async (server, page) => await pages.list(server, page),
    searchMessages: async (server, expression, page) => await pages.search(server, expression, page),
    findMessages: async (server, expression, page) => await pages.find(server, expression, page),
    ...passingCalls(createContentStore(openContent(database, outside)), (call) => gate.pass(call)),
    deleteMessage: async (id) => {
      const sequence = await gate.pass(async () => await messages.delete(id));
      if (sequence !== undefined) changes.noticeOne(decodeMessageId(id).server, sequence);
      if (outside !== null) maintenance.wake();
      return sequence;
    },
    expireMessages: async (server, rule) => await gate.pass(async () => await messages.expire(server, rule)),
    replaceMessage: async (message) => await gate.pass(async () => await messages.replace(message)),
  };
}
