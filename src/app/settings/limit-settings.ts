/** The part of the table of settings that concerns limits. */
import { defaultLimits, int32Max, memoryLimits, unlimitedBytes, type Limits } from "../../core/limits.ts";
import { memoryBytesMax } from "./memory-bytes.ts";
import * as forms from "./forms.ts";
import type { Form, Setting } from "./setting.ts";

/** Bounds of each limit and what it bounds; both ends included. */
const limitRows: { readonly [Name in keyof Limits]: readonly [min: number, max: number, meaning: string] } = {
  messageBytesMax: [1024, 1024 ** 3, "Bytes of one mail (SMTP SIZE)."],
  contentBodyBytesMax: [1024, 1024 ** 3, "Bytes of a JSON body that carries content."],
  jsonBodyBytesMax: [1024, 1024 ** 3, "Bytes of any other JSON body."],
  recipientCountMax: [1, 1_000_000, "Recipients of one mail (RFC 5321 §4.5.3.1.8 asks for at least 100)."],
  headerBytesMax: [1024, 1024 ** 3, "Bytes of a mail's header section that are read."],
  headerCountMax: [1, 1_000_000, "Header fields of one mail that are read."],
  partCountMax: [1, 1023, "MIME parts of one mail."],
  partDepthMax: [1, 1000, "Nesting of MIME parts."],
  commandLineBytesMax: [512, 1024 ** 2, "Bytes of one SMTP command line, its end included."],
  smtpSessionCountMax: [1, 1_000_000, "SMTP sessions at the same time."],
  smtpSessionCountPerAddressMax: [1, 1_000_000, "SMTP sessions of one client address at the same time."],
  smtpIdleMsMax: [1000, 86_400_000, "Milliseconds of silence after which an SMTP session is closed."],
  smtpMailMsMax: [
    1000,
    86_400_000,
    "Milliseconds without a mail after which an SMTP session is closed, however much is said in it.",
  ],
  smtpBytesInFlightMax: [
    1024 ** 2,
    1024 ** 4,
    "Bytes of mail that all sessions of an SMTP listener hold in memory at the same time; more is refused with 452.",
  ],
  mailWorkBytesMax: [
    1024 ** 2,
    1024 ** 4,
    "Estimated memory, in bytes, of mails above 256 KiB that are read and stored at the same time: five times their size. Further ones wait, and are deferred with 451 after two minutes.",
  ],
  httpBytesInFlightMax: [
    1024 ** 2,
    1024 ** 4,
    "Bytes of request bodies that are held in memory at the same time; more is refused with 429.",
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
  writeMsMax: [
    1000,
    86_400_000,
    "Milliseconds in which an HTTP client must take what was written to it; then its connection is closed.",
  ],
  itemsPerPageMax: [1, 10_000, "Messages of one page."],
  searchTextLengthMax: [1, 100_000, "Characters of one search criterion."],
  waiterCountMax: [0, 1_000_000, "Searches that wait at the same time."],
  waiterCountPerKeyMax: [0, 1_000_000, "Searches of one key that wait at the same time; more are refused with 429."],
  eventStreamCountPerKeyMax: [0, 1_000_000, "Event streams of one key at the same time; more are refused with 429."],
  requestCountPerKeyMax: [
    1,
    1_000_000,
    "Requests of one key under way at the same time, waiting searches and event streams included; more are refused with 429.",
  ],
  waitMsMax: [0, 3_600_000, "Longest wait of a search, in milliseconds."],
  wrongKeyCountPerMinuteMax: [1, 1_000_000, "Wrong keys or passwords of one client address within a minute."],
  leavingCountPerHourMax: [0, 1_000_000_000, "Deliveries that leave within an hour, one a recipient."],
  serverCountMax: [2, int32Max, "Servers; making one more is refused with 429."],
  emailCountPerDayMax: [
    2,
    int32Max,
    "Mails stored within a day (UTC), each once per server; more are refused with 452 or 429.",
  ],
  serverMessagesMax: [
    1,
    int32Max,
    "Messages of a server without a quota of its own, sent ones included; more are refused with 452 or 507.",
  ],
  serverBytesMax: [
    1,
    unlimitedBytes,
    "Bytes of a server without a quota of its own: raw messages and their details before compression; more are refused with 452 or 507.",
  ],
  smsCountPerDayMax: [2, int32Max, "Texts stored within a day (UTC); more are refused with 429."],
};

/** Limits that differ from {@link defaultLimits} by the memory that this process may use. */
const measured: Partial<Limits> = memoryLimits(memoryBytesMax());

/** Setting of each limit; `messageBytesMax` is `RESTANTE_LIMIT_MESSAGE_BYTES`. */
export const limitSettings: { readonly [Name in keyof Limits]: Setting<number> } = Object.fromEntries(
  Object.entries(limitRows).map(([name, [min, max, meaning]]) => [
    name,
    limitSetting(name, forms.integer(min, max), meaning),
  ]),
) as { [Name in keyof Limits]: Setting<number> };

function limitSetting(name: string, form: Form<number>, meaning: string): Setting<number> {
  const derived = measured[name as keyof Limits];
  const fallback = derived ?? defaultLimits[name as keyof Limits];
  const words = name.replace(/Max$/, "").replaceAll(/[A-Z]/g, (capital) => `_${capital}`);
  return {
    secret: false,
    env: `RESTANTE_LIMIT_${words.toUpperCase()}`,
    form,
    fallback,
    fallbackText: derived === undefined ? `\`${fallback}\`` : "from the memory limit",
    meaning,
  };
}
