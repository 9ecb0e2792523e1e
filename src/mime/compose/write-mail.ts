/** Writes composed mails: header section, boundaries and content. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { withLineEnds } from "../line-ends.ts";
import { writeFields, type MailFields } from "./mail-fields.ts";
import { base64Lines, encodingOfText, quotedPrintable, quotedPrintableLf } from "./transfer-encoding.ts";

/** Entity without parts. `contentType` is valid in a header field. */
export interface Leaf {
  readonly contentType: string;
  /** Text gets the transfer encoding that fits its content; bytes are written with `transferEncoding`. */
  readonly content: string | Uint8Array;
  readonly transferEncoding: "base64" | "7bit" | "8bit" | null;
  /** Null for a part that is not a file; it has no name and no content id either. */
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
  /** Whether text with LF line ends is written so that decoding it gives them back, as quoted-printable; false by default. */
  readonly keepsLf?: boolean;
}

/**
 * Writes a mail (RFC 5322, RFC 2045) with CRLF line ends, folded header lines and everything outside of ASCII encoded,
 * except for text in 8bit. The same arguments give the same bytes. Boundaries are derived from `boundarySeed` and, if
 * unencoded content contains the result, from that content too, so that it cannot contain its own boundary, even if its
 * author knows the seed.
 */
export async function writeMail(fields: MailFields, root: Entity, options: WriteOptions): Promise<Uint8Array> {
  const { boundarySeed, allows8bit = false, keepsLf = false } = options;
  const contents = legibleContents(root);
  const usual = boundaryOf([boundarySeed]);
  const isUsed = contents.some((content) => includes(content, usual));
  const boundary = isUsed ? boundaryOf([boundarySeed, ...contents]) : usual;
  const writeFileFields = await fileFieldsOf(root);
  const entities = entityChunks(root, { boundary, depth: 1, allows8bit, keepsLf, writeFileFields });
  return await written(writeFields(fields), entities);
}

function boundaryOf(sources: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const source of sources) hash.update(source);
  return `=_restante-${hash.digest("hex").slice(0, 32)}`;
}

function includes(content: string | Uint8Array, boundary: string): boolean {
  return typeof content === "string"
    ? content.includes(boundary)
    : Buffer.from(content.buffer, content.byteOffset, content.byteLength).includes(boundary);
}

/** Writer of the header section of a file. */
type WriteFileFields = (leaf: Leaf) => string;

/** Loads nodemailer with the first file that is attached: it takes 20 MB, and most services only receive. */
async function fileFieldsOf(root: Entity): Promise<WriteFileFields | null> {
  return hasFiles(root) ? (await import("./file-fields.ts")).writeFileFields : null;
}

function hasFiles(entity: Entity): boolean {
  return "children" in entity ? entity.children.some(hasFiles) : entity.disposition !== null;
}

const lf = 10;
/** Bytes that are written before other work gets a turn. */
const turnBytes = 256 * 1024;
/** Chunk after which other work gets a turn: between the passes over a long text. */
const pause = Buffer.alloc(0);

async function written(fields: string, entities: Iterable<Buffer>): Promise<Uint8Array> {
  const chunks: Buffer[] = [Buffer.from(fields, "latin1")];
  let sinceTurn = 0;
  for (const chunk of entities) {
    chunks.push(chunk);
    sinceTurn += chunk.length;
    if (sinceTurn < turnBytes && chunk !== pause) continue;
    sinceTurn = 0;
    await nextTurn();
  }
  if (chunks.at(-1)?.at(-1) !== lf) chunks.push(Buffer.from("\r\n"));
  return Buffer.concat(chunks);
}

interface EntityContext {
  /** Start of all boundaries; that of a multipart ends in its depth. */
  readonly boundary: string;
  readonly depth: number;
  readonly allows8bit: boolean;
  readonly keepsLf: boolean;
  /** Null in a mail without files. */
  readonly writeFileFields: WriteFileFields | null;
}

/** Writes the header section of an entity, an empty line and the content. */
function* entityChunks(entity: Entity, context: EntityContext): Generator<Buffer> {
  if (!("children" in entity)) {
    yield* leafChunks(entity, context);
    return;
  }
  const boundary = `${context.boundary}-Part_${String(context.depth)}`;
  yield Buffer.from(`Content-Type: ${entity.contentType};\r\n boundary="${boundary}"\r\n\r\n`);
  for (const [index, child] of entity.children.entries()) {
    yield Buffer.from(`${index === 0 ? "" : "\r\n"}--${boundary}\r\n`);
    yield* entityChunks(child, { ...context, depth: context.depth + 1 });
  }
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

function* leafChunks(leaf: Leaf, { allows8bit, keepsLf, writeFileFields }: EntityContext): Generator<Buffer> {
  const { content, contentType, transferEncoding } = leaf;
  if (keepsLf && typeof content === "string" && content.includes("\n") && !content.includes("\r")) {
    yield Buffer.from(`Content-Type: ${contentType}\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n`);
    yield* quotedPrintableLf(Buffer.from(content.toWellFormed()));
    return;
  }
  const bytes = typeof content === "string" ? Buffer.from(withCrlf(content.toWellFormed())) : content;
  if (bytes.length > turnBytes) yield pause;
  const encoding = transferEncoding ?? encodingOfText(bytes, allows8bit);
  const fields =
    leaf.disposition === null || writeFileFields === null
      ? `Content-Type: ${contentType}\r\nContent-Transfer-Encoding: ${encoding}\r\n`
      : writeFileFields(leaf);
  yield Buffer.from(`${fields}\r\n`);
  yield* encodedChunks(bytes, encoding);
}

/** Writes content; other work gets a turn before that of a long one, whose encoding took a pass over it. */
function* encodedChunks(bytes: Uint8Array, encoding: ReturnType<typeof encodingOfText>): Generator<Buffer> {
  if (bytes.length > turnBytes) yield pause;
  if (encoding === "base64") yield* base64Lines(bytes);
  else if (encoding === "quoted-printable") yield* quotedPrintable(bytes);
  else if (bytes.length > 0) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Returns the content that is not base64-encoded. */
function legibleContents(entity: Entity): readonly (string | Uint8Array)[] {
  if ("children" in entity) return entity.children.flatMap(legibleContents);
  return entity.transferEncoding === "base64" ? [] : [entity.content];
}

function withCrlf(text: string): string {
  return withLineEnds(text, "\r\n");
}
