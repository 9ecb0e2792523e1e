/** What the web UI alone asks for; its routes are no part of the documented interface. */
import type { Summary, Message } from "../../core/message.ts";
import type { Glance } from "../../operations/glance-messages.ts";
import type { Conversation, Turn } from "../../operations/read-conversation.ts";
import type { Timing } from "../../operations/timings.ts";
import type { PartOutline } from "../../operations/part-outline.ts";
import type { Trace } from "../../operations/trace-message.ts";

/** Where the service is reached, as people type it into the settings of their applications. */
export interface WireAddresses {
  /** Base URL of the API, without a slash at its end. */
  readonly url: string;
  /** Null where no listener is open for mail. */
  readonly smtp: { readonly host: string; readonly port: number } | null;
  /** Domain behind the server's id in addresses. */
  readonly mailDomain: string;
}

/** Who is signed in, and where things are. */
export interface WireSession extends WireAddresses {
  readonly version: string;
  /** The only server that the session opens; null for all. */
  readonly server: string | null;
  readonly smsProviders: readonly WireSmsProvider[];
}

/** SMS provider that a phone number can have. */
export interface WireSmsProvider {
  readonly name: string;
  readonly label: string;
  /** Name that the provider has for the secret that signs webhooks. */
  readonly signingSecret: string;
}

/** Response to signing in. */
export interface WireSessionToken {
  /** Sent in `X-Restante-Session` with every request; never leaves the page's own origin. */
  readonly pageToken: string;
}

/** Address that opens a file or a frame for minutes. */
export interface WireTicket {
  readonly url: string;
}

/** Item of lists. */
export type WireSummary = Summary;
/** One message. */
export type WireMessage = Message;
/** What a row shows beside its summary. */
export type WireExcerpt = Glance;
/** How a message came and how it is built. */
export type WireTrace = Trace;
/** What belongs together with a message. */
export type WireConversation = Conversation;
/** One message of a conversation. */
export type WireTurn = Turn;
/** How long one mail took to those who want it. */
export type WireTiming = Timing;
/** A part of a mail. */
export type WirePart = PartOutline;
