/** Members that a request has globally and in personalizations: mailboxes, header fields and the instant. */
import type { DraftMailbox } from "../email.ts";
import { isAbsent, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName } from "../formats/mail-fields.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { Issues } from "./issues.ts";

/** Custom header fields: lower-case name → name as written and value. */
export type Headers = ReadonlyMap<string, readonly [name: string, value: string]>;

const reserved: ReadonlySet<string> = new Set(
  "x-sg-id x-sg-eid received dkim-signature content-type content-transfer-encoding to from subject reply-to cc bcc".split(
    " ",
  ),
);
/** Custom header fields of a request or a personalization; those of the request are copied to each mail. */
const headerCountMax = 100;
const scheduleMsMax = 72 * 3_600_000;

/** Reads `headers`; names are printable ASCII without a colon, and not reserved. */
export function readHeaders(issues: Issues, value: unknown, field: string): Headers {
  const headers = issues.strings(value ?? undefined, field, "headerValues");
  const entries = Object.entries(headers);
  if (entries.length > headerCountMax) {
    issues.add("headerCount", field);
    return new Map();
  }
  if (!entries.every(([name]) => isHeaderName(name))) issues.add("headerKeys", field);
  if (entries.some(([name]) => reserved.has(name.toLowerCase()))) issues.add("headerReserved", field);
  return new Map(entries.map((entry) => [entry[0].toLowerCase(), entry]));
}

/** Reads `send_at`, seconds since the Unix epoch; returns milliseconds, null for an absent one. */
export function checkSendAt(
  issues: Issues,
  value: unknown,
  { field, now }: { readonly field: string; readonly now: number },
): number | null {
  if (isAbsent(value)) return null;
  if (typeof value !== "number" || !Number.isInteger(value)) {
    issues.add("sendAtType", field);
    return null;
  }
  const instant = value * 1000;
  if (instant > now + scheduleMsMax) issues.add("sendAtTooLate", field);
  // 0 and instants in the past mean now.
  return instant > now ? instant : null;
}

/** Recipients over all personalizations of a request. */
export const recipientCountMax = 1000;
const addressLengthMax = 320;

/** Recipients of one personalization. */
export interface Recipients {
  readonly to: readonly DraftMailbox[];
  readonly cc: readonly DraftMailbox[];
  readonly bcc: readonly DraftMailbox[];
}

const kinds = ["to", "cc", "bcc"] as const;
const labels: Readonly<Record<string, string>> = { to: "To", cc: "CC", bcc: "BCC", from: "From", reply_to: "Reply-To" };

/** Reads `to`, `cc` and `bcc` of a personalization; an address may occur once in all of them, regardless of letter case. */
export function readRecipients(issues: Issues, personalization: JsonObject, field: string): Recipients {
  const countBefore = issues.errors.length;
  const [to = [], cc = [], bcc = []] = kinds.map((kind) => readList(issues, personalization[kind], { field, kind }));
  if (issues.errors.length === countBefore) checkUnique(issues, { to, cc, bcc }, field);
  return { to, cc, bcc };
}

interface Place {
  readonly field: string;
  readonly kind: (typeof kinds)[number];
}

function readList(issues: Issues, value: unknown, { field, kind }: Place): readonly DraftMailbox[] {
  const path = `${field}.${kind}`;
  const list = issues.array(value, path);
  if (kind === "to" && (value === undefined || list?.length === 0)) issues.add("toRequired", path);
  else if (list?.length === 0) issues.add("copyRequired", path, kind);
  return (list ?? []).flatMap((one, at) => readMailbox(issues, one, { path: `${path}.${at}`, kind }) ?? []);
}

/** Position of a mailbox in the request, and the name of its list in error texts. */
export interface MailboxPlace {
  readonly path: string;
  readonly kind: string;
}

/** Reads `{ email, name }`; undefined with an error when it has no valid address. */
export function readMailbox(issues: Issues, value: unknown, { path, kind }: MailboxPlace): DraftMailbox | undefined {
  const mailbox = issues.object(value, path);
  if (mailbox === undefined) return undefined;
  const { email, name } = mailbox;
  const shown = issues.string(name ?? undefined, `${path}.name`) ?? "";
  if (email === undefined || email === "") issues.add("addressRequired", `${path}.email`, kind);
  const address = email === "" ? undefined : issues.string(email, `${path}.email`);
  if (address === undefined) return undefined;
  if (isEmailAddress(address)) return { name: shown, address };
  if (address.length > addressLengthMax) issues.add("addressTooLong", `${path}.email`, labels[kind] ?? kind);
  else issues.add(kind === "from" ? "fromInvalid" : "addressInvalid", `${path}.email`);
  return undefined;
}

function checkUnique(issues: Issues, recipients: Recipients, field: string): void {
  const seen = new Set<string>();
  for (const kind of kinds) {
    for (const { address } of recipients[kind]) {
      const key = address.toLowerCase();
      if (seen.has(key)) {
        issues.add("duplicateRecipient", field, `[${address}] in the ${field}.${kind}`);
        return;
      }
      seen.add(key);
    }
  }
}
