/** Settings of limits. */
import { totalmem } from "node:os";
import { defaultLimits, int32Max, type Limits, unlimitedBytes } from "../../core/limits.ts";
import { memoryLimits } from "../../core/memory-limits.ts";
import * as forms from "./forms.ts";
import type { Form, Setting } from "./setting.ts";

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

/** Inclusive bounds and description of each limit. */
const limitRows: { readonly [Name in keyof Limits]: readonly [min: number, max: number, meaning: string] } = {
  messageBytesMax: [
    1024,
    1024 ** 3,
    "Size of one mail in bytes (SMTP SIZE): 50 MiB, or a tenth of the memory beyond 128 MiB.",
  ],
  contentBodyBytesMax: [
    1024,
    1024 ** 3,
    "Size in bytes of a JSON body with message content: 1.5 times that of a mail.",
  ],
  jsonBodyBytesMax: [1024, 1024 ** 3, "Size in bytes of any other JSON body."],
  recipientCountMax: [1, 1_000_000, "Recipients of one mail (RFC 5321 §4.5.3.1.8 requires at least 100)."],
  headerBytesMax: [1024, 1024 ** 3, "Bytes of a mail's header section that are parsed."],
  headerCountMax: [1, 1_000_000, "Header fields of one mail that are parsed."],
  partCountMax: [1, 1023, "MIME parts of one mail."],
  partDepthMax: [1, 1000, "Nesting depth of MIME parts."],
  commandLineBytesMax: [
    512,
    1024 ** 2,
    "Length of an SMTP command line or AUTH response in bytes, including its line end.",
  ],
  smtpSessionCountMax: [1, 1_000_000, "Concurrent SMTP sessions, and IMAP and POP3 sessions before authentication."],
  smtpSessionCountPerAddressMax: [1, 1_000_000, "Of these, sessions of one client address."],
  mailboxSessionCountMax: [
    1,
    1_000_000,
    "Concurrent sessions of an IMAP or POP3 listener that have signed in; further clients are answered `NO [LIMIT]` or `-ERR`.",
  ],
  mailboxSessionCountPerAddressMax: [1, 1_000_000, "Of these, sessions of one client address."],
  smtpIdleMsMax: [1000, 86_400_000, "Idle time-out of an SMTP session in milliseconds."],
  smtpMailMsMax: [
    1000,
    86_400_000,
    "Milliseconds without a completed mail after which an SMTP session is closed, even if it is not idle.",
  ],
  smtpBytesInFlightMax: [
    1024 ** 2,
    1024 ** 4,
    "Bytes of mail in memory over all sessions of an SMTP listener; more is deferred with 452.",
  ],
  mailWorkBytesMax: [
    1024 ** 2,
    1024 ** 4,
    "Estimated memory, in bytes, of mails above 256 KiB that are read and stored at the same time: five times their size. Further ones wait, and are deferred with 451 after two minutes (HTTP: 429 or 503 after ten seconds).",
  ],
  httpBytesInFlightMax: [
    1024 ** 2,
    1024 ** 4,
    "Bytes of request bodies of authenticated callers in memory; more is rejected with 429. One key may use three quarters.",
  ],
  unauthenticatedBytesInFlightMax: [
    65_536,
    1024 ** 4,
    "Bytes of request bodies in memory whose credentials or signature are in the body, at most 64 KiB each; more is rejected with 429. One client address may use three quarters.",
  ],
  answerBytesInFlightMax: [
    1024 ** 2,
    1024 ** 4,
    "Bytes of large answers that are held in memory at the same time; further ones wait, and are refused with 429 or 503 after 10 seconds.",
  ],
  fullPageBytesMax: [
    1024,
    1024 ** 4,
    "Stored bytes of the messages on one page of full messages, at least one message; `Link` leads to the rest.",
  ],
  writeMsMax: [1000, 86_400_000, "Write time-out of HTTP connections in milliseconds; then the connection is closed."],
  itemsPerPageMax: [1, 10_000, "Messages on one page."],
  searchTextLengthMax: [1, 100_000, "Length of one search criterion in characters."],
  waiterCountMax: [0, 1_000_000, "Concurrently waiting searches."],
  waiterCountPerKeyMax: [0, 1_000_000, "Concurrently waiting searches of one key; more are rejected with 429."],
  eventStreamCountPerKeyMax: [0, 1_000_000, "Concurrent event streams of one key; more are rejected with 429."],
  requestCountPerKeyMax: [
    1,
    1_000_000,
    "Concurrent requests of one key, including waiting searches and event streams; more are rejected with 429.",
  ],
  waitMsMax: [0, 3_600_000, "Longest `timeout` of a waiting search in milliseconds."],
  wrongKeyCountPerMinuteMax: [1, 1_000_000, "Wrong keys or passwords of one client address per minute."],
  outboundCountPerHourMax: [0, 1_000_000_000, "Outbound deliveries per hour, one per recipient."],
  serverCountMax: [2, int32Max, "Servers; creating more is rejected with 429."],
  emailCountPerDayMax: [
    2,
    int32Max,
    "Mails stored per day (UTC), counted once per server; more are rejected with 452 or 429.",
  ],
  serverMessagesMax: [
    1,
    int32Max,
    "Messages of a server without a quota of its own, including sent ones; more are rejected with 452 or 507.",
  ],
  serverBytesMax: [
    1,
    unlimitedBytes,
    "Bytes of a server without a quota of its own: raw messages and parsed content before compression; more are rejected with 452 or 507.",
  ],
  smsCountPerDayMax: [2, int32Max, "SMS stored per day (UTC); more are rejected with 429."],
};

/** Environment variables whose names are not derived from the name of the limit. */
const environmentNames: Partial<Record<keyof Limits, string>> = {
  outboundCountPerHourMax: "RESTANTE_LIMIT_LEAVING_COUNT_PER_HOUR",
};

/** Limits that are derived from the memory limit of this process. */
const measured: Partial<Limits> = memoryLimits(memoryBytesMax());

/** Setting of each limit; `messageBytesMax` is `RESTANTE_LIMIT_MESSAGE_BYTES`. */
export const limitSettings: { readonly [Name in keyof Limits]: Setting<number> } = Object.fromEntries(
  Object.entries(limitRows).map(([name, [min, max, meaning]]) => [
    name,
    limitSetting(name as keyof Limits, forms.integer(min, max), meaning),
  ]),
) as { [Name in keyof Limits]: Setting<number> };

function limitSetting(name: keyof Limits, form: Form<number>, meaning: string): Setting<number> {
  const derived = measured[name];
  const fallback = derived ?? defaultLimits[name];
  const words = name.replace(/Max$/, "").replaceAll(/[A-Z]/g, (capital) => `_${capital}`);
  return {
    secret: false,
    env: environmentNames[name] ?? `RESTANTE_LIMIT_${words.toUpperCase()}`,
    form,
    fallback,
    fallbackText: derived === undefined ? `\`${fallback}\`` : "from the memory limit",
    meaning,
  };
}
