import type { MessageId } from "../../../core/ids.ts";
import type { NewMessage } from "../../store.ts";

/**
 * How the messages of one call cross to the writer's thread: all bytes in one buffer of their own, which is moved, not
 * copied. (Handing over the caller's buffers would detach them, and with them whatever shares Node's pool.)
 */
export interface Parcel {
  readonly labels: readonly Label[];
  readonly bytes: ArrayBuffer;
}

/** What a parcel says about one message; lengths in bytes, in the order in which they lie there. */
interface Label {
  readonly id: MessageId;
  readonly subject: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly lengths: readonly [summary: number, detail: number, raw: number, body: number];
}

/** A message as the writer sees it. */
export interface IncomingMessage {
  readonly id: MessageId;
  readonly subject: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly summary: Uint8Array;
  readonly detail: Uint8Array;
  readonly raw: Uint8Array;
  /** Folded, UTF-8. */
  readonly body: Uint8Array;
  /** Detail, raw and body, one behind the other. */
  readonly whole: Uint8Array;
}

/** Copies what the messages hold into a parcel. */
export function wrap(messages: readonly NewMessage[]): Parcel {
  const labels = messages.map(({ id, keys, summaryJson, detailJson, raw }): Label => {
    const lengths = [summaryJson.length, detailJson.length, raw.length, Buffer.byteLength(keys.body)] as const;
    return { id, subject: keys.subject, from: keys.from, to: keys.to, lengths };
  });
  let size = 0;
  for (const label of labels) for (const length of label.lengths) size += length;
  const target = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const { summaryJson, detailJson, raw, keys } of messages) {
    for (const part of [summaryJson, detailJson, raw]) {
      target.set(part, at);
      at += part.length;
    }
    at += target.write(keys.body, at);
  }
  return { labels, bytes: target.buffer };
}

/** The messages of a parcel; their bytes are views of its buffer. */
export function unwrap(parcel: Parcel): readonly IncomingMessage[] {
  let at = 0;
  const take = (length: number): Uint8Array => {
    at += length;
    return new Uint8Array(parcel.bytes, at - length, length);
  };
  return parcel.labels.map(({ id, subject, from, to, lengths }) => {
    const summary = take(lengths[0]);
    const start = at;
    const [detail, raw, body] = [take(lengths[1]), take(lengths[2]), take(lengths[3])];
    const whole = new Uint8Array(parcel.bytes, start, at - start);
    return { id, subject, from, to, summary, detail, raw, body, whole };
  });
}
