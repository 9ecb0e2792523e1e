/** What an outbox entry for a web hook holds. */
import type { ServerId } from "../core/ids.ts";

/**
 * A text that a test sent: for the application's inbound hook (`inbound`), or for the send interface of the number's
 * provider (`provider`). Where and how is the number's setting at that moment.
 */
export interface ReplyHook {
  readonly kind: "inbound" | "provider";
  /** The number of ours that the text comes from, E.164. */
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** UUID of the sent message. */
  readonly id: string;
  readonly server: ServerId;
}

/** Calls that tell the application how far its text has come, in order. */
export interface StatusHook {
  readonly kind: "status";
  readonly url: string;
  readonly calls: readonly { readonly body: string; readonly headers: Readonly<Record<string, string>> }[];
}

/** Either of them. */
export type HookContent = ReplyHook | StatusHook;

/** The content as an entry keeps it. */
export function encodeHook(content: HookContent): Uint8Array {
  return Buffer.from(JSON.stringify(content), "utf8");
}

/** The content out of what {@link encodeHook} made. */
export function decodeHook(bytes: Uint8Array): HookContent {
  return JSON.parse(Buffer.from(bytes).toString("utf8")) as HookContent;
}
