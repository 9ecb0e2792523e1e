/** Members of `personalizations`, and those that a request has globally too: mailboxes, header fields and the instant. */
import type { DraftMailbox, EmailDraft } from "../email.ts";
import { isAbsent, type JsonObject } from "../formats/json-body.ts";
import { isHeaderName } from "../formats/mail-fields.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { Issues } from "./errors.ts";

const personalizationCountMax = 1000;
/** UTF-8 bytes of names and values together. */
const customArgsBytesMax = 10_000;
const substitutionsBytesMax = 10_000;

/** One mail of a request. */
export interface Personalization extends Recipients {
  /** Null: the global one. */
  readonly from: DraftMailbox | null;
  /** Null: the global one. */
  readonly subject: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly customArgs: Readonly<Record<string, string>>;
  readonly substitutions: Readonly<Record<string, string>>;
  readonly templateData: JsonObject;
  /** Milliseconds since the Unix epoch; null: now. */
  readonly sendAt: number | null;
}

/** Members of the whole request that personalizations override. */
interface GlobalMembers {
  readonly from: DraftMailbox | undefined;
  readonly headers: Headers;
  readonly customArgs: Readonly<Record<string, string>>;
  readonly sendAt: number | null;
  /** Null without a template. */
  readonly template: "dynamic" | "legacy" | null;
}

interface Context {
  readonly global: GlobalMembers;
  readonly now: number;
}

/** Reads the `custom_args` of the whole request, which each personalization merges with its own. */
export function readGlobalArgs(issues: Issues, value: unknown): Readonly<Record<string, string>> {
  const args = issues.strings(value ?? undefined, "custom_args", "customArgsValues");
  if (bytesOf(args) <= customArgsBytesMax) return args;
  issues.add("customArgsSize", "custom_args");
  return {};
}

/** Reads `personalizations` and merges the global members into each. */
export function readPersonalizations(issues: Issues, value: unknown, context: Context): readonly Personalization[] {
  const list = issues.array(value ?? undefined, "personalizations");
  if (isAbsent(value) || list?.length === 0) {
    issues.add("personalizationsRequired", "personalizations");
  }
  if (list === undefined) return [];
  if (list.length > personalizationCountMax) {
    issues.add("tooManyPersonalizations", "personalizations", String(list.length));
    return [];
  }
  const read = issues.objects(
    list.map((one) => one ?? null),
    "personalizations",
    (one, field) => readPersonalization(issues, one, { ...context, field }),
  );
  const count = read.reduce((sum, { to, cc, bcc }) => sum + to.length + cc.length + bcc.length, 0);
  if (count > recipientCountMax) issues.add("tooManyRecipients", "personalizations");
  return read;
}

function readPersonalization(
  issues: Issues,
  personalization: JsonObject,
  { global, now, field }: Context & Place,
): Personalization {
  const recipients = readRecipients(issues, personalization, field);
  const subject = issues.string(personalization["subject"] ?? undefined, `${field}.subject`) ?? null;
  if (subject === "" && global.template === null) issues.add("subjectEmpty", `${field}.subject`);
  const headers = readHeaders(issues, personalization["headers"], `${field}.headers`);
  const sendAt = checkSendAt(issues, personalization["send_at"], { field: `${field}.send_at`, now });
  return {
    ...recipients,
    from: readFrom(issues, personalization["from"], { global, field }),
    subject,
    headers: [...new Map([...global.headers, ...headers]).values()],
    customArgs: readCustomArgs(issues, personalization["custom_args"], { global, field }),
    ...readData(issues, personalization, { global, field }),
    sendAt: personalization["send_at"] === undefined ? global.sendAt : sendAt,
  };
}

interface Place extends Pick<Context, "global"> {
  readonly field: string;
}

function readFrom(issues: Issues, value: unknown, { global, field }: Place): DraftMailbox | null {
  if (isAbsent(value)) return null;
  const from = readMailbox(issues, value, { path: `${field}.from`, kind: "from" });
  if (from === undefined || global.from === undefined) return null;
  if (domainOf(from) !== domainOf(global.from)) issues.add("fromDomain", `${field}.from`);
  return from;
}

function domainOf({ address }: DraftMailbox): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

function readCustomArgs(issues: Issues, value: unknown, { global, field }: Place): Readonly<Record<string, string>> {
  const path = `${field}.custom_args`;
  const own = issues.strings(value ?? undefined, path, "customArgsValues");
  const merged = { ...global.customArgs, ...own };
  if (bytesOf(merged) > customArgsBytesMax) issues.add("customArgsSize", path);
  return merged;
}

function readData(
  issues: Issues,
  personalization: JsonObject,
  { global, field }: Place,
): Pick<Personalization, "substitutions" | "templateData"> {
  const path = `${field}.substitutions`;
  const substitutions = issues.strings(personalization["substitutions"] ?? undefined, path, "substitutionValues");
  if (bytesOf(substitutions) > substitutionsBytesMax) issues.add("substitutionSize", path);
  const dataPath = `${field}.dynamic_template_data`;
  const templateData = issues.object(personalization["dynamic_template_data"] ?? undefined, dataPath) ?? {};
  if (global.template === "dynamic" && Object.keys(substitutions).length > 0) {
    issues.add("substitutionsOfDynamic", path);
  }
  if (global.template === "legacy" && Object.keys(templateData).length > 0) issues.add("dataOfLegacy", dataPath);
  return { substitutions, templateData };
}

function bytesOf(members: Readonly<Record<string, string>>): number {
  return Object.entries(members).reduce((sum, [name, value]) => sum + Buffer.byteLength(name + value), 0);
}

/** Custom header fields: lower-case name → name as written and value. */
type Headers = ReadonlyMap<string, readonly [name: string, value: string]>;

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
const recipientCountMax = 1000;
const addressLengthMax = 320;

type Recipients = Pick<EmailDraft, "to" | "cc" | "bcc">;

const kinds = ["to", "cc", "bcc"] as const;
const labels: Readonly<Record<string, string>> = { to: "To", cc: "CC", bcc: "BCC", from: "From", reply_to: "Reply-To" };

/** Reads `to`, `cc` and `bcc` of a personalization; an address may occur once in all of them, regardless of letter case. */
function readRecipients(issues: Issues, personalization: JsonObject, field: string): Recipients {
  const countBefore = issues.errors.length;
  const [to = [], cc = [], bcc = []] = kinds.map((kind) => readList(issues, personalization[kind], { field, kind }));
  if (issues.errors.length === countBefore) checkUnique(issues, { to, cc, bcc }, field);
  return { to, cc, bcc };
}

interface ListPlace {
  readonly field: string;
  readonly kind: (typeof kinds)[number];
}

function readList(issues: Issues, value: unknown, { field, kind }: ListPlace): readonly DraftMailbox[] {
  const path = `${field}.${kind}`;
  const list = issues.array(value, path);
  if (kind === "to" && (value === undefined || list?.length === 0)) issues.add("toRequired", path);
  else if (list?.length === 0) issues.add("copyRequired", path, kind);
  return (list ?? []).flatMap((one, at) => readMailbox(issues, one, { path: `${path}.${at}`, kind }) ?? []);
}

/** Position of a mailbox in the request, and the name of its list in error texts. */
interface MailboxPlace {
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
