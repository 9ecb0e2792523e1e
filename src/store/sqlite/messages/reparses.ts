import { decodeMessageId, type ServerId } from "../../../core/ids.ts";
import type { ReparseStore } from "../../reparse-store.ts";
import { encodeBatch, type MessageBatch } from "./message-batch.ts";
import type { Thread } from "../threads/thread.ts";

/** Calls of the writer thread about emails that are queued for another parse. */
export interface ReparseCalls {
  /** Implements `replaceMessage` of the store's contract for the one message of a batch. */
  replaceMessage(batch: MessageBatch): number | undefined;
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
