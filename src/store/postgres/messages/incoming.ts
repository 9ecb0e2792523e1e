import { decodeMessageId } from "../../../core/ids.ts";
import type { ServerId } from "../../../core/ids.ts";
import { storedBytes } from "../../../core/server-quota.ts";
import { dayOf } from "../../../core/usage.ts";
import type { NewMessage } from "../../store.ts";
import { addressKey } from "./address-keys.ts";
import { packContent } from "../content/content.ts";
import type { StoredContent } from "../content/content.ts";
import { bytesOf, serverNumberOf } from "./id-slots.ts";

/** A message made ready for its rows. */
export interface Incoming {
  readonly message: NewMessage;
  readonly server: ServerId;
  readonly serverNumber: number;
  readonly id: Uint8Array;
  readonly slot: Uint8Array;
  readonly isSent: boolean;
  /** Day of receipt, and whether it counts as a text. */
  readonly day: number;
  readonly isText: boolean;
  readonly addressKeys: readonly Buffer[];
  readonly content: StoredContent;
  /** Bytes that it counts for in its server's usage. */
  readonly bytes: number;
  /** What its rows hold, roughly. */
  readonly sizeBytes: number;
}

/** Makes a message ready: nothing of that needs the database. */
export async function prepare(message: NewMessage): Promise<Incoming> {
  const { id, keys, raw, detailJson } = message;
  const { server, direction, receivedAt } = decodeMessageId(id);
  const content = await packContent({ detail: detailJson, raw });
  const inlineBytes = content.detail.inline.length + (content.raw?.inline.length ?? 0);
  return {
    message,
    server,
    serverNumber: serverNumberOf(server),
    ...bytesOf(id),
    isSent: direction === "Sent",
    day: dayOf(receivedAt),
    isText: raw.length === 0,
    addressKeys: [
      ...keys.from.map((address) => addressKey("from", address)),
      ...keys.to.map((address) => addressKey("to", address)),
    ],
    content,
    bytes: storedBytes({ raw, detail: detailJson }),
    sizeBytes: inlineBytes + keys.body.length + keys.subject.length + message.summaryJson.length,
  };
}

/** Whether parts of it lie in rows of their own. */
export function hasChunks({ content }: Incoming): boolean {
  return content.detail.chunks.length + (content.raw?.chunks.length ?? 0) > 0;
}
