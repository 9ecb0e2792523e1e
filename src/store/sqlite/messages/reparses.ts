import type { DatabaseSync } from "node:sqlite";
import { decodeMessageId, type MessageId, type ServerId } from "../../../core/ids.ts";
import type { ReparseStore } from "../../reparse-store.ts";
import { encodeBatch, type MessageBatch } from "./message-batch.ts";
import type { Thread } from "../threads/thread.ts";

/** Calls of the writer thread about emails that are queued for another parse. */
export interface ReparseCalls {
  /** Implements `replaceMessage` of the store's contract for the one message of a batch. */
  replaceMessage(batch: MessageBatch): number | undefined;
}

/** Returns a function that adds an email to parse again, for use inside the writer's transaction. */
export function bindAddReparse(database: DatabaseSync): (message: MessageId, dueAt: number) => void {
  const add = database.prepare("insert or ignore into reread (message, attempts, due_at) values (?, 0, ?)");
  return (message, dueAt) => void add.run(message, dueAt);
}

/** Creates the store of emails that are parsed again; `onReplaced` is called with the server of a message that was replaced. */
export function createReparseStore(
  writer: Thread<ReparseCalls>,
  queue: ReparseStore["queue"],
  onReplaced: (server: ServerId) => void,
): ReparseStore {
  return {
    queue,
    replaceMessage: async (message) => {
      const batch = encodeBatch([message]);
      try {
        return await writer.call("replaceMessage", [batch], [batch.bytes]);
      } finally {
        onReplaced(decodeMessageId(message.id).server);
      }
    },
  };
}
