import { memoryLimits, type MemoryLimits } from "./memory-limits.ts";
import type { ServerQuota } from "./server.ts";

/** Limits of the service. Sizes are in bytes unless the name has another unit. */
export interface Limits extends MemoryLimits {
  /** Size of any other JSON body. */
  readonly jsonBodyBytesMax: number;
  /** Recipients (RCPT commands) of one mail. */
  readonly recipientCountMax: number;
  /** Header section of one mail that is parsed; the rest stays in the raw mail and is reported as a defect. */
  readonly headerBytesMax: number;
  readonly headerCountMax: number;
  /** MIME parts of one mail, at most 1023: a message id has no more attachment ids. */
  readonly partCountMax: number;
  /** Nesting depth of MIME parts. */
  readonly partDepthMax: number;
  /** Length of an SMTP command line or AUTH response (RFC 4954 §4), including its CRLF. */
  readonly commandLineBytesMax: number;
  readonly smtpSessionCountMax: number;
  readonly smtpSessionCountPerAddressMax: number;
  /** Sessions of one network (/24 or /48) where mail arrives from the Internet. */
  readonly publicSessionCountPerNetworkMax: number;
  /** Recipients that clients without AUTH of one network may name per minute where mail arrives from the Internet. */
  readonly publicRecipientCountPerNetworkPerMinuteMax: number;
  /** Sessions of IMAP or POP3 that have signed in; before, those of SMTP apply. */
  readonly mailboxSessionCountMax: number;
  readonly mailboxSessionCountPerAddressMax: number;
  /** Idle time-out of SMTP sessions. */
  readonly smtpIdleMsMax: number;
  /** Time without a completed mail after which an SMTP session is closed, even if it is not idle (slow clients, NOOP). */
  readonly smtpMailMsMax: number;
  /** Stored bytes of the messages on one page of full messages, which has at least one message. */
  readonly fullPageBytesMax: number;
  /** Write time-out of HTTP connections. */
  readonly writeMsMax: number;
  readonly itemsPerPageMax: number;
  /** Length of one search criterion in characters. */
  readonly searchTextLengthMax: number;
  /** Concurrently waiting searches. */
  readonly waiterCountMax: number;
  /** Concurrently waiting searches of one key. */
  readonly waiterCountPerKeyMax: number;
  /** Concurrent event streams of one key. */
  readonly eventStreamCountPerKeyMax: number;
  /** Concurrent requests of one key, including waiting searches and event streams. */
  readonly requestCountPerKeyMax: number;
  /** Longest `timeout` of a waiting search. */
  readonly waitMsMax: number;
  /** Wrong keys or passwords of one client address per minute; further attempts are rejected unchecked. */
  readonly wrongKeyCountPerMinuteMax: number;
  /** Outbound deliveries per hour, one per recipient; local deliveries do not count. */
  readonly outboundCountPerHourMax: number;
  /** Number of servers. */
  readonly serverCountMax: number;
  /** Mails stored per day (UTC), counted once per server. */
  readonly emailCountPerDayMax: number;
  /** SMS stored per day (UTC). */
  readonly smsCountPerDayMax: number;
  /** Messages that a server without a quota of its own may hold. */
  readonly serverMessagesMax: number;
  /** Bytes that a server without a quota of its own may hold, by `storedBytes`. */
  readonly serverBytesMax: number;
}

/** Webhooks of one server; also its event webhooks, and its inbound routes. Each change is compared with all of them. */
export const targetCountPerServerMax = 100;

/** Fault rules of one server, and of the service. Each occurrence is compared with all of them. */
export const faultRuleCountMax = 100;

/** Hosts that a mail may have passed, by its Received fields (RFC 5321 §6.3: at least 100). */
export const hopCountMax = 100;

/** Services like this one that a message may have passed by requests, which name them in the field CDN-Loop (RFC 8586). */
export const requestHopCountMax = 10;

/** Longest delay of a reply by a fault rule: the connection is open meanwhile. */
export const faultDelayMsMax = 600_000;

/** Longest late delivery, greylisting, window and life of a fault rule. */
export const faultSpanMsMax: number = 7 * 24 * 3_600_000;

/** Last hits that a fault rule keeps. */
export const faultHitCountMax = 20;

/** Triples of client network, sender and recipient that a greylisting rule remembers; the oldest ones are forgotten. */
export const faultTripleCountMax = 10_000;

/** Pending deliveries of one server: its changes are not turned into more, and the API refuses to add more. */
export const pendingDeliveryCountPerServerMax = 100_000;

/** Number of media of one MMS, as in Twilio's API. */
export const smsMediaCountMax = 10;

/** Bytes of all media of one MMS that are fetched; the detail of the message holds them. */
export const smsMediaBytesMax: number = 5 * 1024 ** 2;

/** Size of one annotation of a message: its transcript, or the scan of its links. */
export const annotationBytesMax: number = 256 * 1024;

/** Tags of one message; its other labels, which a provider gave it, do not count. */
export const markTagCountMax = 64;

/** UTF-16 code units of one tag. */
export const markTagLengthMax = 100;

/** Readers that can hide one message from themselves; the next one's deletion is refused. */
export const markHidingReaderCountMax = 100;

/** Messages whose marks change in one transaction. */
export const markedMessageCountMax = 1000;

/** Tags of a server that a list of its tags contains. */
export const serverTagCountMax = 1000;

/** Longest delay of the scan of a mail's links; a scan before visibility holds the mail meanwhile. */
export const scannerDelayMsMax = 600_000;

/** URLs of one mail that are opened by a scan; further ones are counted. */
export const scanUrlCountMax = 100;

/** Requests of one scan, with those after redirects. */
export const scanRequestCountMax = 500;

/** Length of a URL that is requested, in characters. */
export const scanRequestUrlLengthMax = 8192;

/** Length at which URLs and errors are cut in the report of a scan, in characters. */
export const scanUrlLengthMax = 1024;

/** Duration of one scan, without its delay. A mail that is scanned before it becomes visible is not held longer. */
export const scanMsMax = 60_000;

/** Duration of a search over all servers that a key may access, and of counting its suggestions. */
export const searchServersMsMax = 10_000;

/** Messages up to which a search over all servers has numbered pages: each server returns so many at most. */
export const searchedServersItemCountMax = 1000;

/** Time limit for counting the matches of search suggestions; those not counted by then are left out. */
export const suggestionsMsMax = 1000;

/** Matches up to which a search suggestion is counted. */
export const suggestedMatchCountMax = 100;

/** Suggestions for one search that are counted. */
export const searchSuggestionCountMax = 12;

/** Largest integer that every official library can parse, and the default of unlimited counts. */
export const int32Max: number = 2 ** 31 - 1;

/** Returns the quota of servers without one of their own. */
export function defaultQuota({
  serverMessagesMax,
  serverBytesMax,
}: Pick<Limits, "serverMessagesMax" | "serverBytesMax">): ServerQuota {
  return {
    messages: serverMessagesMax === int32Max ? null : serverMessagesMax,
    bytes: serverBytesMax === unlimitedBytes ? null : serverBytesMax,
  };
}

/** Default of unlimited sizes: 100 TiB. */
export const unlimitedBytes: number = 100 * 1024 ** 4;

/** Default limits of a process with 2 GiB of memory. */
export const defaultLimits: Limits = {
  jsonBodyBytesMax: 1024 * 1024,
  recipientCountMax: 1000,
  headerBytesMax: 1024 * 1024,
  headerCountMax: 2000,
  partCountMax: 1000,
  partDepthMax: 50,
  commandLineBytesMax: 12_288,
  smtpSessionCountMax: 500,
  smtpSessionCountPerAddressMax: 100,
  publicSessionCountPerNetworkMax: 50,
  publicRecipientCountPerNetworkPerMinuteMax: 600,
  mailboxSessionCountMax: 4000,
  mailboxSessionCountPerAddressMax: 2000,
  smtpIdleMsMax: 60_000,
  smtpMailMsMax: 600_000,
  ...memoryLimits(2 * 1024 ** 3),
  fullPageBytesMax: 64 * 1024 * 1024,
  writeMsMax: 30_000,
  itemsPerPageMax: 1000,
  searchTextLengthMax: 1000,
  waiterCountMax: 10_000,
  waiterCountPerKeyMax: 5000,
  eventStreamCountPerKeyMax: 500,
  requestCountPerKeyMax: 8000,
  waitMsMax: 60_000,
  wrongKeyCountPerMinuteMax: 30,
  outboundCountPerHourMax: 1000,
  serverCountMax: int32Max,
  emailCountPerDayMax: int32Max,
  smsCountPerDayMax: int32Max,
  serverMessagesMax: int32Max,
  serverBytesMax: unlimitedBytes,
};

/**
 * Time for work in progress when a listener closes. With the three seconds of each worker less than the ten seconds after which
 * Docker kills a container.
 */
export const drainMsMax: number = 6000;

/** Limits of HTTP connections. */
export interface ConnectionLimits {
  /** Time-out from the first byte of a request to the end of its header section. */
  readonly headersMsMax: number;
  /** Time-out from the first byte of a request to the end of its body. */
  readonly requestMsMax: number;
  /** Keep-alive time-out. */
  readonly keepAliveMsMax: number;
  /** Size of request line and header section in bytes. */
  readonly headerBytesMax: number;
  /** Concurrent CONNECT tunnels. */
  readonly tunnelCountMax: number;
  /** Time that `close` waits for responses in progress. */
  readonly drainMsMax: number;
}

/** Default limits of connections. */
export const defaultConnectionLimits: ConnectionLimits = {
  headersMsMax: 15_000,
  requestMsMax: 120_000,
  keepAliveMsMax: 75_000,
  headerBytesMax: 16 * 1024,
  tunnelCountMax: 12_000,
  drainMsMax,
};

/**
 * Bytes of one structured header field (addresses, dates, message ids, Content-*) that are interpreted; the
 * rest stays in the headers and in the raw mail, and is reported as a defect. Enough for 10,000 addresses of usual length.
 */
export const structuredFieldBytesMax: number = 256 * 1024;

/** Contacts that are read from one address field; a header section of 1 MiB can contain half a million. */
export const contactCountMax = 10_000;

/**
 * UTF-16 code units of one body that are analysed for links, images, codes, visible text and search: longer ones are
 * books or attacks. The body itself is stored whole.
 */
export const analysedLengthMax: number = 4 * 1024 * 1024;

/** UTF-16 code units of the text of a mail that a reply to it quotes; a forward contains the whole text. */
export const quotedLengthMax: number = 1024 * 1024;

/**
 * Contacts of one field in a summary; the full message contains all, and searches find all. A mail of 300 KB can name
 * 30,000 recipients, and a list of a thousand such summaries would have a gigabyte.
 */
export const summaryContactCountMax = 100;

/** UTF-16 units of the subject in a summary; the full message contains the whole subject, which searches find. */
export const summarySubjectLengthMax = 1000;

/** UTF-16 units of names and addresses of one field in a summary; contacts beyond are omitted. */
export const summaryContactsLengthMax: number = 16 * 1024;
