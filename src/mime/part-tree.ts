import { readHeaderSection } from "./header-section.ts";
import type { HeaderSection } from "./header-section.ts";
import { readPartFields } from "./part-fields.ts";
import type { DraftPart } from "./part.ts";
import { beforeLineEnd, cr, dash, nextLine, space, tab } from "./source.ts";
import type { Source } from "./source.ts";

/** Multipart whose closing boundary has not been found; the stack of them is the path to the current position. */
interface OpenMultipart {
  readonly part: DraftPart;
  readonly boundary: string;
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
 * outer boundary ends all multiparts inside (§5.1.2). The mail extends from `start` to the end of the source.
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
    if (boundary.closes) closeMultipart(walk);
    else {
      if (walk.partCount >= source.limits.partCountMax) return stopAtLimit(walk, root, section);
      position = readPart(walk, position, walk.open[boundary.level]?.part ?? null).part.bodyStart;
    }
  }
  if (walk.open.length > 0) source.defects.add("missing_closing_boundary");
  while (walk.open.length > 0) closeMultipart(walk);
  return { root, section };
}

function stopAtLimit(walk: Walk, root: DraftPart, section: HeaderSection): PartTree {
  walk.source.defects.add("too_many_parts");
  return { root, section };
}

/** Reads the part whose header section starts at `start`, and opens it if it is a multipart. */
function readPart(walk: Walk, start: number, parent: DraftPart | null): { part: DraftPart; section: HeaderSection } {
  const { source } = walk;
  const section = readHeaderSection(source, start, (lineStart) => matchBoundary(walk, lineStart) !== null);
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

function openMultipart(walk: Walk, part: DraftPart): void {
  const { defects, limits } = walk.source;
  const boundary = (part.parameters.get("boundary") ?? "").trimEnd();
  if (boundary === "") {
    defects.add("missing_boundary");
    part.mediaType = "text/plain";
    return;
  }
  if (part.depth >= limits.partDepthMax) {
    defects.add("too_deep");
    return;
  }
  if (part.transferEncoding !== "identity") defects.add("encoded_multipart");
  // Boundaries are compared as bytes; a parameter with 8-bit characters was decoded from UTF-8.
  const written = Buffer.from(boundary, "utf8").toString("latin1");
  walk.open.push({ part, boundary: written, shadowed: walk.levels.get(written) });
  walk.levels.set(written, walk.open.length - 1);
  walk.boundaryLengthMax = Math.max(walk.boundaryLengthMax, written.length);
  walk.lengths.add(written.length);
  walk.firstBytes[written.charCodeAt(0)] = 1;
}

/** Removes the innermost open multipart from the path. */
function closeMultipart(walk: Walk): void {
  const closed = walk.open.pop();
  if (closed === undefined) return;
  if (closed.shadowed === undefined) walk.levels.delete(closed.boundary);
  else walk.levels.set(closed.boundary, closed.shadowed);
  if (closed.part.children.length > 0) return;
  walk.source.defects.add("boundary_not_found");
  closed.part.mediaType = "text/plain";
}

/** Ends all multiparts below `level`, and the current part inside, before the boundary line. */
function endParts(walk: Walk, level: number, lineStart: number): void {
  const end = beforeLineEnd(walk.source, lineStart);
  while (walk.open.length > level + 1) {
    endPart(walk.open.at(-1)?.part.children.at(-1), end);
    walk.source.defects.add("missing_closing_boundary");
    closeMultipart(walk);
  }
  endPart(walk.open.at(-1)?.part.children.at(-1), end);
}

function endPart(part: DraftPart | undefined, end: number): void {
  if (part !== undefined) part.bodyEnd = Math.max(part.bodyStart, end);
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
  const delimiter = walk.levels.get(text) ?? -1;
  const closing = text.endsWith("--") ? (walk.levels.get(text.slice(0, -2)) ?? -1) : -1;
  if (delimiter === -1 && closing === -1) return null;
  return closing > delimiter ? { level: closing, closes: true } : { level: delimiter, closes: false };
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
