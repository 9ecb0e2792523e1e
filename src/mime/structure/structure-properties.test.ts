import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { parseMail } from "../parse-mail.ts";
import type { Part } from "../part.ts";
import { findPart, findSection } from "./header-lines.ts";
import { readStructure } from "./read-structure.ts";
import type { MessageStructure, StructurePart, StructureRange } from "./structure.ts";

const fragments = [
  "\r\n",
  "\n",
  "\r",
  "\r\n\r\n",
  " ",
  "--b",
  "--b--",
  "\r\n--b\r\n",
  "\r\n--bb\r\n",
  "\r\n--b--\r\n",
  ":",
  ";",
  "From: ",
  "To: ",
  "Subject: x",
  "Content-Type: multipart/mixed; boundary=b\r\n\r\n",
  "Content-Type: multipart/digest; boundary=bb\r\n\r\n",
  "Content-Type: message/rfc822\r\n\r\n",
  "Content-Transfer-Encoding: base64\r\n",
  "Content-Disposition: attachment; filename*0*=utf-8''%e2%82",
];
const anyMail = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...fragments).map((text) => Buffer.from(text, "latin1")) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)) },
    ),
    { maxLength: 50 },
  )
  .map((parts) => Buffer.concat(parts));
const limitSets = [defaultLimits, { headerBytesMax: 300, headerCountMax: 8, partCountMax: 6, partDepthMax: 2 }];

/** Returns what is wrong with the ranges of a part and those in it. */
function faultsOf(part: StructurePart, within: StructureRange, path: readonly number[]): readonly string[] {
  const { header, body, message, children } = part;
  const isOrdered = header.start <= header.end && header.end === body.start && body.start <= body.end;
  const isOfMail = message === null || sameRange(rangeOf(message.root), body);
  const faults = [
    header.start >= within.start && body.end <= within.end ? null : "is not within its parent",
    isOrdered ? null : "has no header section before its body",
    isOfMail ? null : "contains a mail that is not its body",
    children.some((child, index) => child.body.end > (children[index + 1]?.header.start ?? Infinity))
      ? "overlaps"
      : null,
  ].filter((fault) => fault !== null);
  return [
    ...faults.map((fault) => `${path.join(".")} ${fault}`),
    ...children.flatMap((child, index) => faultsOf(child, body, [...path, index + 1])),
    ...(message === null ? [] : faultsOf(message.root, body, [...path, 0])),
  ];
}

function rangeOf({ header, body }: StructurePart): StructureRange {
  return { start: header.start, end: body.end };
}

function sameRange(a: StructureRange, b: StructureRange): boolean {
  return a.start === b.start && a.end === b.end;
}

/** Returns the specifiers of the parts of a mail with the parts. */
function specifiers({ root }: MessageStructure, prefix: readonly number[]): [readonly number[], StructurePart][] {
  const own = (part: StructurePart, path: readonly number[]): [readonly number[], StructurePart][] => [
    [path, part],
    ...part.children.flatMap((child, index) => own(child, [...path, index + 1])),
    ...(part.message === null ? [] : specifiers(part.message, path)),
  ];
  if (root.children.length === 0) return own(root, [...prefix, 1]);
  return root.children.flatMap((child, index) => own(child, [...prefix, index + 1]));
}

function shapeOf(part: Part): unknown {
  return [part.mediaType.toLowerCase(), part.bodyStart, part.bodyEnd, part.children.map(shapeOf)];
}

function shapeOfStructure({ type, subtype, body, children }: StructurePart): unknown {
  return [`${type}/${subtype}`, body.start, body.end, children.map(shapeOfStructure)];
}

describe("readStructure for arbitrary bytes", () => {
  it("has ranges within the mail, parts within their parents, and the parts that parseMail finds", () => {
    const check = (raw: Buffer): void => {
      for (const limits of limitSets) {
        const message = readStructure(raw, limits);
        expect(faultsOf(message.root, { start: 0, end: raw.length }, [])).toEqual([]);
        expect(findSection(message, { part: [], text: null })).toEqual({ start: 0, end: raw.length });
        expect(shapeOfStructure(message.root)).toEqual(shapeOf(parseMail(raw, limits).root));
      }
    };
    fc.assert(fc.property(anyMail, check), { numRuns: 1500 });
  });

  it("finds each part by its specifier, and a header section and a text that make up each mail", () => {
    fc.assert(
      fc.property(anyMail, (raw) => {
        const message = readStructure(raw, defaultLimits);
        const lost = specifiers(message, []).filter(([path, part]) => {
          if (findPart(message, path) !== part) return true;
          if (part.message === null) return false;
          const header = findSection(message, { part: path, text: "HEADER" });
          const text = findSection(message, { part: path, text: "TEXT" });
          return header?.start !== part.body.start || header.end !== text?.start || text.end !== part.body.end;
        });
        expect(lost).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
