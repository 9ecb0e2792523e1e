import { labelRoles, type LabelKeys, type LabelRole } from "../../../core/criteria.ts";
import { storedBytes } from "../../../core/server.ts";
import { encodeSearchFields } from "../../../core/search/search-fields.ts";
import type { Annotation } from "../../mark-store.ts";
import { compress } from "../../compression.ts";
import type { PreparedMessage } from "../../records/message-rows.ts";
import type { NewMessage } from "../../store.ts";

/**
 * Messages of one call on their way to the writer thread: all bytes in one buffer, which is transferred, not copied.
 * (Transferring the caller's buffers would detach everything that shares Node's buffer pool with them.)
 */
export interface MessageBatch {
  readonly headers: readonly MessageHeader[];
  readonly bytes: ArrayBuffer;
}

/** Fields of one message of a batch; lengths in bytes, in the order of the buffer. */
interface MessageHeader extends Omit<
  IncomingMessage,
  "annotations" | "bytes" | "isSms" | "summary" | "detail" | "raw" | "body" | "whole"
> {
  readonly annotations?: readonly Annotation[] | undefined;
  readonly lengths: readonly [summary: number, detail: number, raw: number, body: number];
}

/** A message as the writer receives it. */
export interface IncomingMessage extends PreparedMessage {
  readonly subject: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly labels: LabelKeys;
  /** Result of `encodeSearchFields`. */
  readonly fields: string;
  readonly detail: Uint8Array;
  readonly raw: Uint8Array;
  /** Folded, UTF-8. */
  readonly body: Uint8Array;
  /** Concatenation of detail, raw and body. */
  readonly whole: Uint8Array;
}

/** Copies messages into a batch. */
export function encodeBatch(messages: readonly NewMessage[]): MessageBatch {
  const headers = messages.map(({ id, keys, summaryJson, detailJson, raw, annotations, marks }): MessageHeader => {
    const { subject, from, to } = keys;
    return {
      id,
      subject,
      from,
      to,
      labels: labelsOf(keys),
      fields: encodeSearchFields(keys.fields),
      lengths: [summaryJson.length, detailJson.length, raw.length, keys.body.byteLength],
      annotations,
      marks,
    };
  });
  let size = 0;
  for (const header of headers) for (const length of header.lengths) size += length;
  const target = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const { summaryJson, detailJson, raw, keys } of messages) {
    for (const part of [summaryJson, detailJson, raw]) {
      target.set(part, at);
      at += part.length;
    }
    at = keys.body.writeTo(target, at);
  }
  return { headers, bytes: target.buffer };
}

/** Returns the messages of a batch; their bytes are views of its buffer. */
export function decodeBatch(batch: MessageBatch): readonly IncomingMessage[] {
  let at = 0;
  const take = (length: number): Uint8Array => {
    at += length;
    return new Uint8Array(batch.bytes, at - length, length);
  };
  return batch.headers.map(({ lengths, annotations = [], ...header }) => {
    const summary = take(lengths[0]);
    const start = at;
    const [detail, raw, body] = [take(lengths[1]), take(lengths[2]), take(lengths[3])];
    return {
      ...header,
      summary,
      detail,
      raw,
      body,
      whole: new Uint8Array(batch.bytes, start, at - start),
      bytes: storedBytes({ detail, raw }),
      isSms: raw.length === 0,
      annotations: annotations.map(({ kind, json }) => ({ kind, ...compress(Buffer.from(json)) })),
    };
  });
}

function labelsOf(keys: LabelKeys): LabelKeys {
  const labels: Partial<Record<LabelRole, readonly string[]>> = {};
  for (const role of labelRoles) if (keys[role] !== undefined) labels[role] = keys[role];
  return labels;
}
