import { summaryContactCountMax, summaryContactsLengthMax } from "./limits.ts";
import type { Contact } from "./message.ts";

/** No contact has more than half of the length of all, so that those before an omitted one have at least the other half. */
const contactLengthMax = summaryContactsLengthMax / 2;

/**
 * Returns the first contacts of a field, within the limits of a summary; names and addresses longer than half of the limit
 * are cut.
 */
export function summaryContacts(contacts: readonly Contact[]): readonly Contact[] {
  let length = 0;
  const kept: Contact[] = [];
  for (const contact of contacts) {
    const cut = shortened(contact);
    length += lengthOf(cut);
    if (kept.length >= summaryContactCountMax || length > summaryContactsLengthMax) break;
    kept.push(cut);
  }
  return kept;
}

/** Returns whether a field may have more contacts, or longer ones, than {@link summaryContacts} returned for it. */
export function mayBeCut(contacts: readonly Contact[]): boolean {
  // A cut may leave out half of a surrogate pair.
  const length = contacts.reduce((sum, contact) => sum + lengthOf(contact), 0);
  return contacts.length >= summaryContactCountMax || length >= contactLengthMax - 1;
}

function shortened(contact: Contact): Contact {
  if (lengthOf(contact) <= contactLengthMax) return contact;
  const email = contact.email === null ? null : start(contact.email, contactLengthMax);
  return { ...contact, name: start(contact.name, contactLengthMax - (email?.length ?? 0)), email };
}

function start(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, "");
}

function lengthOf({ name, email }: Contact): number {
  return name.length + (email?.length ?? 0);
}
