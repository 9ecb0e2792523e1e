/** Members of `personalizations`, and those that a request has globally too: mailboxes, header fields and the instant. */
import type { DraftMailbox, EmailDraft } from "../email.ts";
import { isHeaderName } from "../formats/mail-fields.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { SendGridErrorName } from "./errors.ts";
import { readEach, type Member } from "./member.ts";

const personalizationCountMax = 1000;
/** Recipients over all personalizations of a request. */
const recipientCountMax = 1000;
const addressLengthMax = 320;
/** UTF-8 bytes of names and values of custom arguments or substitutions. */
const textsBytesMax = 10_000;
/** Custom header fields of a request or a personalization; those of the request are copied to each mail. */
const headerCountMax = 100;
const scheduleMsMax = 72 * 3_600_000;

type Recipients = Pick<EmailDraft, "to" | "cc" | "bcc">;
type Texts = Readonly<Record<string, string>>;

/** Members of the whole request that personalizations override. */
interface GlobalMembers {
  readonly from: DraftMailbox | undefined;
  readonly headers: Headers;
  readonly customArgs: Texts;
  /** Milliseconds since the Unix epoch; null: now. */
  readonly sendAt: number | null;
  readonly templateId: string | null;
  readonly now: number;
}

/** One mail of a request; `from` and `subject` are null where it has the global ones. */
export type Personalization = ReturnType<typeof readPersonalization>;

/** Reads `personalizations` and merges the global members into each. */
export function readPersonalizations(member: Member, global: GlobalMembers): readonly Personalization[] {
  const list = member.orNull.array();
  if (member.isAbsent || list?.length === 0) member.add("personalizationsRequired");
  if (list !== undefined && list.length > personalizationCountMax) {
    member.add("tooManyPersonalizations", String(list.length));
    return [];
  }
  const read = readEach(list, (one) => (one.object() === undefined ? undefined : readPersonalization(one, global)));
  const count = read.reduce((sum, { to, cc, bcc }) => sum + to.length + cc.length + bcc.length, 0);
  if (count > recipientCountMax) member.add("tooManyRecipients");
  return read;
}

function readPersonalization(one: Member, global: GlobalMembers) {
  const { templateId, now } = global;
  const recipients = readRecipients(one);
  const subject = readSubject(one.at("subject"), templateId);
  const headers = readHeaders(one.at("headers"));
  const sendAt = one.at("send_at");
  return {
    ...recipients,
    subject,
    headers: [...new Map([...global.headers, ...headers]).values()],
    sendAt: sendAt.value === undefined ? global.sendAt : readSendAt(sendAt, now),
    from: readOwnFrom(one.at("from"), global.from),
    customArgs: readCustomArgs(one, global.customArgs),
    ...readData(one, templateId),
  };
}

/** Reads a subject; null for an absent one. It may be empty when a template can have another one. */
export function readSubject(member: Member, templateId: string | null): string | null {
  const subject = member.orNull.text() ?? null;
  if (subject === "" && templateId === null) member.add("subjectEmpty");
  return subject;
}

function readOwnFrom(member: Member, global: DraftMailbox | undefined): DraftMailbox | null {
  const from = readMailbox(member.orNull, "from");
  if (from === undefined || global === undefined) return null;
  if (domainOf(from) !== domainOf(global)) member.add("fromDomain");
  return from;
}

function domainOf({ address }: DraftMailbox): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

/** Reads the `custom_args` of an object, merged with those of the whole request. */
export function readCustomArgs(one: Member, global: Texts = {}): Texts {
  const member = one.at("custom_args");
  return bounded(member, { ...global, ...member.texts("customArgsValues") }, "customArgsSize");
}

/** Returns the texts; adds the error, and returns none, when they are too large. */
function bounded(member: Member, texts: Texts, error: SendGridErrorName): Texts {
  const bytes = Object.entries(texts).reduce((sum, [name, text]) => sum + Buffer.byteLength(name + text), 0);
  if (bytes <= textsBytesMax) return texts;
  member.add(error);
  return {};
}

function readData(one: Member, templateId: string | null) {
  const [tags, data] = [one.at("substitutions"), one.at("dynamic_template_data")];
  const substitutions = bounded(tags, tags.texts("substitutionValues"), "substitutionSize");
  const templateData = data.orNull.object() ?? {};
  const isDynamic = templateId === null ? null : templateId.startsWith("d-");
  if (isDynamic === true && Object.keys(substitutions).length > 0) tags.add("substitutionsOfDynamic");
  if (isDynamic === false && Object.keys(templateData).length > 0) data.add("dataOfLegacy");
  return { substitutions, templateData };
}

/** Custom header fields: lower-case name → name as written and value. */
type Headers = ReadonlyMap<string, readonly [name: string, value: string]>;

const reserved: ReadonlySet<string> = new Set(
  "x-sg-id x-sg-eid received dkim-signature content-type content-transfer-encoding to from subject reply-to cc bcc".split(
    " ",
  ),
);

/** Reads `headers`; names are printable ASCII without a colon, and not reserved. */
export function readHeaders(member: Member): Headers {
  const entries = Object.entries(member.texts("headerValues"));
  if (entries.length > headerCountMax) {
    member.add("headerCount");
    return new Map();
  }
  if (!entries.every(([name]) => isHeaderName(name))) member.add("headerKeys");
  if (entries.some(([name]) => reserved.has(name.toLowerCase()))) member.add("headerReserved");
  return new Map(entries.map((entry) => [entry[0].toLowerCase(), entry]));
}

/** Reads `send_at`, seconds since the Unix epoch; returns milliseconds, null for an absent or past one. */
export function readSendAt(member: Member, now: number): number | null {
  const instant = Number.isInteger(member.value) ? Number(member.value) * 1000 : null;
  if (instant === null && !member.isAbsent) member.add("sendAtType");
  if ((instant ?? 0) > now + scheduleMsMax) member.add("sendAtTooLate");
  // 0 and instants in the past mean now.
  return (instant ?? 0) > now ? instant : null;
}

const kinds = ["to", "cc", "bcc"] as const;
const labels: Readonly<Record<string, string>> = { to: "To", cc: "CC", bcc: "BCC", from: "From", reply_to: "Reply-To" };

/** Reads `to`, `cc` and `bcc` of a personalization; an address may occur once in all of them, regardless of letter case. */
function readRecipients(one: Member): Recipients {
  const countBefore = one.errors.length;
  const [to = [], cc = [], bcc = []] = kinds.map((kind) => {
    const member = one.at(kind);
    const list = member.array();
    if (kind === "to" && (member.value === undefined || list?.length === 0)) member.add("toRequired");
    else if (list?.length === 0) member.add("copyRequired", kind);
    return readEach(list, (mailbox) => readMailbox(mailbox, kind));
  });
  if (one.errors.length === countBefore) checkUnique(one, { to, cc, bcc });
  return { to, cc, bcc };
}

function checkUnique(one: Member, recipients: Recipients): void {
  const seen = new Set<string>();
  for (const kind of kinds) {
    for (const { address } of recipients[kind]) {
      const key = address.toLowerCase();
      if (seen.has(key)) return one.add("duplicateRecipient", `[${address}] in the ${one.field}.${kind}`);
      seen.add(key);
    }
  }
}

/** Reads `{ email, name }`; undefined when it has no valid address. Errors name the kind of the mailbox. */
export function readMailbox(member: Member, kind: string): DraftMailbox | undefined {
  if (member.object() === undefined) return undefined;
  const name = member.at("name").orNull.text() ?? "";
  const email = member.at("email");
  if (email.value === undefined || email.value === "") email.add("addressRequired", kind);
  const address = email.value === "" ? undefined : email.text();
  if (address === undefined) return undefined;
  if (isEmailAddress(address)) return { name, address };
  if (address.length > addressLengthMax) email.add("addressTooLong", labels[kind] ?? kind);
  else email.add(kind === "from" ? "fromInvalid" : "addressInvalid");
  return undefined;
}
