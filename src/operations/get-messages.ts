import type { Principal } from "../core/api-key.ts";
import { Problem } from "../core/errors.ts";
import type { MessageId } from "../core/ids.ts";
import type { Message } from "../core/message.ts";
import type { Context } from "./context.ts";
import { getMessage } from "./get-message.ts";

/** The full messages in the order of their ids, without those that were deleted meanwhile. */
export async function getMessages(
  context: Pick<Context, "store" | "settings">,
  principal: Principal,
  ids: readonly MessageId[],
): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for (const id of ids) {
    const message = await getMessage(context, principal, id).catch(unlessDeleted);
    if (message !== null) messages.push(message);
  }
  return messages;
}

function unlessDeleted(error: unknown): null {
  if (error instanceof Problem && error.code === "not_found") return null;
  throw error;
}
