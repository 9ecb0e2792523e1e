import { withoutComments } from "../../core/mail-date.ts";
import { fieldText, readHeaderSection, structuredText, type HeaderSection, type RawField } from "../header-section.ts";
import type { Defect, Part } from "../part.ts";
import { parseStructuredValue } from "../parameters.ts";
import { contentFields, encodingName } from "../part-fields.ts";
import { readPartTree } from "../part-tree.ts";
import { type MimeLimits, openSource, type Source } from "../source.ts";
import type {
  MessageStructure,
  PartDisposition,
  StructurePart,
  StructureRange,
  Envelope,
  EnvelopeAddress,
} from "./structure.ts";
import type { Contact } from "../../core/message.ts";
import { parseGroupedAddresses } from "../address-list.ts";

/**
 * Counts the lines of ranges, with a last one that has no line end. Bytes within several ranges are read once, and bytes
 * outside of all ranges are not read.
 */
function countLines(source: Source, ranges: readonly StructureRange[]): readonly number[] {
  const counted = ranges.filter(({ start, end }) => end > start);
  const edges = counted.flatMap(({ start, end }) => [
    { at: start, depth: 1 },
    { at: end, depth: -1 },
  ]);
  edges.sort((a, b) => a.at - b.at);
  /** Offset → line ends before it, of those that were counted. */
  const before = new Map<number, number>();
  let [position, depth, lineEndCount] = [0, 0, 0];
  for (const edge of edges) {
    if (depth > 0) lineEndCount += lineEndsIn(source, position, edge.at);
    before.set(edge.at, lineEndCount);
    depth += edge.depth;
    position = edge.at;
  }
  return ranges.map(({ start, end }) => {
    if (end <= start) return 0;
    const count = (before.get(end) ?? 0) - (before.get(start) ?? 0);
    return source.raw[end - 1] === source.eol ? count : count + 1;
  });
}

function lineEndsIn({ raw, eol }: Source, start: number, end: number): number {
  const bytes = raw.subarray(start, end);
  let count = 0;
  for (let at = bytes.indexOf(eol); at !== -1; at = bytes.indexOf(eol, at + 1)) count += 1;
  return count;
}

/** Mails in mails that are parsed at most: each level reads the bytes of its mail once more. */
export const embeddedMessageDepthMax = 10;

const embeddedTypes: ReadonlySet<string> = new Set(["message/rfc822", "message/global"]);
const plainText: ReadonlyMap<string, string> = new Map([["charset", "us-ascii"]]);

/** Part whose lines are not counted yet. */
type DraftStructurePart = Omit<StructurePart, "lineCount" | "children" | "message"> & {
  lineCount: number;
  children: readonly DraftStructurePart[];
  message: DraftMessage | null;
};
type DraftMessage = Omit<MessageStructure, "root"> & { readonly root: DraftStructurePart };

interface Reading {
  readonly source: Source;
  /** Shared by the readings of all mails in the mail. */
  readonly progress: {
    /** Parts that may still be read. */
    remainingPartCount: number;
    /** Parts whose lines are counted. */
    readonly ofLines: DraftStructurePart[];
  };
  /** Mails around the mail that is read. */
  readonly messageDepth: number;
}

/**
 * Reads the part tree of a mail, with the mails in it, without decoding content. It has the same parts as `parseMail` finds.
 * Never throws, and takes time linear in the number of bytes.
 */
export function readStructure(raw: Uint8Array, limits: MimeLimits): MessageStructure {
  const source = openSource(raw, limits);
  const progress = { remainingPartCount: limits.partCountMax, ofLines: [] as DraftStructurePart[] };
  const message = readMessage({ source, progress, messageDepth: 0 }, 0);
  const bodies = progress.ofLines.map(({ body }) => body);
  const counts = countLines(source, bodies);
  for (const [index, part] of progress.ofLines.entries()) part.lineCount = counts[index] ?? 0;
  return message;
}

/** Reads the mail from `start` to the end of the source. */
function readMessage({ source, progress, messageDepth }: Reading, start: number): DraftMessage {
  const limited = {
    ...source,
    limits: { ...source.limits, partCountMax: progress.remainingPartCount },
    defects: new Set<Defect>(),
  };
  const { root, section } = readPartTree(limited, start);
  progress.remainingPartCount -= countParts(root);
  return { root: readPart({ source: limited, progress, messageDepth }, root), envelope: envelopeOf(limited, section) };
}

function countParts({ children }: Part): number {
  return children.reduce((count, child) => count + countParts(child), 1);
}

function readPart(reading: Reading, part: Part): DraftStructurePart {
  const [type = "", subtype = ""] = part.mediaType.split("/");
  const structure: DraftStructurePart = {
    type: type.toLowerCase(),
    subtype: subtype.toLowerCase(),
    ...readContentFields(reading.source, part),
    header: { start: part.headerStart, end: part.bodyStart },
    body: { start: part.bodyStart, end: part.bodyEnd },
    lineCount: 0,
    children: part.children.map((child) => readPart(reading, child)),
    message: readEmbedded(reading, part),
  };
  if (structure.type === "text" || structure.message !== null) reading.progress.ofLines.push(structure);
  return structure;
}

/** Reads the mail in a part; null if the part is none, is encoded, or is beyond the limits. */
function readEmbedded({ source, progress, messageDepth }: Reading, part: Part): DraftMessage | null {
  if (!embeddedTypes.has(part.mediaType) || part.transferEncoding !== "identity") return null;
  if (messageDepth >= embeddedMessageDepthMax || progress.remainingPartCount <= 0) return null;
  const raw = source.raw.subarray(0, part.bodyEnd);
  const limits = { ...source.limits, partDepthMax: Math.max(0, source.limits.partDepthMax - part.depth - 1) };
  return readMessage({ source: { ...source, raw, limits }, progress, messageDepth: messageDepth + 1 }, part.bodyStart);
}

/** Properties of a part that only its header section declares. */
type DeclaredFields = Pick<
  StructurePart,
  "parameters" | "id" | "description" | "encoding" | "md5" | "disposition" | "languages" | "location"
>;

function readContentFields(source: Source, part: Part): DeclaredFields {
  const headerSource = { ...source, raw: source.raw.subarray(0, part.headerEnd), defects: new Set<Defect>() };
  const fields = contentFields(readHeaderSection(headerSource, part.headerStart, () => false));
  const text = (name: string): string | null => {
    const field = fields.get(name);
    return field === undefined ? null : fieldText(headerSource, field) || null;
  };
  const structuredOf = (name: string): string => {
    const field = fields.get(name);
    return field === undefined ? "" : structuredText(headerSource, field);
  };
  const encoding = fields.get("content-transfer-encoding");
  const isPlainText = part.mediaType === "text/plain" && !fields.has("content-type");
  return {
    parameters: isPlainText ? plainText : part.parameters,
    id: text("content-id"),
    description: text("content-description"),
    encoding: (encoding === undefined ? "" : encodingName(headerSource, encoding)) || "7bit",
    md5: text("content-md5"),
    disposition: dispositionOf(structuredOf("content-disposition")),
    languages: languagesOf(structuredOf("content-language")),
    location: text("content-location"),
  };
}

function dispositionOf(text: string): PartDisposition | null {
  const { value, parameters } = parseStructuredValue(text);
  return value === "" ? null : { type: value, parameters };
}

/** Returns the tags of Content-Language (RFC 3282). */
function languagesOf(text: string): readonly string[] {
  return withoutComments(text)
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

/** Reads the envelope of a mail from its first bytes, which contain its header section. Never throws; linear. */
export function readEnvelope(head: Uint8Array, limits: MimeLimits): Envelope {
  const source = openSource(head, limits);
  return envelopeOf(
    source,
    readHeaderSection(source, 0, () => false),
  );
}

/** Returns the envelope of a header section; the first of repeated fields is used, except that recipients are joined. */
function envelopeOf(source: Source, section: HeaderSection): Envelope {
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
