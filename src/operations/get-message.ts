import type { Principal } from "../core/api-key.ts";
import type { Message } from "../core/message.ts";
import { openMessageId, orNotFound } from "./access.ts";
import type { Context } from "./context.ts";
import { decodeDetail, needsRaw, showMessage } from "./stored-detail.ts";

/** The full message; rejects with `not_found`. */
export async function getMessage(
  context: Pick<Context, "store" | "settings">,
  principal: Principal,
  idText: string,
): Promise<Message> {
  const id = openMessageId(principal, idText);
  const detail = decodeDetail(orNotFound(await context.store.getDetail(id)));
  const raw = needsRaw(detail) ? orNotFound(await context.store.getRaw(id)) : new Uint8Array();
  return showMessage(detail, raw, context.settings.publicUrl());
}
