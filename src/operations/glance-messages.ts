import type { Principal } from "../core/api-key.ts";
import type { MessageId } from "../core/ids.ts";
import { openMessageId } from "./access.ts";
import type { Context } from "./context.ts";
import { decodeDetail } from "./stored-detail.ts";

/** What a row of a list shows of a message beside its summary. */
export interface Glance {
  readonly id: MessageId;
  /** One-time codes in the order found, HTML before text, none twice. */
  readonly codes: readonly string[];
  /** The mail as received, in bytes; 0 where there are none (SMS). */
  readonly sizeBytes: number;
}

/**
 * Glances at several messages, in the order asked for; messages that are gone are left out. Rejects with `not_found` when
 * one of the ids is none that the principal may ask for.
 */
export async function glanceMessages(
  context: Pick<Context, "store">,
  principal: Principal,
  idTexts: readonly string[],
): Promise<readonly Glance[]> {
  const ids = idTexts.map((text) => openMessageId(principal, text));
  const glances: Glance[] = [];
  for (const id of ids) {
    const [detail, raw] = await Promise.all([context.store.getDetail(id), context.store.getRaw(id)]);
    if (detail === undefined || raw === undefined) continue;
    const { html, text } = decodeDetail(detail).message;
    const codes = new Set([...html.codes, ...text.codes].map((code) => code.value));
    glances.push({ id, codes: [...codes], sizeBytes: raw.byteLength });
  }
  return glances;
}
