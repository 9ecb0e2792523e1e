import { parseMessageId, type MessageId } from "../../../core/ids.ts";
import { providers } from "../../../providers/registry.ts";

/** Longer than the ids of all providers. */
const idLengthMax = 200;

/** Returns the id of the message whose id a provider's response carried in its own form; undefined for anything else. */
export function messageIdOfProvider(id: string): MessageId | undefined {
  if (id.length > idLengthMax) return undefined;
  for (const { email, sms } of providers) {
    const found = parseMessageId((email?.uuidOf(id) ?? "") || (sms?.uuidOf(id) ?? ""));
    if (found !== undefined) return found;
  }
  return undefined;
}
