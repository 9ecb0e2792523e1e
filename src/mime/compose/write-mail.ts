/** The only importer of nodemailer's MIME code, which writes the header fields. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type MimeNode from "nodemailer/lib/mime-node";
import { writeField, type CustomField } from "./custom-fields.ts";
import { displayText, encodeUnstructured, singleLine } from "./header-text.ts";
import { base64Lines, encodingOfText, quotedPrintable } from "./transfer-encoding.ts";

/** Address and display name (RFC 5322 §3.4). */
export interface Mailbox {
  readonly name?: string;
  /** Characters outside of printable ASCII are written as `?`; mail is not sent to such an address. */
  readonly address: string;
}

/** Fields of a mail's own header section; message ids with their angle brackets. */
export interface MailFields {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc?: readonly Mailbox[];
  readonly subject: string;
  readonly messageId: string;
  /** Milliseconds since the Unix epoch. */
  readonly date: number;
  readonly inReplyTo?: string | null;
  readonly references?: readonly string[];
  /** Further unstructured fields; names that are written above are not allowed. */
  readonly extra?: Readonly<Record<string, string>>;
  readonly replyTo?: readonly Mailbox[];
  /** Valid custom fields (see `customFields`), written before the others in this order. */
  readonly custom?: readonly CustomField[];
}

/** Entity without parts. `contentType` is valid in a header field. */
export interface Leaf {
  readonly contentType: string;
  /** Text gets the transfer encoding that fits its content; bytes are written with `transferEncoding`. */
  readonly content: string | Uint8Array;
  readonly transferEncoding: "base64" | "7bit" | "8bit" | null;
  readonly disposition: "attachment" | "inline" | null;
  readonly fileName: string | null;
  /** Without angle brackets, valid in a header field. */
  readonly contentId: string | null;
}

/** Multipart entity; `contentType` without boundary. */
export interface Branch {
  readonly contentType: string;
  readonly children: readonly Entity[];
}

/** Entity of a composed mail. */
export type Entity = Leaf | Branch;

/** Options of {@link writeMail}. */
export interface WriteOptions {
  /** Any text that is unique to this mail. */
  readonly boundarySeed: string;
  /** Whether text may be written as 8bit (RFC 6152), for mail that needs not be relayed; false by default. */
  readonly allows8bit?: boolean;
}

/**
 * Writes a mail (RFC 5322, RFC 2045) with CRLF line ends, folded header lines and everything outside of ASCII encoded,
 * except for text in 8bit. The same arguments give the same bytes. Boundaries are derived from `boundarySeed` and all
 * content that is written unencoded, so that content cannot contain its own boundary, even if its author knows the seed.
 */
export async function writeMail(fields: MailFields, root: Entity, options: WriteOptions): Promise<Uint8Array> {
  const { boundarySeed, allows8bit = false } = options;
  const hash = createHash("sha256").update(boundarySeed);
  for (const content of legibleContents(root)) hash.update(content);
  // Loaded with the first composed mail: it takes 20 MB, and most services only receive.
  const { default: Node } = await import("nodemailer/lib/mime-node");
  const node = nodeOf(root, { Node, boundary: hash.digest("hex").slice(0, 32) });
  setFields(node, fields);
  const custom = (fields.custom ?? []).map(writeField).join("");
  return await written(chunksOf(root, { node, allows8bit }), custom);
}

const lf = 10;
/** Bytes that are written before other work gets a turn. */
const turnBytes = 256 * 1024;

async function written(content: Iterable<Buffer>, custom: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [Buffer.from(custom, "latin1")];
  let sinceTurn = 0;
  for (const chunk of content) {
    chunks.push(chunk);
    sinceTurn += chunk.length;
    if (sinceTurn < turnBytes) continue;
    sinceTurn = 0;
    await nextTurn();
  }
  if (chunks.at(-1)?.at(-1) !== lf) chunks.push(Buffer.from("\r\n"));
  return Buffer.concat(chunks);
}

interface EntityWriter {
  readonly node: MimeNode;
  readonly allows8bit: boolean;
}

/**
 * Writes an entity. Its node writes the header fields only: the streams by which nodemailer writes content take most of
 * the time of a send.
 */
function* chunksOf(entity: Entity, writer: EntityWriter): Generator<Buffer> {
  if (!("children" in entity)) {
    yield* leafChunks(entity, writer);
    return;
  }
  const { node, allows8bit } = writer;
  yield headOf(node);
  const boundary = node.boundary === undefined || node.boundary === false ? "" : node.boundary;
  for (const [index, child] of entity.children.entries()) {
    yield Buffer.from(`${index === 0 ? "" : "\r\n"}--${boundary}\r\n`);
    const childNode = node.childNodes[index];
    if (childNode !== undefined) yield* chunksOf(child, { node: childNode, allows8bit });
  }
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

function* leafChunks({ content, transferEncoding }: Leaf, { node, allows8bit }: EntityWriter): Generator<Buffer> {
  const bytes = typeof content === "string" ? Buffer.from(withCrlf(content.toWellFormed())) : content;
  const encoding = transferEncoding ?? (bytes.length === 0 ? null : encodingOfText(bytes, allows8bit));
  if (transferEncoding === null && encoding !== null) node.setHeader("Content-Transfer-Encoding", encoding);
  yield headOf(node);
  if (encoding === "base64") yield* base64Lines(bytes);
  else if (encoding === "quoted-printable") yield* quotedPrintable(bytes);
  else if (bytes.length > 0) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function headOf(node: MimeNode): Buffer {
  return Buffer.from(`${node.buildHeaders()}\r\n\r\n`);
}

/** Returns the content that is not base64-encoded. */
function legibleContents(entity: Entity): readonly (string | Uint8Array)[] {
  if ("children" in entity) return entity.children.flatMap(legibleContents);
  return entity.transferEncoding === "base64" ? [] : [entity.content];
}

interface WriterState {
  readonly Node: typeof MimeNode;
  readonly boundary: string;
}

function nodeOf(entity: Entity, state: WriterState): MimeNode {
  const node = new state.Node(entity.contentType, {
    baseBoundary: state.boundary,
    boundaryPrefix: "=_restante",
    disableFileAccess: true,
    disableUrlAccess: true,
    ...("children" in entity || entity.fileName === null ? {} : { filename: singleLine(entity.fileName) }),
  });
  if ("children" in entity) for (const child of entity.children) node.appendChild(nodeOf(child, state));
  else setLeaf(node, entity);
  return node;
}

function setLeaf(node: MimeNode, leaf: Leaf): void {
  if (leaf.contentId !== null) node.setHeader("Content-ID", `<${leaf.contentId}>`);
  if (leaf.disposition !== null) node.setHeader("Content-Disposition", leaf.disposition);
  if (leaf.transferEncoding !== null) node.setHeader("Content-Transfer-Encoding", leaf.transferEncoding);
}

function setFields(node: MimeNode, fields: MailFields): void {
  node.setHeader("Date", new Date(fields.date));
  node.setHeader("Message-ID", fields.messageId);
  node.setHeader("From", [addressOf(fields.from)]);
  node.setHeader("To", fields.to.map(addressOf));
  node.setHeader("Cc", (fields.cc ?? []).map(addressOf));
  if (fields.replyTo?.length) node.setHeader("Reply-To", fields.replyTo.map(addressOf));
  node.setHeader("Subject", prepared(fields.subject));
  if (fields.inReplyTo) node.setHeader("In-Reply-To", fields.inReplyTo);
  if (fields.references?.length) node.setHeader("References", [...fields.references]);
  for (const [name, value] of Object.entries(fields.extra ?? {})) node.setHeader(name, prepared(value));
}

function addressOf(mailbox: Mailbox): { name: string; address: string } {
  return { name: displayText(mailbox.name ?? ""), address: mailbox.address.replaceAll(/[^ -~]/gu, "?") };
}

function prepared(text: string): { value: string; prepared: true; foldLines: true } {
  return { value: encodeUnstructured(text), prepared: true, foldLines: true };
}

function withCrlf(text: string): string {
  return text.replaceAll(/\r\n?|\n/g, "\r\n");
}
