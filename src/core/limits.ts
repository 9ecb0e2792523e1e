import type { ServerQuota } from "./server-quota.ts";

/** Every bound of the service; each is named by the abuse that it stops. Sizes in bytes unless the name says else. */
export interface Limits {
  /** One mail, as received (SMTP SIZE, RFC 1870). */
  readonly messageBytesMax: number;
  /** JSON body that carries content: create, reply. */
  readonly contentBodyBytesMax: number;
  /** Any other JSON body. */
  readonly jsonBodyBytesMax: number;
  /** RCPT commands of one mail. */
  readonly recipientCountMax: number;
  /** Header section of one mail; what lies behind is kept raw and reported as a defect. */
  readonly headerBytesMax: number;
  readonly headerCountMax: number;
  /** Parts of one mail, at most 1023 (attachment ids leave room for no more). */
  readonly partCountMax: number;
  /** Nesting of parts. */
  readonly partDepthMax: number;
  /** One SMTP command line, its CRLF included. */
  readonly commandLineBytesMax: number;
  readonly smtpSessionCountMax: number;
  readonly smtpSessionCountPerAddressMax: number;
  /** Silence after which an SMTP session is closed. */
  readonly smtpIdleMsMax: number;
  /** Time without a mail after which an SMTP session is closed: whoever trickles bytes or NOOPs holds it no longer. */
  readonly smtpMailMsMax: number;
  /**
   * Mail that all sessions of a listener together hold in memory, on its way or awaiting its commit; never less than one
   * mail of the largest size. Without it a few hundred sessions below the size of one mail would exhaust the memory.
   */
  readonly smtpBytesInFlightMax: number;
  /**
   * Memory of large mails that are read and stored at the same time, as estimated from their size; a mail that takes more
   * is read alone. Without it four mails of the largest size end a process in a container of 1 GiB.
   */
  readonly mailWorkBytesMax: number;
  /**
   * Bodies of requests that are held in memory at the same time, from their first byte to the answer; never less than one
   * of the largest size. Without it a few dozen bodies below the size of one would exhaust the memory.
   */
  readonly httpBytesInFlightMax: number;
  /**
   * Large answers that are held in memory at the same time, from reading their content to the last byte being taken; one
   * that is larger by itself is sent alone. Without it clients that do not read would exhaust the memory.
   */
  readonly answerBytesInFlightMax: number;
  /** Stored bytes of the messages on one page of full messages, at least one message; the rest follows on the next page. */
  readonly fullPageBytesMax: number;
  /** Time in which a client must take what was written to it; then its connection is closed. */
  readonly writeMsMax: number;
  readonly itemsPerPageMax: number;
  /** Characters of one search criterion. */
  readonly searchTextLengthMax: number;
  /** Searches that wait at the same time. */
  readonly waiterCountMax: number;
  /** Searches of one key that wait at the same time: a key that floods leaves the others' waits alone. */
  readonly waiterCountPerKeyMax: number;
  /** Event streams of one key that are open at the same time. */
  readonly eventStreamCountPerKeyMax: number;
  /** Requests of one key that are under way at the same time, waiting searches and event streams included. */
  readonly requestCountPerKeyMax: number;
  /** Longest wait that a search may ask for. */
  readonly waitMsMax: number;
  /** Wrong keys or passwords from one address within a minute; further tries are refused unseen. */
  readonly wrongKeyCountPerMinuteMax: number;
  /** Deliveries that leave within an hour, one a recipient; what stays inside does not count. */
  readonly leavingCountPerHourMax: number;
  /** Servers that exist at the same time. */
  readonly serverCountMax: number;
  /** Mails stored within a day (UTC), each once per server. */
  readonly emailCountPerDayMax: number;
  /** Texts stored within a day (UTC). */
  readonly smsCountPerDayMax: number;
  /** Messages that a server without a quota of its own may hold. */
  readonly serverMessagesMax: number;
  /** Bytes that a server without a quota of its own may hold, by `storedBytes`. */
  readonly serverBytesMax: number;
}

/** The largest number that every official library can read, and the value of limits that nobody has set. */
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

/** Value of limits in bytes that nobody has set: 100 TiB. */
export const unlimitedBytes: number = 100 * 1024 ** 4;

/** Limits that follow from the memory that the process may use. */
export type MemoryLimits = Pick<
  Limits,
  "smtpBytesInFlightMax" | "mailWorkBytesMax" | "httpBytesInFlightMax" | "answerBytesInFlightMax"
>;

const mebibyte = 1024 * 1024;

/**
 * Divides the memory of a machine or a container, in bytes: a sixteenth for mail on its way in, a quarter for mail that is
 * read, an eighth each for bodies and for answers, within bounds.
 */
export function memoryLimits(memoryBytes: number): MemoryLimits {
  const within = (min: number, max: number, divisor = 8): number => {
    const share = Math.floor(memoryBytes / divisor / mebibyte) * mebibyte;
    return Math.min(Math.max(share, min * mebibyte), max * mebibyte);
  };
  return {
    smtpBytesInFlightMax: within(64, 256, 16),
    mailWorkBytesMax: 2 * within(64, 512),
    httpBytesInFlightMax: within(80, 256),
    answerBytesInFlightMax: within(32, 256),
  };
}

/** The limits that apply unless the operator sets others, in a process that may use 2 GiB. */
export const defaultLimits: Limits = {
  messageBytesMax: 50 * 1024 * 1024,
  contentBodyBytesMax: 75 * 1024 * 1024,
  jsonBodyBytesMax: 1024 * 1024,
  recipientCountMax: 1000,
  headerBytesMax: 1024 * 1024,
  headerCountMax: 2000,
  partCountMax: 1000,
  partDepthMax: 50,
  commandLineBytesMax: 4096,
  smtpSessionCountMax: 500,
  smtpSessionCountPerAddressMax: 100,
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
  leavingCountPerHourMax: 1000,
  serverCountMax: int32Max,
  emailCountPerDayMax: int32Max,
  smsCountPerDayMax: int32Max,
  serverMessagesMax: int32Max,
  serverBytesMax: unlimitedBytes,
};

/** Bounds of connections that no request can widen. */
export interface ConnectionLimits {
  /** Longest time from a connection's or request's first byte to the end of its header section. */
  readonly headersMsMax: number;
  /** Longest time from a request's first byte to the end of its body. */
  readonly requestMsMax: number;
  /** Silence after an answer, after which the connection is closed. */
  readonly keepAliveMsMax: number;
  /** Request line and header section, in bytes. */
  readonly headerBytesMax: number;
  /** Tunnels (CONNECT) that are open at the same time. */
  readonly tunnelCountMax: number;
  /** How long `close` waits for answers under way. */
  readonly drainMsMax: number;
}

/** The bounds that apply unless set otherwise. */
export const defaultConnectionLimits: ConnectionLimits = {
  headersMsMax: 15_000,
  requestMsMax: 120_000,
  keepAliveMsMax: 75_000,
  headerBytesMax: 16 * 1024,
  tunnelCountMax: 12_000,
  drainMsMax: 10_000,
};

/**
 * Bytes of one structured header field (addresses, dates, message ids, Content-*) that are interpreted; what lies behind
 * is kept in the headers and in raw, and reported as a defect. Room for 10,000 addresses of ordinary length.
 */
export const structuredFieldBytesMax: number = 256 * 1024;

/** Most contacts that one address field gives; a header section of 1 MiB could name half a million. */
export const contactCountMax = 10_000;

/**
 * Contacts of one field that a summary names; the full message has all, and searches find all. A mail of 300 KB names
 * 30,000 recipients, and a list of a thousand such summaries would be a gigabyte.
 */
export const summaryContactCountMax = 100;

/** UTF-16 units of the subject in a summary; the full message has all of it, and searches find all of it. */
export const summarySubjectLengthMax = 1000;

/** UTF-16 units of names and addresses that a summary has of one field; contacts beyond are left out whole. */
export const summaryContactsLengthMax: number = 16 * 1024;
