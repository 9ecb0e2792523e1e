import type { Principal } from "../../core/api-key.ts";
import { openMessageId } from "../services/security/access.ts";
import { callerOf, type CallerPresence } from "../services/security/caller-of.ts";
import type { HtmlCompatibility } from "../services/reading/html-compatibility.ts";
import type { Context } from "../context.ts";
import { getRawMessage } from "../messages/get-raw-message.ts";

/** Compares the HTML of a mail with the features of email clients; null without HTML. Rejects with `not_found`. */
export async function getCompatibility(
  context: Pick<Context, "store" | "inspector"> & CallerPresence,
  principal: Principal,
  idText: string,
): Promise<HtmlCompatibility | null> {
  openMessageId(principal, idText);
  const load = async (): Promise<Uint8Array> => getRawMessage(context, principal, idText);
  return context.inspector.inspect(load, { kind: "compatibility" }, callerOf(principal, context));
}
