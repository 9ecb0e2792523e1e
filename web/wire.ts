/** Types of requests and responses, derived from the schemas of the service so that the two cannot diverge. */
import type { WireCriteria } from "../src/core/criteria.ts";
import type { lintReportSchema } from "../src/core/lint.ts";
import type { LocalisationReport as WireLocalisationReport } from "../src/core/localisation.ts";
import type * as reports from "../src/core/mail-reports.ts";
import type * as scanner from "../src/core/scanner.ts";
import type { WireSchema } from "../src/core/schema.ts";
import type { unsubscribeReportSchema } from "../src/core/unsubscribe.ts";
import type * as account from "../src/http/wire/account-schema.ts";
import type * as compose from "../src/operations/services/sending/new-mail.ts";
import type * as replies from "../src/operations/messages/simulate-replies.ts";
import type { WireError } from "../src/http/wire/error-schema.ts";
import type { WireDeliverability, WireVerdict } from "../src/http/wire/lint-schema.ts";
import type * as marks from "../src/http/wire/mark-schema.ts";
import type * as people from "../src/http/wire/people-schema.ts";
import type { previewSchema, WireEmailClient } from "../src/http/wire/preview-schema.ts";
import type { WireSuggestion } from "../src/http/wire/search-schema.ts";
import type * as servers from "../src/http/wire/server-schema.ts";
import type * as sms from "../src/http/wire/sms-schema.ts";
import type { usageLimitsSchema } from "../src/operations/account/account.ts";
import type { deviceRequestSchema } from "../src/operations/devices/devices.ts";
import type { keyRequestSchema } from "../src/operations/keys/keys.ts";
import type { tagSchema } from "../src/operations/marks/marks.ts";
import type { savedSearchSchema } from "../src/operations/searches/saved-searches.ts";
import type { zoneSchema } from "../src/operations/servers/dns-zone.ts";
import type * as numbers from "../src/operations/sms/phone-numbers.ts";
import type { WireStatus } from "../src/http/wire/status-schema.ts";
import type * as web from "../src/http/wire/web-schema.ts";
import type * as deliveries from "../src/operations/callbacks/delivery-schema.ts";
import type { callbackFormatsSchema, ShownTargets } from "../src/operations/callbacks/target-schema.ts";
import type { faultSchema } from "../src/operations/faults/fault-rules.ts";
import type { heldSchema } from "../src/operations/inbound/held-messages.ts";
import type { transcriptSchema } from "../src/operations/messages/get-transcript.ts";
import type { serverUsageSchema, teamUsageSchema } from "../src/operations/servers/usage-reports.ts";

/** Values that a schema describes. */
type ValueOf<Schema> = Schema extends WireSchema<infer Value> ? Value : never;

/** A type after JSON: branded strings become plain strings, and all members are read-only. */
type Plain<Value> = Value extends string
  ? Value extends { readonly __brand: string }
    ? string
    : Value
  : Value extends object
    ? { readonly [Key in keyof Value]: Plain<Value[Key]> }
    : Value;

/** Link scanner of a server, with the whole of its behaviour. */
export type Scanner = Plain<ValueOf<typeof scanner.scannerSchema>>;
/** Link scanner as it is set: a profile, and members that replace those of the profile. */
export type ScannerSettings = Plain<ValueOf<typeof scanner.scannerSettingsSchema>>;
/** Scan of the links of a message. */
export type Scan = Plain<ValueOf<typeof scanner.scanSchema>>;
/** Transcript of the session or request that delivered a message. */
export type Transcript = Plain<ValueOf<typeof transcriptSchema>>;
/** Settings of a server for tags of messages that arrive. */
export type Tagging = Plain<ValueOf<typeof marks.taggingSchema>>;
/** Link scanner and DNS zone of a server; null without them. */
export type OptionalSettings = Plain<web.WireOptionalSettings>;
/** DNS zone of a server. */
export type DnsZone = Plain<ValueOf<typeof zoneSchema>>;
/** A container of messages. */
export type Server = Plain<servers.WireServer>;
/** A server that was just created, with its password. */
export type NewServer = Plain<servers.WireNewServer>;
/** A message in a list. */
export type Summary = Plain<web.WireSummary>;
/** A message with its content. */
export type Message = Plain<web.WireMessage>;
/** Metadata of an attachment. */
export type Attachment = Message["attachments"][number];
/** Facts of a provider's API about a message. */
export type ProviderOrigin = NonNullable<Message["provider"]>;
/** A sender or recipient. */
export type Contact = Message["from"][number];
/** Number of messages of a list on all its pages, or the bound at which counting ended. */
export type MatchCount = Plain<web.WireCount>;
/** Flags and tags of a message. */
export type MessageMarks = Pick<MarkedMessage, "flags" | "tags">;
/** Flags and tags of a message, with the number of their last change. */
export type MarkedMessage = Plain<marks.WireMarkedMessage>;
/** Change of flags and tags. */
export type MarkChange = Omit<Plain<marks.WireMarkChange>, "ids">;
/** Tag of a server, and the number of its messages that have it. */
export type ServerTag = Plain<ValueOf<typeof tagSchema>>;
/** Members of a list row in addition to the summary: size, codes, inline parts, flags and tags. */
export type MessageExcerpt = Plain<web.WireExcerpt>;
/** Session and MIME structure of a message. */
export type MessageTrace = Plain<web.WireTrace>;
/** Part of the text of a message that a search found. */
export type Passage = Plain<web.WirePassage>;
/** A MIME part. */
export type Part = Plain<web.WirePart>;
/** State of the service's background tasks. */
export type ServiceStatus = Plain<WireStatus>;
/** Entry of the audit log. */
export type AuditEntry = Plain<account.WireAuditEntry>;
/** The open session and the addresses of the service. */
export type Session = web.WireSession;
/** Response to signing in. */
export type SessionToken = web.WireSessionToken;
/** A signed URL. */
export type Ticket = web.WireTicket;
/** See `web.WireIssuer`. */
export type Issuer = web.WireIssuer;
/** The user of a session. */
export type SessionUser = NonNullable<Session["user"]>;
/** A user. */
export type User = Plain<people.WireUser>;
/** Fields of a new user, or changes of one. */
export type UserUpdate = Plain<ValueOf<typeof people.userUpdateSchema>>;
/** A team. */
export type Team = Plain<people.WireTeam>;
/** Fields of a new team, or changes of one. */
export type TeamRequest = Plain<ValueOf<typeof people.teamRequestSchema>>;
/** A membership. */
export type Member = Plain<ValueOf<typeof people.memberSchema>>;
/** A member of a team with its name. */
export type TeamMember = Plain<ValueOf<typeof people.teamMemberSchema>>;
/** Role of a user in a team. */
export type Role = Member["role"];
/** An API key without its secret. */
export type Key = Plain<account.WireKey>;
/** Fields of a new key. */
export type KeyRequest = Plain<ValueOf<typeof keyRequestSchema>>;
/** A key that was just created or rotated, with its secret. */
export type NewKey = Plain<account.WireNewKey>;
/** SMTP password of a server. */
export type Password = servers.WirePassword;
/** Search criteria. */
export type Criteria = WireCriteria;
/** Saved search of a server. */
export type SavedSearch = Plain<ValueOf<typeof savedSearchSchema>>;
/** Search that finds messages where another one may find none. */
export type SearchSuggestion = Plain<WireSuggestion>;
/** Body of an error response. */
export type ErrorBody = WireError;
/** Lint report of a message. */
export type LintReport = Plain<ValueOf<typeof lintReportSchema>>;
/** Features of an email that email clients lack. */
export type Compatibility = Plain<web.WireCompatibility>;
/** Disk with the data of the service. */
export type Disk = Plain<web.WireDisk>;
/** Deliverability report of an email. */
export type Deliverability = Plain<WireDeliverability>;
/** Result of one check of a deliverability report. */
export type Verdict = Plain<WireVerdict>;
/** Messages of a conversation, and the phrases to reply with. */
export type Conversation = Plain<web.WireConversation>;
/** One message of a conversation. */
export type Turn = Plain<web.WireTurn>;
/** Latencies of one email: until it was stored, notified and listed. */
export type Timing = Plain<web.WireTiming>;
/** A phone number of a server. */
export type PhoneNumber = Plain<sms.WireNumber>;
/** Fields of a new phone number. */
export type NumberRequest = Plain<ValueOf<typeof numbers.numberRequestSchema>>;
/** Changes of a phone number; null removes. */
export type NumberChange = Plain<ValueOf<typeof numbers.numberChangeSchema>>;
/** Fields of an SMS that is received. */
export type SmsRequest = Plain<ValueOf<typeof sms.smsRequestSchema>>;
/** Phrases that SMS replies are limited to. */
export type Phrases = sms.WirePhrases;
/** An address that email may be sent to, or whose verification is pending. */
export type VerifiedAddress = Plain<account.WireVerifiedAddress>;
/** A virtual authenticator. */
export type Device = Plain<ValueOf<typeof account.deviceSchema>>;
/** Fields of a new virtual authenticator. */
export type DeviceRequest = Plain<ValueOf<typeof deviceRequestSchema>>;
/** A one-time password with the instant of its end. */
export type OneTimePassword = Plain<ValueOf<typeof account.passwordOfDeviceSchema>>;
/** Limits of the account and their present use. */
export type UsageLimits = Plain<ValueOf<typeof usageLimitsSchema>>;
/** Usage of a team in a month, what it holds, and its limits. */
export type TeamUsage = Plain<ValueOf<typeof teamUsageSchema>>;
/** Limits of a team; null for none. */
export type TeamLimits = TeamUsage["limits"];
/** Usage of a server in a month, its owners and its last traffic. */
export type ServerUsage = Plain<ValueOf<typeof serverUsageSchema>>;
/** Number of messages stored on a day. */
export type UsageTransaction = Plain<ValueOf<typeof servers.transactionSchema>>;
/** Fields of a new server. */
export type ServerRequest = Plain<ValueOf<typeof servers.serverRequestSchema>>;
/** Fields of a new email. */
export type EmailFields = Plain<ValueOf<typeof compose.emailFieldsSchema>>;
/** An attachment of a new email. */
export type NewAttachment = NonNullable<EmailFields["attachments"]>[number];
/** Fields of a reply. */
export type ReplyFields = Plain<ValueOf<typeof compose.replyFieldsSchema>>;
/** Fields of a forward. */
export type ForwardFields = Plain<ValueOf<typeof compose.forwardFieldsSchema>>;
/** Fields of a bounce. */
export type BounceFields = Plain<ValueOf<typeof replies.bounceFieldsSchema>>;
/** Fields of a complaint. */
export type ComplaintFields = Plain<ValueOf<typeof replies.complaintFieldsSchema>>;
/** Fields of an auto-reply. */
export type AutoreplyFields = Plain<ValueOf<typeof replies.autoreplyFieldsSchema>>;
/** An email client that previews are rendered for. */
export type EmailClient = Plain<WireEmailClient>;
/** A preview of an email, rendered or not. */
export type Preview = Plain<ValueOf<typeof previewSchema>>;
/** A fault rule with its counts. */
export type Fault = Plain<ValueOf<typeof faultSchema>>;
/** A message that is accepted and not visible yet. */
export type HeldMessage = Plain<ValueOf<typeof heldSchema>>;
/** Result of an unsubscribe request. */
export type UnsubscribeReport = Plain<ValueOf<typeof unsubscribeReportSchema>>;
/** A fault rule as it is stored. */
export type FaultRule = Omit<Fault, "state" | "seen" | "hits" | "skipped" | "lastHits">;
/** A webhook of a server. */
export type Webhook = Plain<ShownTargets["webhook"]>;
/** The event webhook of a provider. */
export type EventWebhook = Plain<ShownTargets["events"]>;
/** A route of inbound mail to the application. */
export type InboundRoute = Plain<ShownTargets["inbound"]>;
/** Providers with event webhooks, and formats of inbound mail. */
export type CallbackFormats = Plain<ValueOf<typeof callbackFormatsSchema>>;
/** A provider with event webhooks, or a format of inbound mail. */
export type CallbackFormat = CallbackFormats["events"][number];
/** A delivery in a list. */
export type CallbackDelivery = Plain<deliveries.ShownDelivery>;
/** A delivery with its request and attempts. */
export type DeliveryDetail = Plain<deliveries.ShownDeliveryDetail>;
/** Fields of a request for events of a provider. */
export type EventRequest = Plain<ValueOf<typeof deliveries.eventRequestSchema>>;
/** Fields of a request that hands a message to the application. */
export type HandInboundRequest = Plain<ValueOf<typeof deliveries.handInboundSchema>>;

/** Result of a comparison of translations. */
export type LocalisationReport = Plain<WireLocalisationReport>;
/** Reports in a message. */
export type MailReports = Plain<reports.MailReports>;
/** DMARC aggregate report. */
export type DmarcReport = Plain<reports.DmarcReport>;
/** Row of a DMARC report. */
export type DmarcRecord = Plain<reports.DmarcRecord>;
/** TLS report. */
export type TlsReport = Plain<reports.TlsReport>;
/** Delivery status notification. */
export type DeliveryReport = Plain<reports.DeliveryReport>;
/** Complaint or failure of authentication. */
export type FeedbackReport = Plain<reports.FeedbackReport>;
/** Message disposition notification. */
export type DispositionReport = Plain<reports.DispositionReport>;
/** Mail that reports are about. */
export type ReportedMail = Plain<reports.ReportedMail>;
