/** Memory of every function that reads what strangers wrote: no input may cost many objects for each of its bytes. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultLimits } from "../../src/core/limits.ts";
import { allocatedBytes } from "../../src/testing/allocated-bytes.test-aid.ts";

type Reader = (input: string | Buffer, ...further: readonly unknown[]) => unknown;

const root = join(import.meta.dirname, "../..");
const rooms = ["mime", "analysis", "authentication", "providers/formats", "transfer"];
const declaration =
  /^export (?:async )?function\*? ?(\w+)(?:<[^>]*>)?\(\s*(?:text|raw|bytes|body|html|value|line|whole|head|first|header|record|visibleText|typed|url|word|href|name|declared|contentId|subject|path|label|fileName): (string|Uint8Array|Buffer)\b/gm;

/** Functions that take a path, or a name that was read before. */
const exempt = new Set([
  "openExportFile",
  "makeMaildir",
  "listMaildir",
  "writeToMaildir",
  "importMaildir",
  "importEml",
  "readEml",
  "readEmlFolder",
  "readEmlZip",
  "readZip",
  "memberPath",
  "constraintError",
  "isAsciiSuperset",
  "kindOf",
  // Its line was written by an export of this service.
  "messageOfLine",
]);

const part = (size: number): object => ({
  transferEncoding: "identity",
  charset: "utf-8",
  bodyStart: 0,
  bodyEnd: size,
  flow: "fixed",
  parameters: new Map(),
});
const span = (size: number): readonly unknown[] => [0, size];
const decodeLatin1 = (bytes: Buffer): string => bytes.toString("latin1");
const ignored = { open: () => undefined, close: () => undefined, text: () => undefined };

/** Further parameters of readers, by name; `limits` for those that take bytes, none for those that take text. */
const further: Readonly<Record<string, (size: number) => readonly unknown[]>> = {
  textMasks: () => [[]],
  decodeQuotedPrintable: span,
  decodeQuotedPrintableText: span,
  quotedPrintableLength: span,
  decodeUuencode: span,
  decodeBase64: span,
  base64Length: span,
  decodeHz: () => [decodeLatin1],
  decodeIso2022Kr: () => [decodeLatin1],
  decodeIso2022Jp2: () => [decodeLatin1],
  decodeIso2022Cn: () => [decodeLatin1],
  decodeCharset: () => ["utf-8"],
  decodeBytes: (size) => [part(size)],
  decodedLength: (size) => [part(size)],
  decodeText: (size) => [part(size)],
  joinTexts: (size) => [[part(size)]],
  unflow: () => [true],
  commentEnd: () => [0],
  readTagName: () => [0],
  withMessageId: () => ["<a@b.example>"],
  selectHeaderFields: () => [{ names: ["to"], isExcluded: false }, defaultLimits],
  readOriginal: (size) => [
    { textParts: [part(size)], htmlParts: [part(size)], attachments: [], subject: "", from: [], headerDate: null },
    0,
  ],
  flattenHtml: () => [100],
  readUsage: () => [["alt", "src"]],
  scanHtml: () => [ignored],
  findCandidates: () => [2000],
  decodeReferences: () => ["text"],
  verifySignatures: () => [async () => ({ records: [] })],
  readFormBody: () => ["application/x-www-form-urlencoded"],
};

/** Inputs that are made of one repeated piece, and pseudo-random ones. */
const pieces = ["\n", ",", "<", "=", " ", "\r\n>", ";a:", '<b c="', "&amp;", "{{a}} ", "a@b, ", "7 "];
const alphabet = "\n\r,<>= &;:(){}\"'/a1é.@-";

function random(size: number): string {
  let state = 1;
  return Array.from({ length: size }, () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return alphabet.charAt((state >> 8) % alphabet.length);
  }).join("");
}

const inputs: readonly ((size: number) => string)[] = [
  ...pieces.map((piece) => (size: number) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)),
  random,
];

const [smallSize, factor] = [8192, 8];
/** Bytes of the heap for each byte of a large input; an object takes 16 at least. */
const bytesPerByteMax = 400;
/** mailauth makes promises for each line of a body; it keeps none of them, and runs within the time limit of inspections. */
const bytesPerByteOfMailauth = 1000;
const bytesPerByteMaxOf: Readonly<Record<string, number>> = {
  // A match with its groups for each character.
  readZoneLines: 600,
  parseZone: 600,
  authenticateMail: bytesPerByteOfMailauth,
  verifySignatures: bytesPerByteOfMailauth,
};
/** Allocations beside those of the input: tables that the first call makes, and the granularity of the count. */
const slackBytes = 4 * 1024 * 1024;

/** Measurements of which the least counts: code that V8 has not optimised yet allocates objects that it later leaves out. */
const measurementCountMax = 4;

async function runOn(reader: Reader, name: string, input: string | Buffer): Promise<void> {
  const given = further[name]?.(input.length) ?? (typeof input === "string" ? [] : [defaultLimits]);
  try {
    const result = await reader(input, ...given);
    if (typeof result === "object" && result !== null && "next" in result) {
      for (const _ of result as unknown as Iterable<unknown>);
    }
  } catch (error) {
    // A reader may reject an input; a mistake of this table must not look like that.
    if (error instanceof TypeError || error instanceof RangeError) throw error;
  }
}

/** Returns what is wrong with a reader; empty for one that allocates in proportion. */
async function faultsOf(reader: Reader, name: string, isText: boolean): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const [number, make] of inputs.entries()) {
    const inputOf = (size: number): string | Buffer => (isText ? make(size) : Buffer.from(make(size), "utf8"));
    const [small, large] = [inputOf(smallSize), inputOf(smallSize * factor)];
    await runOn(reader, name, small);
    const ofSmall = await allocatedBytes(() => runOn(reader, name, small));
    const perByte = (bytesPerByteMaxOf[name] ?? bytesPerByteMax) * large.length;
    const most = Math.min(perByte, 3 * factor * ofSmall) + slackBytes;
    let ofLarge = await allocatedBytes(() => runOn(reader, name, large));
    for (let again = 1; ofLarge > most && again < measurementCountMax; again += 1) {
      ofLarge = Math.min(ofLarge, await allocatedBytes(() => runOn(reader, name, large)));
    }
    if (ofLarge > most) {
      faults.push(`${name}, input ${JSON.stringify(pieces[number] ?? "random")}: ${ofSmall} bytes, then ${ofLarge}`);
    }
  }
  return faults;
}

const readers = rooms.flatMap((room) =>
  globSync(`src/${room}/**/*.ts`, { cwd: root })
    .filter((file) => !file.includes(".test"))
    .flatMap((file) => {
      const found = readFileSync(join(root, file), "utf8").matchAll(declaration);
      return [...found].map(([, name = "", type]) => ({ file, name, isText: type === "string" }));
    })
    .filter(({ name }) => !exempt.has(name)),
);

test("finds the readers", () => {
  const names = new Set(readers.map(({ name }) => name));
  expect(Object.keys(further).filter((name) => !names.has(name))).toEqual([]);
  expect(names.size).toBeGreaterThan(80);
});

test.each(readers)("$name in $file allocates in proportion to its input", async ({ file, name, isText }) => {
  const module = (await import(join(root, file))) as Readonly<Record<string, Reader>>;
  const reader = module[name];
  if (reader === undefined) throw new Error(`${file} does not export ${name}`);
  expect(await faultsOf(reader, name, isText)).toEqual([]);
});
