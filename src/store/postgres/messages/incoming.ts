import { labelRoles } from "../../../core/criteria.ts";
import { decodeMessageId, type ServerId } from "../../../core/ids.ts";
import { storedBytes, dayOf } from "../../../core/server.ts";
import { compressAsync } from "../../compression.ts";
import type { StoredAnnotation } from "../../records/annotation-rows.ts";
import type { PreparedMessage } from "../../records/message-rows.ts";
import type { NewMessage } from "../../store.ts";
import { addressKey } from "./address-keys.ts";
import { packContent, type StoredContent } from "../content/content.ts";
import { bytesOf, serverNumberOf } from "./id-slots.ts";

/** Message prepared for its rows. */
export interface Incoming extends PreparedMessage {
  readonly message: NewMessage;
  readonly server: ServerId;
  readonly serverNumber: number;
  readonly idBytes: Uint8Array;
  readonly slot: Uint8Array;
  readonly isSent: boolean;
  /** Day of receipt. */
  readonly day: number;
  readonly addressKeys: readonly Buffer[];
  readonly content: StoredContent;
  /** Approximate size of its rows. */
  readonly sizeBytes: number;
}

/** Prepares a message without using the database. */
export async function prepare(message: NewMessage): Promise<Incoming> {
  const { id, keys, raw, detailJson } = message;
  const { server, direction, receivedAt } = decodeMessageId(id);
  const content = await packContent({ detail: detailJson, raw });
  const inlineBytes = content.detail.inline.length + (content.raw?.inline.length ?? 0);
  const { id: idBytes, slot } = bytesOf(id);
  const annotations = (message.annotations ?? []).map(async ({ kind, json }): Promise<StoredAnnotation> => {
    return { kind, ...(await compressAsync(Buffer.from(json))) };
  });
  return {
    message,
    id,
    summary: message.summaryJson,
    annotations: await Promise.all(annotations),
    marks: message.marks,
    server,
    serverNumber: serverNumberOf(server),
    idBytes,
    slot,
    isSent: direction === "Sent",
    day: dayOf(receivedAt),
    isSms: raw.length === 0,
    addressKeys: [
      ...keys.from.map((address) => addressKey("from", address)),
      ...keys.to.map((address) => addressKey("to", address)),
      ...labelRoles.flatMap((role) => (keys[role] ?? []).map((label) => addressKey(role, label))),
    ],
    content,
    bytes: storedBytes({ raw, detail: detailJson }),
    sizeBytes: inlineBytes + keys.body.byteLength + keys.subject.length + message.summaryJson.length,
  };
}

/** Returns whether parts of the message are in chunks. */
export function hasChunks({ content }: Incoming): boolean {
  return content.detail.chunks.length + (content.raw?.chunks.length ?? 0) > 0;
}

/** Returns whether annotations or marks are stored with the message. */
export function hasCompanions({ annotations, marks }: Incoming): boolean {
  return annotations.length > 0 || marks !== undefined;
}
