/** No content of a mail is in no body and in no attachment: generated and mutated structures. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { decodeBytes, joinTexts } from "./body-content.ts";
import { parseMail } from "./parse-mail.ts";

type Node =
  | { readonly type: string; readonly encoding: string; readonly fields: string }
  | { readonly subtype: string; readonly children: readonly Node[] };

/** Change of a line of the mail, by its kind. */
type Mutation = (lines: readonly string[], index: number) => readonly string[];

const types = [
  "text/plain",
  "text/plain; charset=iso-2022-jp",
  "text/plain; charset=x-unknown",
  "text/html; charset=utf-8",
  "text/calendar; method=REQUEST",
  "text/x-amp-html",
  "image/png",
  "message/rfc822",
  "message/delivery-status",
  "application/pgp-signature",
  "application/pkcs7-mime",
  "multipart/mixed",
  "invalid",
  "",
];
const fields = [
  "",
  "Content-Disposition: inline",
  "Content-Disposition: attachment",
  "Content-Disposition: inline; filename=a.txt",
  "Content-ID: <root>",
  "Content-ID: <other>\nContent-Location: a",
];
const subtypes = [
  "mixed",
  "alternative",
  "related",
  'related; start="<root>"',
  'related; type="text/html"',
  'related; type="multipart/alternative"; start="<missing>"',
  "digest",
  "signed; protocol=application/pgp-signature",
  "encrypted",
  "report; report-type=delivery-status",
  "parallel",
  "x-unknown",
];

/** Part without a header section, which a missing empty line hides best. */
const bareLeaf = fc.constant({ type: "", encoding: "", fields: "" });
const describedLeaf = fc.record({
  type: fc.constantFrom(...types),
  encoding: fc.constantFrom("", "7bit", "8bit", "base64", "quoted-printable", "x-unheard-of"),
  fields: fc.constantFrom(...fields),
});
const { tree } = fc.letrec<{ tree: Node }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { arbitrary: describedLeaf, weight: 4 },
    bareLeaf,
    fc.record({
      subtype: fc.constantFrom(...subtypes),
      children: fc.array(tie("tree"), { minLength: 1, maxLength: 4 }),
    }),
  ),
}));

/** Writes a tree with a token of its own in each leaf; returns the tokens. */
class Writer {
  readonly tokens: string[] = [];
  #boundaryCount = 0;

  write(node: Node, isWithin = false): string {
    return "children" in node ? this.#multipart(node) : this.#leaf(node, isWithin);
  }

  #multipart({ subtype, children }: Extract<Node, { subtype: string }>): string {
    const boundary = `edge${(this.#boundaryCount += 1)}`;
    const parts = children.map((child) => `--${boundary}\n${this.write(child, true)}\n`);
    return `Content-Type: multipart/${subtype}; boundary=${boundary}\n\n${parts.join("")}--${boundary}--\n`;
  }

  #leaf({ type, encoding, fields: others }: Extract<Node, { type: string }>, isWithin: boolean): string {
    const token = `token${this.tokens.length}x`;
    this.tokens.push(token);
    const lines = [type && `Content-Type: ${type}`, encoding && `Content-Transfer-Encoding: ${encoding}`, others];
    const header = lines.filter((line) => line !== "").join("\n");
    // Without a header section, lines that resemble fields are content, even if nothing else follows.
    const content = isWithin && header === "" ? `Say: ${token}` : `Say: ${token}\nand ${token} again`;
    const encoded = encoding === "base64" ? Buffer.from(content).toString("base64") : content;
    return `${header}\n\n${encoded}`.replace(/^\n\n/, "\n");
  }
}

const edge = /^--edge\d+$/;
const closing = /^--edge\d+--$/;

const isFirst = (lines: readonly string[], index: number): boolean => lines.indexOf(lines[index] ?? "") === index;
const insert = (lines: readonly string[], index: number, ...added: readonly string[]): readonly string[] =>
  lines.toSpliced(index, 0, ...added);

/** Errors of senders at a line; each returns the lines as they are where it cannot occur. */
const mutations: readonly Mutation[] = [
  // No empty line ends a header section.
  (lines, index) => (lines[index] === "" ? lines.toSpliced(index, 1) : lines),
  // A multipart is not closed.
  (lines, index) => (closing.test(lines[index] ?? "") ? lines.toSpliced(index, 1) : lines),
  // A multipart is closed before each of its parts, or twice.
  (lines, index) =>
    edge.test(lines[index] ?? "") && !isFirst(lines, index) ? insert(lines, index, `${lines[index]}--`) : lines,
  (lines, index) => (closing.test(lines[index] ?? "") ? insert(lines, index, lines[index] ?? "") : lines),
  // A boundary is written twice, has blanks or markup after it, or is missing between two leaves.
  (lines, index) => (edge.test(lines[index] ?? "") ? insert(lines, index, lines[index] ?? "") : lines),
  (lines, index) => (edge.test(lines[index] ?? "") ? lines.with(index, `${lines[index]} \t`) : lines),
  (lines, index) => (closing.test(lines[index] ?? "") ? lines.with(index, `${lines[index]}<br>`) : lines),
  (lines, index) =>
    edge.test(lines[index] ?? "") && !isFirst(lines, index) && !/^(?:$|--)/.test(lines[index - 1] ?? "")
      ? lines.toSpliced(index, 1)
      : lines,
  // Lines in the header section of the mail that are neither fields nor continuations.
  (lines, index) => (index < 4 ? insert(lines, index, "stray+line", "another/line=", "YQ==") : lines),
  // A byte order mark before a header section.
  (lines, index) =>
    index === 0 || edge.test(lines[index - 1] ?? "") ? lines.with(index, `\u00ef\u00bb\u00bf${lines[index]}`) : lines,
];

/** Everything that the bodies and the attachments of a mail contain. */
function shownText(raw: Buffer): string {
  const mail = parseMail(raw, defaultLimits);
  const attachments = mail.attachments.map((part) => Buffer.from(decodeBytes(raw, part)).toString("latin1"));
  return [joinTexts(raw, mail.textParts), joinTexts(raw, mail.htmlParts), ...attachments].join("\n");
}

/** Writes a mail; returns its lines and the tokens of its leaves. */
function write(node: Node): { readonly lines: readonly string[]; readonly tokens: readonly string[] } {
  const writer = new Writer();
  const content = writer.write(node);
  const head = "From: a@example.com\nTo: b@example.com\nSubject: x\nMIME-Version: 1.0\n";
  return { lines: `${head}${content}`.split("\n"), tokens: writer.tokens };
}

const lineEnds = fc.constantFrom("\r\n", "\n", "\r");
const missing = (lines: readonly string[], lineEnd: string, tokens: readonly string[]): readonly string[] => {
  const shown = shownText(Buffer.from(lines.join(lineEnd), "latin1"));
  return tokens.filter((token) => !shown.includes(token));
};
const withBase64 = (node: Node): boolean =>
  "children" in node ? node.children.some((child) => withBase64(child)) : node.encoding === "base64";

describe("the content of every leaf is in a body or in an attachment", () => {
  it("is kept in any structure", () => {
    fc.assert(
      fc.property(tree, lineEnds, (node, lineEnd) => {
        const { lines, tokens } = write(node);
        expect(missing(lines, lineEnd, tokens)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it("is kept in any structure with errors, except that base64 ends at its padding", () => {
    const errors = fc.array(fc.tuple(fc.constantFrom(...mutations), fc.nat({ max: 200 })), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        tree.filter((node) => !withBase64(node)),
        errors,
        lineEnds,
        (node, changes, lineEnd) => {
          const { lines, tokens } = write(node);
          const changed = changes.reduce((all, [mutate, at]) => mutate(all, at % all.length), lines);
          expect(missing(changed, lineEnd, tokens)).toEqual([]);
        },
      ),
      { numRuns: 4000 },
    );
  });

  it("is kept beyond the limits of parts and of nesting", () => {
    fc.assert(
      fc.property(
        tree,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 3 }),
        (node, partCountMax, partDepthMax) => {
          const { lines, tokens } = write(node);
          const raw = Buffer.from(lines.join("\r\n"), "latin1");
          const { attachments, textParts, htmlParts } = parseMail(raw, {
            ...defaultLimits,
            partCountMax,
            partDepthMax,
          });
          const ranges = [...attachments, ...textParts, ...htmlParts].map(({ bodyStart, bodyEnd }) =>
            raw.toString("latin1", bodyStart, bodyEnd),
          );
          const text = ranges.join("\n");
          const written = tokens.filter((token) => raw.includes(token));
          expect(written.filter((token) => !text.includes(token))).toEqual([]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
