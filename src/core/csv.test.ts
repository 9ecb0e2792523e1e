import fc from "fast-check";
import { expect, test } from "vitest";
import { codePoint } from "../testing/code-point.test-aid.ts";
import { encodeCsv } from "./csv.ts";

/** Reads CSV as RFC 4180 has it. */
function readCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

test("writes a header and rows that are read back", () => {
  expect(encodeCsv(["a", "b"], [])).toBe("a,b\r\n");
  const rows = [["x", 1.5, null, true] as const, ['say "hi", you', "two\r\nlines", " padded ", ""] as const];
  expect(encodeCsv(["a", "b", "c", "d"], rows)).toBe(
    'a,b,c,d\r\nx,1.5,,true\r\n"say ""hi"", you","two\r\nlines"," padded ",\r\n',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: codePoint }), fc.nat())), (cells) => {
      const read = readCsv(encodeCsv(["text", "count"], cells)).slice(1);
      const expected = cells.map(([text, count]) => [text, String(count)]);
      expect(read.map(([text = "", count]) => [text.replace(/^'/, ""), count])).toEqual(
        expected.map(([text = "", count]) => [text.replace(/^'/, ""), count]),
      );
    }),
  );
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r=1", "\u0000=1", "＝1", "|cmd", "%1", "\u200B=1"])(
  "keeps a spreadsheet from evaluating %j",
  (text) => {
    const [, [cell = ""] = []] = readCsv(encodeCsv(["name"], [[text]]));
    expect(cell).toBe(`'${text}`);
  },
);

test("leaves numbers and other texts as they are", () => {
  expect(encodeCsv(["n"], [[-1], ["a=b"], ["1-2"], ["é"]])).toBe("n\r\n-1\r\na=b\r\n1-2\r\né\r\n");
});
