import { mainTurns } from "../../core/shared-turns.ts";
import type { Principal } from "../../core/api-key.ts";
import { Problem } from "../../core/errors.ts";
import type { MessageId } from "../../core/ids.ts";
import type { Message } from "../../core/message.ts";
import { getMessage, openMessage, type GetMessageContext, type OpenedMessage } from "./get-message.ts";

/** Yields the full messages in the order of `ids`, loading one at a time, without messages deleted meanwhile. */
export async function* getMessages(
  context: GetMessageContext,
  principal: Principal,
  ids: readonly MessageId[],
): AsyncGenerator<Message, void> {
  for (const id of ids) {
    await mainTurns.next();
    const message = await getMessage(context, principal, id).catch(unlessDeleted);
    if (message !== null) yield message;
  }
}

/** As {@link getMessages}, with large bodies as separate buffers. */
export async function* openMessages(
  context: GetMessageContext,
  principal: Principal,
  ids: readonly MessageId[],
): AsyncGenerator<OpenedMessage, void> {
  for (const id of ids) {
    await mainTurns.next();
    const opened = await openMessage(context, principal, id).catch(unlessDeleted);
    if (opened !== null) yield opened;
  }
}

function unlessDeleted(error: unknown): null {
  if (error instanceof Problem && error.code === "not_found") return null;
  throw error;
}
