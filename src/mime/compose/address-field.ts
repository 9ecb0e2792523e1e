/** Address lists (RFC 5322 §3.4) in header fields of composed mail. */
import { displayText, encodedWords, encodeUnstructured, hasLongWord } from "./header-text.ts";

/** Address and display name (RFC 5322 §3.4). */
export interface Mailbox {
  readonly name?: string;
  /** Characters outside of printable ASCII are written as `?`; mail is not sent to such an address. */
  readonly address: string;
}

const atext = "[\\w!#$%&'*+/=?^`{|}~-]";
const dotAtom = new RegExp(`^${atext}+(?:\\.${atext}+)*$`);
const phrase = new RegExp(`^(?:${atext}| )*$`);
const quotedString = /^"(?:[^"\\]|\\.)*"$/;
/** Address without characters that separate addresses, which needs no angle brackets. */
const plainAddress = /^[^\s"(),:;<>@[\\\]]+@[^\s"(),:;<>@[\\\]]+$/;

/**
 * Returns the mailboxes as the value of one field, unfolded; every one is read as one address, whatever its name and its
 * local part contain.
 */
export function addressListText(mailboxes: readonly Mailbox[]): string {
  return mailboxes.map(mailboxText).join(", ");
}

function mailboxText({ name = "", address }: Mailbox): string {
  const spec = addressText(address);
  const shown = displayText(name);
  if (shown === "") return plainAddress.test(spec) ? spec : `<${spec}>`;
  return `${nameText(shown)} <${spec}>`;
}

function nameText(name: string): string {
  const encoded = encodeUnstructured(name);
  if (encoded !== name || phrase.test(name)) return encoded;
  const text = quoted(name);
  return hasLongWord(text) ? encodedWords(name) : text;
}

function addressText(address: string): string {
  const text = address
    .replaceAll(/[^ -~]/gu, "?")
    .replaceAll(/[<>]+/g, " ")
    .trim();
  const at = text.lastIndexOf("@");
  const local = at === -1 ? text : text.slice(0, at);
  return dotAtom.test(local) || quotedString.test(local) ? text : quoted(local) + text.slice(local.length);
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}
