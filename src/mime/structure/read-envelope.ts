import type { Contact } from "../../core/message.ts";
import { parseGroupedAddresses } from "../address-list.ts";
import { fieldText, readHeaderSection, structuredText } from "../header-section.ts";
import type { HeaderSection, RawField } from "../header-section.ts";
import { openSource } from "../source.ts";
import type { MimeLimits, Source } from "../source.ts";
import type { Envelope, EnvelopeAddress } from "./structure.ts";

/** Reads the envelope of a mail from its first bytes, which contain its header section. Never throws; linear. */
export function readEnvelope(head: Uint8Array, limits: MimeLimits): Envelope {
  const source = openSource(head, limits);
  return envelopeOf(
    source,
    readHeaderSection(source, 0, () => false),
  );
}

/** Returns the envelope of a header section; the first of repeated fields is used, except that recipients are joined. */
export function envelopeOf(source: Source, section: HeaderSection): Envelope {
  const fields = new Map<string, RawField[]>();
  for (const field of section.fields) {
    const name = field.name.toLowerCase();
    const sameName = fields.get(name);
    if (sameName === undefined) fields.set(name, [field]);
    else sameName.push(field);
  }
  const text = (name: string): string | null => {
    const field = fields.get(name)?.[0];
    return field === undefined ? null : fieldText(source, field);
  };
  const addresses = (name: string, countMax = Infinity): readonly EnvelopeAddress[] =>
    (fields.get(name) ?? []).slice(0, countMax).flatMap((field) => addressesOf(structuredText(source, field)));
  const from = addresses("from", 1);
  const fromUnless = (given: readonly EnvelopeAddress[]): readonly EnvelopeAddress[] =>
    given.length === 0 ? from : given;
  return {
    date: text("date"),
    subject: text("subject"),
    from,
    sender: fromUnless(addresses("sender", 1)),
    replyTo: fromUnless(addresses("reply-to")),
    to: addresses("to"),
    cc: addresses("cc"),
    bcc: addresses("bcc"),
    inReplyTo: text("in-reply-to"),
    messageId: text("message-id"),
  };
}

function addressesOf(text: string): EnvelopeAddress[] {
  const { contacts, groups, routes } = parseGroupedAddresses(text);
  const addresses: EnvelopeAddress[] = [];
  let next = 0;
  const addUpTo = (end: number): void => {
    for (; next < end; next += 1) {
      const contact = contacts[next];
      if (contact !== undefined) addresses.push({ ...mailboxOf(contact), route: routes.get(next) ?? null });
    }
  };
  for (const { name, from, to } of groups) {
    addUpTo(from);
    addresses.push({ kind: "groupStart", name });
    addUpTo(to);
    addresses.push({ kind: "groupEnd" });
  }
  addUpTo(contacts.length);
  return addresses;
}

/** Returns a mailbox; text without an address is its local part. */
function mailboxOf({ name, email }: Contact): Omit<EnvelopeAddress & { readonly kind: "mailbox" }, "route"> {
  if (email === null || email === "") return { kind: "mailbox", name: "", localPart: name, domain: "" };
  const at = email.lastIndexOf("@");
  const localPart = at === -1 ? email : email.slice(0, at);
  return { kind: "mailbox", name, localPart: unquoted(localPart), domain: at === -1 ? "" : email.slice(at + 1) };
}

/** Returns a local part without its quotes (RFC 9051 §9, addr-mailbox). */
function unquoted(localPart: string): string {
  if (!localPart.startsWith('"') || !localPart.endsWith('"') || localPart.length < 2) return localPart;
  return localPart.slice(1, -1).replaceAll(/\\(.)/gs, "$1");
}
