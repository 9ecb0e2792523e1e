import type { Principal } from "../core/api-key.ts";
import type { MessageId } from "../core/ids.ts";
import { openMessageId } from "./access.ts";
import type { Context } from "./context.ts";
import { codesOf, decodeDetail, decodeGlance, type StoredGlance } from "./stored-detail.ts";

/** What a row of a list shows of a message beside its summary. */
export interface Glance extends StoredGlance {
  readonly id: MessageId;
}

/**
 * Glances at several messages, in the order asked for; messages that are gone are left out. No mail is read or parsed for
 * it. Rejects with `not_found` when one of the ids is none that the principal may ask for.
 */
export async function glanceMessages(
  context: Pick<Context, "store">,
  principal: Principal,
  idTexts: readonly string[],
): Promise<readonly Glance[]> {
  const ids = idTexts.map((text) => openMessageId(principal, text));
  const glances: Glance[] = [];
  for (const id of ids) {
    const detail = await context.store.getDetail(id);
    const glance = detail === undefined ? undefined : (decodeGlance(detail) ?? (await readGlance(context, id, detail)));
    if (glance !== undefined) glances.push({ id, ...glance });
  }
  return glances;
}

/** Of a message that was stored by a version that kept no glances. */
async function readGlance(
  { store }: Pick<Context, "store">,
  id: MessageId,
  detail: Uint8Array,
): Promise<StoredGlance | undefined> {
  const raw = await store.getRaw(id);
  return raw === undefined ? undefined : { codes: codesOf(decodeDetail(detail)), sizeBytes: raw.byteLength };
}
