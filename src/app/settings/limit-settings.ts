/** Settings of limits. */
import { totalmem } from "node:os";
import { defaultLimits, int32Max, type Limits, unlimitedBytes } from "../../core/limits.ts";
import { memoryLimits } from "../../core/memory-limits.ts";
import * as forms from "./forms.ts";
import { variableOf, type Form, type Setting, type SettingsOf } from "./setting.ts";

/**
 * Returns the memory limit of this process in bytes: that of its control group (cgroup v1 and v2, as libuv reads them), else
 * the memory of the machine.
 */
export function memoryBytesMax(): number {
  const machine = totalmem();
  const group = process.constrainedMemory();
  // Without a limit, the kernel reports 0 or a number larger than any machine's memory.
  return group > 0 && group < machine ? group : machine;
}

/** Form and description of a limit. */
interface LimitRow {
  readonly form: Form<number>;
  readonly meaning: string;
}

/** Returns the row of a limit within inclusive bounds. */
function within(min: number, max: number): { readonly means: (meaning: string) => LimitRow } {
  return { means: (meaning) => ({ form: forms.integer(min, max), meaning }) };
}

/** Bounds and description of each limit. */
const limitRows: { readonly [Name in keyof Limits]: LimitRow } = {
  messageBytesMax: within(1024, 1024 ** 3).means(
    "Size of one mail in bytes (SMTP SIZE): 50 MiB, or a tenth of the memory beyond 128 MiB.",
  ),
  contentBodyBytesMax: within(1024, 1024 ** 3).means(
    "Size in bytes of a JSON body with message content: 1.5 times that of a mail.",
  ),
  jsonBodyBytesMax: within(1024, 1024 ** 3).means("Size in bytes of any other JSON body."),
  recipientCountMax: within(1, 1_000_000).means("Recipients of one mail (RFC 5321 §4.5.3.1.8 requires at least 100)."),
  headerBytesMax: within(1024, 1024 ** 3).means("Bytes of a mail's header section that are parsed."),
  headerCountMax: within(1, 1_000_000).means("Header fields of one mail that are parsed."),
  partCountMax: within(1, 1023).means("MIME parts of one mail."),
  partDepthMax: within(1, 1000).means("Nesting depth of MIME parts."),
  commandLineBytesMax: within(512, 1024 ** 2).means(
    "Length of an SMTP command line or AUTH response in bytes, including its line end.",
  ),
  smtpSessionCountMax: within(1, 1_000_000).means(
    "Concurrent SMTP sessions, and IMAP and POP3 sessions before authentication.",
  ),
  smtpSessionCountPerAddressMax: within(1, 1_000_000).means("Of these, sessions of one client address."),
  publicSessionCountPerNetworkMax: within(1, 1_000_000).means(
    "Concurrent SMTP sessions of one network, /24 of IPv4 and /48 of IPv6, with RESTANTE_MX; more are refused with 421.",
  ),
  publicRecipientCountPerNetworkPerMinuteMax: within(1, 1_000_000).means(
    "Recipients (RCPT) that clients without AUTH of one such network name per minute, with RESTANTE_MX; further ones are deferred with 450, whether they exist or not.",
  ),
  mailboxSessionCountMax: within(1, 1_000_000).means(
    "Concurrent sessions of an IMAP or POP3 listener that have signed in; further clients are answered `NO [LIMIT]` or `-ERR`.",
  ),
  mailboxSessionCountPerAddressMax: within(1, 1_000_000).means("Of these, sessions of one client address."),
  smtpIdleMsMax: within(1000, 86_400_000).means("Idle time-out of an SMTP session in milliseconds."),
  smtpMailMsMax: within(1000, 86_400_000).means(
    "Milliseconds without a completed mail after which an SMTP session is closed, even if it is not idle.",
  ),
  smtpBytesInFlightMax: within(1024 ** 2, 1024 ** 4).means(
    "Bytes of mail in memory over all sessions of an SMTP listener; more is deferred with 452.",
  ),
  mailWorkBytesMax: within(1024 ** 2, 1024 ** 4).means(
    "Estimated memory, in bytes, of mails above 256 KiB that are read and stored at the same time: five times their size. Further ones wait, and are deferred with 451 after two minutes (HTTP: 429 or 503 after ten seconds).",
  ),
  httpBytesInFlightMax: within(1024 ** 2, 1024 ** 4).means(
    "Bytes of request bodies of authenticated callers in memory; more is rejected with 429. One key may use three quarters.",
  ),
  unauthenticatedBytesInFlightMax: within(65_536, 1024 ** 4).means(
    "Bytes of request bodies in memory whose credentials or signature are in the body, at most 64 KiB each; more is rejected with 429. One client address may use three quarters.",
  ),
  answerBytesInFlightMax: within(1024 ** 2, 1024 ** 4).means(
    "Bytes of large answers that are held in memory at the same time; further ones wait, and are refused with 429 or 503 after 10 seconds.",
  ),
  fullPageBytesMax: within(1024, 1024 ** 4).means(
    "Stored bytes of the messages on one page of full messages, at least one message; `Link` leads to the rest.",
  ),
  writeMsMax: within(1000, 86_400_000).means(
    "Write time-out of HTTP connections in milliseconds; then the connection is closed.",
  ),
  itemsPerPageMax: within(1, 10_000).means("Messages on one page."),
  searchTextLengthMax: within(1, 100_000).means("Length of one search criterion in characters."),
  waiterCountMax: within(0, 1_000_000).means("Concurrently waiting searches."),
  waiterCountPerKeyMax: within(0, 1_000_000).means(
    "Concurrently waiting searches of one key; more are rejected with 429.",
  ),
  eventStreamCountPerKeyMax: within(0, 1_000_000).means(
    "Concurrent event streams of one key; more are rejected with 429.",
  ),
  requestCountPerKeyMax: within(1, 1_000_000).means(
    "Concurrent requests of one key, including waiting searches and event streams; more are rejected with 429.",
  ),
  waitMsMax: within(0, 3_600_000).means("Longest `timeout` of a waiting search in milliseconds."),
  wrongKeyCountPerMinuteMax: within(1, 1_000_000).means("Wrong keys or passwords of one client address per minute."),
  outboundCountPerHourMax: within(0, 1_000_000_000).means("Outbound deliveries per hour, one per recipient."),
  serverCountMax: within(2, int32Max).means("Servers; creating more is rejected with 429."),
  emailCountPerDayMax: within(2, int32Max).means(
    "Mails stored per day (UTC), counted once per server; more are rejected with 452 or 429.",
  ),
  serverMessagesMax: within(1, int32Max).means(
    "Messages of a server without a quota of its own, including sent ones; more are rejected with 452 or 507.",
  ),
  serverBytesMax: within(1, unlimitedBytes).means(
    "Bytes of a server without a quota of its own: raw messages and parsed content before compression; more are rejected with 452 or 507.",
  ),
  smsCountPerDayMax: within(2, int32Max).means("SMS stored per day (UTC); more are rejected with 429."),
};

/** Environment variables whose names are not derived from the name of the limit. */
const environmentNames: Partial<Record<keyof Limits, string>> = {
  outboundCountPerHourMax: "RESTANTE_LIMIT_LEAVING_COUNT_PER_HOUR",
};

/** Limits that are derived from the memory limit of this process. */
const measured: Partial<Limits> = memoryLimits(memoryBytesMax());

/** Setting of each limit; `messageBytesMax` is `RESTANTE_LIMIT_MESSAGE_BYTES`. */
export const limitSettings: SettingsOf<Limits> = Object.fromEntries(
  Object.entries(limitRows).map(([name, row]) => [name, limitSetting(name as keyof Limits, row)]),
) as unknown as SettingsOf<Limits>;

function limitSetting(name: keyof Limits, row: LimitRow): Setting<number> {
  const derived = measured[name];
  const fallback = derived ?? defaultLimits[name];
  const env = environmentNames[name] ?? variableOf(`limit_${name.replace(/Max$/, "")}`);
  const fallbackText = derived === undefined ? `\`${fallback}\`` : "from the memory limit";
  return { ...row, secret: false, env, fallback, fallbackText };
}
