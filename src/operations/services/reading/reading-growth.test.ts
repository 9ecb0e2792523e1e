import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { flattenHtml } from "../../../analysis/flatten-html.ts";
import { defaultLimits } from "../../../core/limits.ts";
import { readEmailWhole } from "./read-email.ts";

/** Limits that are never reached, so that the test measures the algorithms. */
const unlimited = {
  ...defaultLimits,
  headerBytesMax: 1e9,
  headerCountMax: 1e9,
  partCountMax: 1e9,
  partDepthMax: 1e9,
  structuredFieldBytesMax: 1e9,
};

const plain = "Content-Type: text/plain; charset=utf-8\r\n\r\n";
const html = "Content-Type: text/html; charset=utf-8\r\n\r\n";
const beginnings = ["", "From: ", "Subject: ", "Content-Type: text/plain; ", plain, html].concat(
  [`${html}<style>`, `${html}<pre>`, "Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n"],
  ["Content-Type: text/plain; charset=hz-gb-2312\r\n\r\n", "Content-Transfer-Encoding: x-uuencode\r\n\r\n"],
  ["Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n", "Content-Transfer-Encoding: quoted-printable\r\n\r\n"],
);

/** Chunks of header fields and bodies; `␣` is a blank. */
const fragments = [
  ..."\" \\ ( ) < > [ ] , ; : @ . ␣ = % * ' / - + & $ =?utf-8?Q? ?= a 1 0 é \u00a0 \u200c a@b ABCD 482910".split(" "),
  ...'<a␣href=" <a␣href=x> </a> <p␣hidden> </p> <td> </td> <table> </table> <div> </div> <!-- -->'.split(" "),
  ...'<script> </script> <pre> </pre> <img␣src= ␣style="font-size:0" &amp &#1 http:// www. PIN:␣ order␣'.split(" "),
  ..."your␣code␣is␣ ~{ ~} begin␣644␣x\n M --b --b-- X:␣y\r\n \n \r\n \t".split(" "),
].map((fragment) => fragment.replaceAll("␣", " "));

const flood = fc.record({
  beginning: fc.constantFrom(...beginnings),
  unit: fc.array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")),
  end: fc.constantFrom("", ...fragments),
});
type Flood = typeof flood extends fc.Arbitrary<infer Value> ? Value : never;

/** Milliseconds that always pass, so that most floods are measured once. */
const negligibleMs = 40;

function cost(bytes: number, { beginning, unit, end }: Flood): number {
  const raw = Buffer.from(beginning + unit.repeat(Math.ceil(bytes / unit.length)) + end);
  const before = process.threadCpuUsage();
  readEmailWhole(raw, unlimited);
  flattenHtml(raw.toString(), 100);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Returns whether sixteen times the bytes cost more than eighty times the time. */
function isExcessive(tried: Flood): boolean {
  const ofLong = cost(131_072, tried);
  return ofLong > negligibleMs && ofLong > 80 * cost(8192, tried) + negligibleMs;
}

describe("parsing a mail and analysing its bodies", () => {
  it("takes time linear in the size for any repeated content", () => {
    fc.assert(
      fc.property(flood, (tried) => {
        expect([1, 2, 3].every(() => isExcessive(tried))).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
