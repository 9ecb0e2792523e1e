/**
 * Prints the SHA-256 of each repertoire's text, from the index files of the Encoding standard, for the
 * table in src/mime/charset-repertoire.test.ts. Argument: the folder with `encodings.json` and `index-*.txt`.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sequencesOf, type RepertoireForm } from "../src/mime/charset-repertoire.test-aid.ts";

type Map16 = (sequence: readonly number[]) => string | undefined;

const [folder = "."] = process.argv.slice(2);
const replacement = "\ufffd";

/** Pointers of Big5 that mean two code points (§12.1.1). */
const twoCodePoints: ReadonlyMap<number, string> = new Map([
  [1133, "\u00ca\u0304"],
  [1135, "\u00ca\u030c"],
  [1164, "\u00ea\u0304"],
  [1166, "\u00ea\u030c"],
]);

function readIndex(name: string): (pointer: number) => string | undefined {
  const text = readFileSync(join(folder, `index-${name}.txt`), "utf8");
  const lines = text.matchAll(/^\s*(\d+)\s+0x([0-9A-F]+)/gm);
  const index = new Map(
    Array.from(lines, ([, pointer, code = ""]) => [Number(pointer), String.fromCodePoint(Number.parseInt(code, 16))]),
  );
  return (pointer) => index.get(pointer);
}

function multiByte(form: RepertoireForm): Map16 {
  if (form === "big5") {
    const big5 = readIndex("big5");
    return ([lead = 0, trail = 0]) => {
      if (trail > 0x7e && trail < 0xa1) return undefined;
      const pointer = (lead - 0x81) * 157 + trail - (trail < 0x7f ? 0x40 : 0x62);
      return twoCodePoints.get(pointer) ?? big5(pointer);
    };
  }
  if (form === "euc-kr") {
    const korean = readIndex("euc-kr");
    return ([lead = 0, trail = 0]) => korean((lead - 0x81) * 190 + trail - 0x41);
  }
  if (form === "gb18030") return gb18030();
  return japanese(form);
}

function japanese(form: RepertoireForm): Map16 {
  const [jis0208, jis0212] = [readIndex("jis0208"), readIndex("jis0212")];
  const eucJp: Map16 = ([first = 0, second = 0, third]) => {
    if (third !== undefined) return jis0212((second - 0xa1) * 94 + third - 0xa1);
    if (first === 0x8e) return second <= 0xdf ? String.fromCodePoint(0xfec0 + second) : undefined;
    return jis0208((first - 0xa1) * 94 + second - 0xa1);
  };
  const iso2022Jp: Map16 = ([, , set, first = 0, second = 0]) => {
    if (set === 0x49) return String.fromCodePoint(0xff40 + first);
    if (set === 0x4a) return { 0x5c: "\u00a5", 0x7e: "\u203e" }[first] ?? String.fromCodePoint(first);
    return jis0208((first - 0x21) * 94 + second - 0x21);
  };
  const shiftJis: Map16 = ([lead = 0, trail]) => {
    if (trail === undefined) return String.fromCodePoint(0xfec0 + lead);
    if (trail === 0x7f) return undefined;
    const pointer = (lead - (lead < 0xa0 ? 0x81 : 0xc1)) * 188 + trail - (trail < 0x7f ? 0x40 : 0x41);
    return pointer >= 8836 && pointer <= 10_715 ? String.fromCodePoint(0xe000 - 8836 + pointer) : jis0208(pointer);
  };
  return { "euc-jp": eucJp, "iso-2022-jp": iso2022Jp, shift_jis: shiftJis }[form as "euc-jp"];
}

function gb18030(): Map16 {
  const index = readIndex("gb18030");
  const text = readFileSync(join(folder, "index-gb18030-ranges.txt"), "utf8");
  const ranges = Array.from(text.matchAll(/^\s*(\d+)\s+0x([0-9A-F]+)/gm), ([, from, code = ""]) => ({
    from: Number(from),
    code: Number.parseInt(code, 16),
  })).toReversed();
  return ([first = 0, second, third = 0, fourth = 0]) => {
    if (second === undefined) return "\u20ac";
    if (third === 0) {
      return second === 0x7f ? undefined : index((first - 0x81) * 190 + second - (second < 0x7f ? 0x40 : 0x41));
    }
    const pointer = ((first - 0x81) * 10 + second - 0x30) * 1260 + (third - 0x81) * 10 + fourth - 0x30;
    if (pointer === 7457) return "\ue7c7";
    const found = ranges.find(({ from }) => from <= pointer);
    return found === undefined ? undefined : String.fromCodePoint(found.code + pointer - found.from);
  };
}

function mapOf(name: string, form: RepertoireForm): Map16 {
  if (name === "x-user-defined") return ([byte = 0]) => String.fromCodePoint(0xf700 + byte);
  if (form !== "single") return multiByte(form);
  const index = readIndex(name.replace(/-i$/, ""));
  return ([byte = 0]) => index(byte - 0x80);
}

const forms: Readonly<Record<string, RepertoireForm>> = { gbk: "gb18030" };
const wide = "big5 euc-kr euc-jp iso-2022-jp shift_jis gb18030".split(" ");

/** Text of one sequence: an unmapped one is U+FFFD, and its last byte if that is ASCII (§12 and §13). */
function textOf(map: Map16, sequence: readonly number[]): string {
  const last = sequence.at(-1) ?? 0;
  const lead = sequence[0] === 0x1b ? replacement : replacement + (last < 0x80 ? String.fromCodePoint(last) : "");
  return map(sequence) ?? lead;
}

const parsed = JSON.parse(readFileSync(join(folder, "encodings.json"), "utf8")) as {
  encodings: { name: string; labels: string[] }[];
}[];
for (const { name, labels } of parsed.flatMap(({ encodings }) => encodings)) {
  const key = name.toLowerCase();
  if (key === "replacement" || key.startsWith("utf-")) continue;
  const form = forms[key] ?? (wide.includes(key) ? (key as RepertoireForm) : "single");
  const map = mapOf(key, form);
  const hash = createHash("sha256");
  for (const sequence of sequencesOf(form)) hash.update(textOf(map, sequence)).update("\n");
  console.log(JSON.stringify([key, form, hash.digest("hex").slice(0, 32), labels.join(" ")]));
}
