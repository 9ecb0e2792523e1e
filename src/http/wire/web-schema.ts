/** JSON of requests that only the web UI makes; its routes are not part of the documented API. */
import type { Access } from "../../core/api-key.ts";
import type { Message, Summary } from "../../core/message.ts";
import type { MessageExcerpt, Passage } from "../../operations/messages/excerpt-messages.ts";
import type { Conversation, Turn } from "../../operations/messages/read-conversation.ts";
import type { MatchCount } from "../../operations/services/search/find-messages.ts";
import type { Timing } from "../../operations/services/events/timings.ts";
import type { OptionalSettings } from "../../operations/servers/servers.ts";
import type { HtmlCompatibility } from "../../operations/services/inspection/inspection.ts";
import type { PartOutline } from "../../operations/services/reading/mail-files.ts";
import type { SessionUser } from "../../operations/people/users.ts";
import type { Trace } from "../../operations/messages/list-messages.ts";

/** Addresses of the service, as users enter them in the settings of their applications. */
export interface WireAddresses {
  /** Base URL of the API, without a trailing slash. */
  readonly url: string;
  /** Null when no listener accepts mail. */
  readonly smtp: { readonly host: string; readonly port: number } | null;
  /** Domain behind the server's id in addresses. */
  readonly mailDomain: string;
}

/** Key of the session, and the addresses of the service. */
export interface WireSession extends WireAddresses {
  readonly version: string;
  /** The only server that the session gives access to; null for several. */
  readonly server: string | null;
  /** Whether the session gives access to the account and all of its servers. */
  readonly isAccount: boolean;
  /** The user that has signed in; null for keys without one. */
  readonly user: WireSessionUser | null;
  /** Whether there are users or teams; false for keys without a user that are restricted. */
  readonly hasPeople: boolean;
  /** Widest access that the session gives to a server: pages offer only actions that it allows. */
  readonly scope: Access;
  /** Addresses and domains with a leading @ that the settings of the service verify; none for keys of one server. */
  readonly verified: readonly string[];
  readonly smsProviders: readonly WireSmsProvider[];
  /** Name → label of every provider. */
  readonly providerLabels: Readonly<Record<string, string>>;
}

/** User of a session. */
export type WireSessionUser = SessionUser;

/** Disk with the data. */
export interface WireDisk {
  /** Null for a database that is not on this machine, and for file systems that do not report it. */
  readonly freeBytes: number | null;
}

/** SMS provider that a phone number can have. */
export interface WireSmsProvider {
  readonly name: string;
  readonly label: string;
  /** Name that the provider has for the secret that signs webhooks. */
  readonly signingSecret: string;
  /** Names that it has for the credentials of the account that sends replies; `key` is null where it has none. */
  readonly account: { readonly id: string; readonly key: string | null; readonly secret: string };
}

/** JSON of a response to signing in. */
export interface WireSessionToken {
  /** Sent in `X-Restante-Session` with every request; never leaves the page's own origin. */
  readonly pageToken: string;
}

/** OpenID provider on the sign-in page. */
export interface WireIssuer {
  /** Name in paths. */
  readonly name: string;
  readonly label: string;
}

/** URL of a file or a frame that is valid for some minutes, or of the page that signs out at an OpenID provider. */
export interface WireTicket {
  readonly url: string;
}

/** Item of lists. */
export type WireSummary = Summary;
/** Full message. */
export type WireMessage = Message;
/** Codes, size and marks of a message, which a row shows beside its summary. */
export type WireExcerpt = MessageExcerpt;
/** Part of the text of a message that a search found. */
export type WirePassage = Passage;
/** Session, envelope and structure of a message. */
export type WireTrace = Trace;
/** Thread of a message. */
export type WireConversation = Conversation;
/** Message of a thread. */
export type WireTurn = Turn;
/** Number of messages of a list on all its pages. */
export type WireCount = MatchCount;
/** Number of messages of a direction that have not been read. */
export interface WireUnread {
  readonly unread: number;
}

/** Link scanner and DNS zone of a server; null without them. */
export type WireOptionalSettings = OptionalSettings;
/** Latency of a mail, from arrival to its first reader. */
export type WireTiming = Timing;
/** Features of a mail that email clients lack. */
export type WireCompatibility = HtmlCompatibility;
/** Part of a mail. */
export type WirePart = PartOutline;
