/** The shapes that the service sends: its own types, so that the two cannot drift apart. */
import type { WireDeliverability, WireVerdict } from "../src/http/wire/analysis-schema.ts";
import type { WireAuditEntry } from "../src/http/wire/audit-schema.ts";
import type {
  autoreplyFieldsSchema,
  bounceFieldsSchema,
  complaintFieldsSchema,
} from "../src/http/wire/simulated-reply-schema.ts";
import type { emailFieldsSchema, forwardFieldsSchema, replyFieldsSchema } from "../src/http/wire/compose-schema.ts";
import type { keyRequestSchema, WireKey, WireNewKey } from "../src/http/wire/key-schema.ts";
import type { lintReportSchema } from "../src/http/wire/lint-schema.ts";
import type { WireSchema } from "../src/http/wire/schema.ts";
import type { previewSchema, WireEmailClient } from "../src/http/wire/preview-schema.ts";
import type { WireCriteria } from "../src/http/wire/search-schema.ts";
import type { serverRequestSchema, WireNewServer, WirePassword, WireServer } from "../src/http/wire/server-schema.ts";
import type { numberRequestSchema, WireNumber, WirePhrases } from "../src/http/wire/sms-schema.ts";
import type { WireStatus } from "../src/http/wire/status-schema.ts";
import type { WireVerifiedAddress } from "../src/http/wire/verified-address-schema.ts";
import type { WireError } from "../src/http/wire/error-schema.ts";
import type {
  WireConversation,
  WireExcerpt,
  WireMessage,
  WirePart,
  WireSession,
  WireSessionToken,
  WireSummary,
  WireTicket,
  WireTiming,
  WireTrace,
  WireTurn,
} from "../src/http/wire/web-schema.ts";

/** The values that a schema describes. */
type ValueOf<Schema> = Schema extends WireSchema<infer Value> ? Value : never;

/** What JSON makes of a type: ids are plain text in a browser. */
type Plain<Value> = Value extends string
  ? Value extends { readonly __brand: string }
    ? string
    : Value
  : Value extends object
    ? { readonly [Key in keyof Value]: Plain<Value[Key]> }
    : Value;

/** A container of messages. */
export type Server = Plain<WireServer>;
/** A container that was just made. */
export type NewServer = Plain<WireNewServer>;
/** Item of lists. */
export type Summary = Plain<WireSummary>;
/** One message. */
export type Message = Plain<WireMessage>;
/** An attachment's record. */
export type Attachment = Message["attachments"][number];
/** A sender or recipient. */
export type Contact = Message["from"][number];
/** What a row shows beside its summary. */
export type MessageExcerpt = Plain<WireExcerpt>;
/** How a message came and how it is built. */
export type Trace = Plain<WireTrace>;
/** A part of a mail. */
export type Part = Plain<WirePart>;
/** State of the service's background tasks. */
export type ServiceStatus = Plain<WireStatus>;
/** Entry of the audit log. */
export type AuditEntry = Plain<WireAuditEntry>;
/** Who is signed in, and where things are. */
export type Session = WireSession;
/** Answer to signing in. */
export type SessionToken = WireSessionToken;
/** A signed URL. */
export type Ticket = WireTicket;
/** A key without its secret. */
export type Key = Plain<WireKey>;
/** What is said of a key that shall be made. */
export type KeyRequest = Plain<ValueOf<typeof keyRequestSchema>>;
/** A key that was just made or rotated. */
export type NewKey = Plain<WireNewKey>;
/** The password of a server's mail access. */
export type Password = WirePassword;
/** Body of a search. */
export type Criteria = WireCriteria;
/** Body of a refusal. */
export type ErrorBody = WireError;
/** What the rules of good mail have to say of a message. */
export type LintReport = Plain<ValueOf<typeof lintReportSchema>>;
/** How likely a mail is to arrive. */
export type Deliverability = Plain<WireDeliverability>;
/** What one check of it has found. */
export type Verdict = Plain<WireVerdict>;
/** What belongs together with a message. */
export type Conversation = Plain<WireConversation>;
/** One message of a conversation. */
export type Turn = Plain<WireTurn>;
/** How long one mail took to those who want it. */
export type Timing = Plain<WireTiming>;
/** A phone number of a server. */
export type PhoneNumber = Plain<WireNumber>;
/** What is said of a number that a server shall have. */
export type NumberRequest = Plain<ValueOf<typeof numberRequestSchema>>;
/** What texts may be answered with. */
export type Phrases = WirePhrases;
/** An address that mail may leave to, or that waits for its owner's word. */
export type VerifiedAddress = Plain<WireVerifiedAddress>;
/** What is said of a server that shall be made. */
export type ServerRequest = Plain<ValueOf<typeof serverRequestSchema>>;
/** What is said of a mail that shall be made. */
export type EmailFields = Plain<ValueOf<typeof emailFieldsSchema>>;
/** A file that goes with it. */
export type NewAttachment = NonNullable<EmailFields["attachments"]>[number];
/** What is said of a reply. */
export type ReplyFields = Plain<ValueOf<typeof replyFieldsSchema>>;
/** What is said of a forward. */
export type ForwardFields = Plain<ValueOf<typeof forwardFieldsSchema>>;
/** What is said of a bounce. */
export type BounceFields = Plain<ValueOf<typeof bounceFieldsSchema>>;
/** What is said of a complaint. */
export type ComplaintFields = Plain<ValueOf<typeof complaintFieldsSchema>>;
/** What is said of an out-of-office answer. */
export type AutoreplyFields = Plain<ValueOf<typeof autoreplyFieldsSchema>>;
/** A mail program that previews are made for. */
export type EmailClient = Plain<WireEmailClient>;
/** A picture of a mail, ready or not. */
export type Preview = Plain<ValueOf<typeof previewSchema>>;
