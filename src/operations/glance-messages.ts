import { setImmediate as nextTurn } from "node:timers/promises";
import type { Principal } from "../core/api-key.ts";
import type { MessageId } from "../core/ids.ts";
import { openMessageId } from "./access.ts";
import { callerOf, type CallerPresence } from "./caller-of.ts";
import type { Context } from "./context.ts";
import { codesOf } from "./email-bodies.ts";
import { decodeDetail, decodeGlance, showBodies, type BodyReading } from "./stored-detail.ts";

/** What a row of a list shows of a message beside its summary. */
export interface Glance {
  readonly id: MessageId;
  /** One-time codes in the order found, HTML before text, none twice. */
  readonly codes: readonly string[];
  /** The mail as received, in bytes; 0 where there are none (SMS). */
  readonly sizeBytes: number;
}

/**
 * Returns glances of several messages, in the order asked for; messages that are gone are left out. Rejects with
 * `not_found` when one of the ids is none that the principal may ask for, and as {@link showBodies} does.
 */
export async function glanceMessages(
  context: Pick<Context, "store" | "bodies"> & CallerPresence,
  principal: Principal,
  idTexts: readonly string[],
): Promise<readonly Glance[]> {
  const ids = idTexts.map((text) => openMessageId(principal, text));
  const reading = { bodies: context.bodies, caller: callerOf(principal, context) };
  const glances: Glance[] = [];
  for (const id of ids) {
    const glance = await glanceAt(context, id, reading);
    if (glance !== undefined) glances.push(glance);
  }
  return glances;
}

async function glanceAt(
  { store }: Pick<Context, "store">,
  id: MessageId,
  reading: BodyReading,
): Promise<Glance | undefined> {
  const bytes = await store.getDetail(id);
  if (bytes === undefined) return undefined;
  const noted = decodeGlance(bytes);
  if (noted !== undefined && noted.codes !== null) return { id, codes: noted.codes, sizeBytes: noted.sizeBytes };
  const raw = await store.getRaw(id);
  if (raw === undefined) return undefined;
  // Small bodies are analysed on this thread: one in each turn of the event loop.
  await nextTurn();
  const sizeBytes = raw.byteLength;
  return { id, codes: codesOf(await showBodies(decodeDetail(bytes), raw, reading)), sizeBytes };
}
