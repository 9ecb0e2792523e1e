/** Raw mails (RFC 5322), which are stored byte for byte except for the Message-ID field. */
import { defaultLimits } from "../../core/limits.ts";
import { parseAddressList } from "../../mime/address-list.ts";
import { fieldText, readHeaderSection, structuredText } from "../../mime/header-section.ts";
import { openSource } from "../../mime/source.ts";
import type { DraftMailbox, SubmittedEmail } from "../email.ts";
import {
  addressesOf,
  checkRecipientCount,
  mailboxOf,
  senderOf,
  checkedTag,
  type MessageTag,
  type Sending,
} from "./request.ts";
import { factsOf, identifyFor, type Caller } from "./compose.ts";
import { rejection } from "./errors.ts";

/** Raw mail and the limit of its size, which differs between the versions of the API. */
export interface RawMessage {
  readonly raw: Uint8Array;
  readonly bytesMax: number;
}

/** Header fields of which a mail has at most one (RFC 5322 §3.6). */
const singleFields: ReadonlySet<string> = new Set([
  "from",
  "sender",
  "reply-to",
  "to",
  "cc",
  "bcc",
  "message-id",
  "in-reply-to",
  "references",
  "subject",
  "date",
]);

/**
 * Returns a raw mail to submit. Recipients that the request does not name are those of the To, Cc and Bcc fields; the tags
 * and the configuration set of the request win over the X-SES fields. Throws `invalid` and `rejected`.
 */
export function rawEmail(caller: Caller, sending: Sending, { raw, bytesMax }: RawMessage): SubmittedEmail {
  if (raw.byteLength > bytesMax) {
    const length = `'${String(raw.byteLength)}'`;
    throw rejection("invalid", `Message length is more than ${String(bytesMax)} bytes long: ${length}.`);
  }
  const header = readHeader(raw);
  const own = header.addresses("from");
  if (own.length === 0) throw rejection("invalid", "Missing required header 'From'.");
  const from = senderOf(sending.from || own[0] || "", caller.region);
  const { to, cc, bcc } = sending.recipients;
  const named = [...to, ...cc, ...bcc];
  const recipients = named.length > 0 ? named : header.recipients();
  checkRecipientCount(recipients.length);
  const tags = sending.tags.length > 0 ? sending.tags : tagsOf(header.text("x-ses-message-tags"));
  const configurationSet = sending.configurationSet ?? (header.text("x-ses-configuration-set") || null);
  return {
    content: raw,
    mailFrom: sending.returnPath ?? from.address,
    recipients: addressesOf(recipients),
    facts: factsOf(tags, configurationSet, null),
    sendAt: null,
    identify: identifyFor(caller),
  };
}

interface Header {
  /** Returns the value of a field by its name in lower case; "" without one. */
  readonly text: (name: string) => string;
  readonly addresses: (name: string) => readonly string[];
  readonly recipients: () => readonly DraftMailbox[];
}

function readHeader(raw: Uint8Array): Header {
  const source = openSource(raw, defaultLimits);
  const { fields } = readHeaderSection(source, 0, () => false);
  const seen = new Set<string>();
  for (const { name } of fields) {
    const folded = name.toLowerCase();
    if (singleFields.has(folded) && seen.has(folded)) throw rejection("invalid", `Duplicate header '${name}'.`);
    seen.add(folded);
  }
  const find = (name: string) => fields.find((field) => field.name.toLowerCase() === name);
  const addresses = (name: string): readonly string[] => {
    const field = find(name);
    return field === undefined ? [] : parseAddressList(structuredText(source, field)).map(({ email }) => email ?? "");
  };
  const text = (name: string): string => {
    const field = find(name);
    return field === undefined ? "" : fieldText(source, field);
  };
  return { text, addresses, recipients: () => ["to", "cc", "bcc"].flatMap(addresses).map(mailboxOf) };
}

/** Returns the tags of the field X-SES-MESSAGE-TAGS: `name=value, name=value`. */
function tagsOf(field: string): readonly MessageTag[] {
  const parts = field.split(",").filter((part) => part.trim() !== "");
  return parts.map((part) => {
    const [name = "", ...value] = part.split("=");
    return checkedTag(name.trim(), value.join("=").trim());
  });
}
