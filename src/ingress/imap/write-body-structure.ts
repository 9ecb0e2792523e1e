import type {
  Envelope,
  EnvelopeAddress,
  MessageStructure,
  PartDisposition,
  StructurePart,
} from "../../mime/structure/structure.ts";
import { imapString } from "./tokenise.ts";

/** Form of a body structure. */
export interface BodyStructureForm {
  /** Whether it has the extension fields: BODYSTRUCTURE has them, BODY has not. */
  readonly isExtended: boolean;
  /** Whether a message/global is described like a message/rfc822: in IMAP4rev2 and with UTF8=ACCEPT. */
  readonly describesGlobal: boolean;
}

const printableAscii = /^[\u0020-\u007e]*$/;
const attributeByte = /[\w!#$&+.^`{|}~-]/;

/** Returns the part tree of a mail as the value of BODY or BODYSTRUCTURE (RFC 9051 §7.5.2). Literals count bytes of UTF-8. */
export function writeBodyStructure({ root }: MessageStructure, form: BodyStructureForm): string {
  return writePart(root, form);
}

function writePart(part: StructurePart, form: BodyStructureForm): string {
  return part.children.length > 0 ? writeMultipart(part, form) : writeSinglePart(part, form);
}

function writeMultipart(part: StructurePart, form: BodyStructureForm): string {
  const children = part.children.map((child) => writePart(child, form)).join("");
  const extension = form.isExtended ? ` ${[writeParameters(part.parameters), ...sharedExtension(part)].join(" ")}` : "";
  return `(${children} ${imapString(part.subtype.toUpperCase())}${extension})`;
}

function writeSinglePart(part: StructurePart, form: BodyStructureForm): string {
  const { id, description, encoding, body, message, lineCount, md5 } = part;
  const isMessage = message !== null && (part.subtype === "rfc822" || form.describesGlobal);
  // Clients expect parts in a multipart, and a mail in a message/rfc822: one that was not parsed is a file.
  const isUnparsed = part.type === "multipart" || (!isMessage && `${part.type}/${part.subtype}` === "message/rfc822");
  const [type, subtype] = isUnparsed ? ["application", "octet-stream"] : [part.type, part.subtype];
  return `(${[
    imapString(type.toUpperCase()),
    imapString(subtype.toUpperCase()),
    writeParameters(part.parameters),
    imapString(id),
    imapString(description),
    imapString(encoding.toUpperCase()),
    `${body.end - body.start}`,
    ...(isMessage ? [writeEnvelope(message.envelope), writePart(message.root, form)] : []),
    ...(isMessage || type === "text" ? [`${lineCount}`] : []),
    ...(form.isExtended ? [imapString(md5), ...sharedExtension(part)] : []),
  ].join(" ")})`;
}

function sharedExtension({ disposition, languages, location }: StructurePart): readonly string[] {
  return [writeDisposition(disposition), writeLanguages(languages), imapString(location)];
}

function writeDisposition(disposition: PartDisposition | null): string {
  if (disposition === null) return "NIL";
  return `(${imapString(disposition.type.toUpperCase())} ${writeParameters(disposition.parameters)})`;
}

function writeLanguages(languages: readonly string[]): string {
  if (languages.length === 0) return "NIL";
  return languages.length === 1 ? imapString(languages[0] ?? "") : `(${languages.map(imapString).join(" ")})`;
}

/** Returns parameters; a value that is not printable ASCII is written as `name*=utf-8''…` (RFC 2231 §4). */
function writeParameters(parameters: ReadonlyMap<string, string>): string {
  if (parameters.size === 0) return "NIL";
  const pairs = Array.from(parameters, ([name, value]) => {
    const isPlain = printableAscii.test(value);
    const written = isPlain ? [name, value] : [`${name}*`, `utf-8''${percentEncoded(value)}`];
    return `${imapString((written[0] ?? "").toUpperCase())} ${imapString(written[1] ?? "")}`;
  });
  return `(${pairs.join(" ")})`;
}

function percentEncoded(text: string): string {
  const encode = (byte: number): string => {
    const character = String.fromCharCode(byte);
    return byte < 128 && attributeByte.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  };
  return Array.from(Buffer.from(text, "utf8"), encode).join("");
}

/** Returns an envelope as the value of the FETCH item ENVELOPE (RFC 9051 §7.5.2). Literals count bytes of UTF-8. */
export function writeEnvelope(envelope: Envelope): string {
  const { date, subject, from, sender, replyTo, to, cc, bcc, inReplyTo, messageId } = envelope;
  const addresses = [from, sender, replyTo, to, cc, bcc].map(writeAddresses);
  return `(${[imapString(date), imapString(subject), ...addresses, imapString(inReplyTo), imapString(messageId)].join(" ")})`;
}

function writeAddresses(addresses: readonly EnvelopeAddress[]): string {
  return addresses.length === 0 ? "NIL" : `(${addresses.map(writeAddress).join("")})`;
}

/** Returns an address; a domain of NIL marks the start and the end of a group, so a missing domain is "". */
function writeAddress(address: EnvelopeAddress): string {
  if (address.kind === "groupEnd") return "(NIL NIL NIL NIL)";
  if (address.kind === "groupStart") return `(NIL NIL ${imapString(address.name)} NIL)`;
  const { name, route, localPart, domain } = address;
  return `(${imapString(name === "" ? null : name)} ${imapString(route)} ${imapString(localPart)} ${imapString(domain)})`;
}
