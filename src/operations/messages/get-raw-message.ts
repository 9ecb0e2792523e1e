import type { Principal } from "../../core/api-key.ts";
import { notFound } from "../../core/errors.ts";
import type { RawContent } from "../../store/raw-content.ts";
import { openMessageId, orNotFound } from "../services/security/access.ts";
import type { Context } from "../context.ts";

/** Opens the raw bytes of a mail. Rejects with `not_found`, also for SMS. */
export async function openRawMessage(
  context: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<RawContent> {
  const raw = orNotFound(await context.store.openRaw(openMessageId(principal, idText)), "Message");
  if (raw.sizeBytes === 0) throw notFound("Message");
  return raw;
}

/** Returns the raw bytes of a mail. Rejects as {@link openRawMessage} does. */
export async function getRawMessage(
  context: Pick<Context, "store">,
  principal: Principal,
  idText: string,
): Promise<Uint8Array> {
  const raw = orNotFound(await context.store.getRaw(openMessageId(principal, idText)), "Message");
  if (raw.byteLength === 0) throw notFound("Message");
  return raw;
}
