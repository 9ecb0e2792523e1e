/** Header section of composed mail, without the fields of its content. */
import { addressListText, type Mailbox } from "./address-field.ts";
import { encodeUnstructured } from "./header-text.ts";

/** Fields of a mail's own header section; message ids with their angle brackets. */
export interface MailFields {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[];
  readonly subject: string;
  /** Valid in a header field. */
  readonly messageId: string;
  /** Milliseconds since the Unix epoch. */
  readonly date: number;
  /** Valid in a header field. */
  readonly inReplyTo?: string | null;
  /** Valid in a header field. */
  readonly references?: readonly string[];
  /** Further unstructured fields; names that are written above are not allowed. */
  readonly extra?: Readonly<Record<string, string>>;
  readonly replyTo?: readonly Mailbox[];
  /** Valid custom fields (see `customFields`), written before the others in this order. */
  readonly custom?: readonly CustomField[];
}

/** Returns the fields as lines with their line ends, folded at single spaces; those without a value are omitted. */
export function writeFields(fields: MailFields): string {
  const { from, to, cc = [], replyTo = [], references = [], inReplyTo, extra = {}, custom = [] } = fields;
  return [
    ...custom.map(([name, value]) => foldField(name, encodeUnstructured(value))),
    foldField("Date", new Date(fields.date).toUTCString().replace("GMT", "+0000")),
    foldField("Message-ID", fields.messageId),
    foldField("From", addressListText([from])),
    foldField("To", addressListText(to)),
    foldField("Cc", addressListText(cc)),
    foldField("Reply-To", addressListText(replyTo)),
    foldField("Subject", encodeUnstructured(fields.subject)),
    foldField("In-Reply-To", inReplyTo ?? ""),
    foldField("References", references.join(" ")),
    ...Object.entries(extra).map(([name, value]) => foldField(name, encodeUnstructured(value))),
    foldField("MIME-Version", "1.0"),
  ].join("");
}

const lineLengthMax = 76;

/** Returns a field with its line end, folded at single spaces; "" for an empty value. */
function foldField(name: string, value: string): string {
  if (value.trim() === "") return "";
  if (name.length + value.length + 2 <= lineLengthMax) return `${name}: ${value}\r\n`;
  // A search for the space itself is faster than one for a place between two characters.
  const [first = "", ...words] = value.split(/ (?=\S)(?<=\S )/);
  let lines = `${name}: ${first}`;
  let length = lines.length;
  for (const word of words) {
    const isFolded = length + 1 + word.length > lineLengthMax;
    lines += isFolded ? `\r\n ${word}` : ` ${word}`;
    length = 1 + word.length + (isFolded ? 0 : length);
  }
  return `${lines}\r\n`;
}

/** Custom header field. */
export type CustomField = readonly [name: string, value: string];

/** Names of fields that the members of a composed mail determine, in lower case. */
const determined: ReadonlySet<string> = new Set(["from", "to", "cc", "bcc", "subject", "date", "message-id"]);
const mimeField = /^(?:mime-version$|content-)/;
/** Field name (RFC 5322 §2.2). */
const fieldName = /^[!-9;-~]{1,200}$/;
/** Maximum number of custom fields of one mail. */
const countMax = 500;

/**
 * Returns the fields that may be added to a composed mail, in order: valid names that no member of the mail determines;
 * `Reply-To` only when it has no reply addresses. At most 500.
 */
export function customFields(
  fields: readonly CustomField[],
  { hasReplyTo }: { readonly hasReplyTo: boolean },
): readonly CustomField[] {
  return fields
    .filter(([name]) => {
      const lower = name.toLowerCase();
      const isTaken = determined.has(lower) || mimeField.test(lower) || (hasReplyTo && lower === "reply-to");
      return fieldName.test(name) && !isTaken;
    })
    .slice(0, countMax);
}
