import { readHeaderSection } from "./header-section.ts";
import type { HeaderSection } from "./header-section.ts";
import { writtenBoundary } from "./parameters.ts";
import { readPartFields } from "./part-fields.ts";
import type { DraftPart } from "./part.ts";
import { beforeLineEnd, cr, dash, lf, nextLine, space, tab } from "./source.ts";
import type { Source } from "./source.ts";

/** Multipart that an outer boundary has not ended; the stack of them is the path to the current position. */
interface OpenMultipart {
  readonly part: DraftPart;
  readonly boundary: string;
  /** Whether its closing boundary was found; another part after it opens the multipart again. */
  isClosed: boolean;
  /** Level of an outer multipart with the same boundary. */
  readonly shadowed: number | undefined;
}

interface Walk {
  readonly source: Source;
  readonly open: OpenMultipart[];
  /** Boundary → its innermost level in `open`. */
  readonly levels: Map<string, number>;
  /** Length of the longest boundary so far; longer lines are not boundaries. */
  boundaryLengthMax: number;
  /** Lengths of all boundaries so far. */
  readonly lengths: Set<number>;
  /** 1 for the first byte of every boundary so far: it excludes nearly all other lines. */
  readonly firstBytes: Uint8Array;
  partCount: number;
}

interface BoundaryLine {
  readonly level: number;
  readonly closes: boolean;
}

const boundaryBytes = new Uint8Array(256);
for (const byte of Buffer.from("'()+_,-./:=?0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) {
  boundaryBytes[byte] = 1;
}

/** Result of {@link readPartTree}. */
export interface PartTree {
  readonly root: DraftPart;
  /** Header section of the mail itself. */
  readonly section: HeaderSection;
}

/**
 * Finds the parts of a mail (RFC 2046 §5.1) in one pass over its lines that begin with `--`, independently of the nesting. An
 * outer boundary ends all multiparts inside (§5.1.2). The mail extends from `start` to the end of the source. Apart from
 * preambles, epilogues and blank ends, every byte of a multipart's body is in one of its parts.
 */
export function readPartTree(source: Source, start = 0): PartTree {
  const walk: Walk = {
    source,
    open: [],
    levels: new Map(),
    boundaryLengthMax: 0,
    lengths: new Set(),
    firstBytes: new Uint8Array(256),
    partCount: 0,
  };
  const { part: root, section } = readPart(walk, start, null);
  let position = root.bodyStart;
  while (walk.open.length > 0) {
    const lineStart = nextDashes(walk, position);
    if (lineStart === -1) break;
    position = nextLine(source, lineStart);
    const boundary = matchBoundary(walk, lineStart);
    if (boundary === null) continue;
    endParts(walk, boundary.level, lineStart);
    const current = walk.open[boundary.level];
    if (current === undefined || boundary.closes) {
      closeMultipart(walk);
      continue;
    }
    if (walk.partCount >= source.limits.partCountMax) {
      addRest(walk, current.part, lineStart);
      return { root, section };
    }
    if (current.isClosed) source.defects.add("part_after_closing_boundary");
    current.isClosed = false;
    position = readPart(walk, position, current.part).part.bodyStart;
  }
  while (walk.open.length > 0) endMultipart(walk);
  return { root, section };
}

/** Adds what follows the last part within the limit as one part. */
function addRest(walk: Walk, parent: DraftPart, start: number): void {
  walk.source.defects.add("too_many_parts");
  parent.children.push({
    ...readPartFields(walk.source, { fields: [], end: start, bodyStart: start }, "application/octet-stream"),
    headerStart: start,
    headerEnd: start,
    bodyStart: start,
    bodyEnd: walk.source.raw.length,
    depth: parent.depth + 1,
    children: [],
  });
}

/** Reads the part whose header section starts at `start`, and opens it if it is a multipart. */
function readPart(walk: Walk, start: number, parent: DraftPart | null): { part: DraftPart; section: HeaderSection } {
  const { source } = walk;
  const section = readSection(walk, start, parent);
  const defaultMediaType = parent?.mediaType === "multipart/digest" ? "message/rfc822" : "text/plain";
  const part: DraftPart = {
    ...readPartFields(source, section, defaultMediaType),
    headerStart: start,
    headerEnd: section.end,
    bodyStart: section.bodyStart,
    bodyEnd: source.raw.length,
    depth: parent === null ? 0 : parent.depth + 1,
    children: [],
  };
  walk.partCount += 1;
  parent?.children.push(part);
  if (part.mediaType.startsWith("multipart/")) openMultipart(walk, part);
  return { part, section };
}

/**
 * Reads the header section of a part. Lines without an empty line after them that declare nothing about content are the
 * body of a part, whose header section may be empty but for that line (RFC 2046 §5.1).
 */
function readSection(walk: Walk, start: number, parent: DraftPart | null): HeaderSection {
  const section = readHeaderSection(walk.source, start, (lineStart) => matchBoundary(walk, lineStart) !== null);
  const { fields, end, bodyStart } = section;
  if (parent === null || fields.length === 0 || bodyStart > end) return section;
  if (fields.some(({ name }) => /^content-/i.test(name))) return section;
  walk.source.defects.add("missing_header_end");
  return { fields: [], end: start, bodyStart: start };
}

function openMultipart(walk: Walk, part: DraftPart): void {
  const { defects, limits } = walk.source;
  const written = writtenBoundary(part.parameters);
  if (written === "") {
    defects.add("missing_boundary");
    part.mediaType = "text/plain";
    return;
  }
  if (part.depth >= limits.partDepthMax) {
    defects.add("too_deep");
    return;
  }
  if (part.transferEncoding !== "identity") defects.add("encoded_multipart");
  walk.open.push({ part, boundary: written, isClosed: false, shadowed: walk.levels.get(written) });
  walk.levels.set(written, walk.open.length - 1);
  walk.boundaryLengthMax = Math.max(walk.boundaryLengthMax, written.length);
  walk.lengths.add(written.length);
  walk.firstBytes[written.charCodeAt(0)] = 1;
}

/** Closes the innermost multipart. It stays open for further parts, unless an outer one has the same boundary. */
function closeMultipart(walk: Walk): void {
  const closed = walk.open.at(-1);
  if (closed === undefined) return;
  closed.isClosed = true;
  if (closed.shadowed !== undefined) endMultipart(walk);
}

/** Removes the innermost multipart from the path. */
function endMultipart(walk: Walk): void {
  const closed = walk.open.pop();
  if (closed === undefined) return;
  if (!closed.isClosed) {
    walk.source.defects.add("missing_closing_boundary");
    dropBlankEnd(walk.source, closed.part.children);
  }
  if (closed.shadowed === undefined) walk.levels.delete(closed.boundary);
  else walk.levels.set(closed.boundary, closed.shadowed);
  if (closed.part.children.length > 0) return;
  walk.source.defects.add("boundary_not_found");
  closed.part.mediaType = "text/plain";
}

/** Removes a last part without fields and content: the boundary line before it was meant to be the closing one. */
function dropBlankEnd({ raw }: Source, parts: DraftPart[]): void {
  const last = parts.at(-1);
  if (last === undefined || parts.length === 1 || last.headerEnd > last.headerStart) return;
  let position = last.bodyStart;
  while (position < last.bodyEnd && (isPadding(raw[position]) || raw[position] === lf)) position += 1;
  if (position === last.bodyEnd) parts.pop();
}

/** Ends all multiparts below `level`, and the current part inside, before the boundary line. */
function endParts(walk: Walk, level: number, lineStart: number): void {
  const end = beforeLineEnd(walk.source, lineStart);
  while (walk.open.length > level + 1) {
    endLastPart(walk.open.at(-1), end);
    endMultipart(walk);
  }
  endLastPart(walk.open.at(-1), end);
}

/** Ends the last part of a multipart; that of a closed one has ended. */
function endLastPart(multipart: OpenMultipart | undefined, end: number): void {
  const part = multipart?.part.children.at(-1);
  if (part !== undefined && multipart?.isClosed === false) part.bodyEnd = Math.max(part.bodyStart, end);
}

/** Returns the offset of the next line from `from` that begins with `--`; -1 if there is none. */
function nextDashes(walk: Walk, from: number): number {
  const { raw, eol } = walk.source;
  if (raw[from] === dash && raw[from + 1] === dash) return from;
  // Base64 has no dashes: searching for them first skips it without stopping at every line.
  const dashes = raw.indexOf("--", from);
  if (dashes === -1 || raw[dashes - 1] === eol) return dashes;
  const lineEnd = raw.indexOf(eol === cr ? "\r--" : "\n--", dashes);
  return lineEnd === -1 ? -1 : lineEnd + 1;
}

/**
 * Returns the open multipart whose boundary is the line at `lineStart`, which begins with `--`. The boundary fills the
 * line except for white space, or is followed by a character that cannot be part of a longer boundary (RFC 2046 §5.1.1,
 * note to implementors): `--boundary-->`.
 */
function matchBoundary(walk: Walk, lineStart: number): BoundaryLine | null {
  if (walk.open.length === 0 || walk.firstBytes[walk.source.raw[lineStart + 2] ?? 0] === 0) return null;
  const start = lineStart + 2;
  const token = tokenEnd(walk, start);
  const line = unpaddedEnd(walk.source, start);
  const ofLine = boundaryOf(walk, start, line);
  return ofLine === null && token < line ? boundaryOf(walk, start, token) : ofLine;
}

/** Returns the boundary in `raw[start, end)`, with or without `--` after it. */
function boundaryOf(walk: Walk, start: number, end: number): BoundaryLine | null {
  const length = end - start;
  if (length === 0 || !(walk.lengths.has(length) || walk.lengths.has(length - 2))) return null;
  const text = walk.source.raw.toString("latin1", start, end);
  const delimiter = walk.levels.get(text);
  const closing = text.endsWith("--") ? walk.levels.get(text.slice(0, -2)) : undefined;
  if (closing === undefined) return delimiter === undefined ? null : { level: delimiter, closes: false };
  // A multipart is opened again only by a line that does not close an outer one.
  const isDelimiter = delimiter !== undefined && delimiter >= closing && walk.open[delimiter]?.isClosed === false;
  return isDelimiter ? { level: delimiter, closes: false } : { level: closing, closes: true };
}

/**
 * Returns the end of the characters that a boundary may contain (RFC 2046 §5.1.1, bcharsnospace), at most one more than
 * the longest boundary has.
 */
function tokenEnd({ source, boundaryLengthMax }: Walk, start: number): number {
  const limit = Math.min(source.raw.length, start + boundaryLengthMax + 3);
  let end = start;
  while (end < limit && boundaryBytes[source.raw[end] ?? 0] === 1) end += 1;
  return end;
}

/** Returns the end of the line's content, without transport padding (RFC 2046 §5.1.1) and line end. */
function unpaddedEnd(source: Source, start: number): number {
  const { raw, eol } = source;
  if (raw[start] === eol) return start;
  let end = raw.indexOf(eol, start);
  if (end === -1) end = raw.length;
  while (end > start && isPadding(raw[end - 1])) end -= 1;
  return end;
}

function isPadding(byte: number | undefined): boolean {
  return byte === space || byte === tab || byte === cr;
}
