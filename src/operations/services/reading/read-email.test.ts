import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { analysedLengthMax, defaultLimits } from "../../../core/limits.ts";
import { readBodyTexts } from "./email-bodies.ts";
import { readEmailWhole } from "./read-email.ts";

const read = (text: string): ReturnType<typeof readEmailWhole> =>
  readEmailWhole(Buffer.from(text, "latin1"), defaultLimits);
const link = "https://a.example/";

describe("a body longer than the limit of the analysis", () => {
  it.each([
    ["text/plain", link, `${link}last`],
    ["text/html", `<a href=${link}>x</a>`, `<a href=${link}last>y</a>`],
  ])("is kept whole, and its end is neither listed nor searched (%s)", (type, first, last) => {
    const text = `Content-Type: ${type}\r\n\r\n${first} ${"x ".repeat(analysedLengthMax / 2)}${last}`;
    const content = read(text);
    const body = type === "text/html" ? content.bodies?.html : content.bodies?.text;
    const texts = readBodyTexts(Buffer.from(text, "latin1"), content);
    expect(content.defects).toContain("analysis_truncated");
    expect((texts.html ?? texts.text)?.endsWith(last)).toBe(true);
    expect(body?.body).toBeNull();
    expect(body?.links.map(({ href }) => href)).toEqual([link]);
    expect(content.searchBody.join()).toContain(link);
    expect(content.searchBody.join()).not.toContain("last");
  });

  it("begins behind the bound", () => {
    const start = "Content-Type: text/plain\r\n\r\n";
    expect(read(start + "x".repeat(analysedLengthMax)).defects).not.toContain("analysis_truncated");
    expect(read(`${start}${"x".repeat(analysedLengthMax)}y`).defects).toContain("analysis_truncated");
  });
});

/**
 * Parses mails of 8 MB that repeat a unit, in one process with a heap of eight times their size; returns their names and
 * defects. A failure names the mail that is parsed.
 */
async function readInSmallHeap(
  mails: readonly (readonly [name: string, start: string, unit: string])[],
): Promise<readonly string[]> {
  const program = `
    const { readEmailWhole } = await import(${JSON.stringify(new URL("./read-email.ts", import.meta.url).href)});
    const { defaultLimits } = await import(${JSON.stringify(new URL("../../../core/limits.ts", import.meta.url).href)});
    for (const [name, start, unit] of ${JSON.stringify(mails)}) {
      const raw = Buffer.alloc(8 * 1024 * 1024).fill(Buffer.from(unit, "latin1"));
      raw.write(start, "latin1");
      process.stderr.write(name + "\\n");
      process.stdout.write(name + ": " + readEmailWhole(raw, defaultLimits).defects.join(" ") + "\\n");
    }`;
  const options = ["--no-warnings", "--max-old-space-size=64", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  return stdout.trimEnd().split("\n");
}

it("has a heap that is small compared to a mail of 8 MB of repeated text", async () => {
  const text = (charset: string): string => `Content-Type: text/plain; charset=${charset}\r\n\r\n`;
  const mails = [
    ["character references", "Content-Type: text/html\r\n\r\n", "&amp"],
    ["character references of an attribute", 'Content-Type: text/html\r\n\r\n<a href="', "&amp"],
    ["shifts of HZ", text("hz-gb-2312"), "~{Dc~}"],
    ["shifts of UTF-7", text("utf-7"), "+AOk-"],
    ["shifts of ISO-2022-JP", text("iso-2022-jp"), "\u001b(B"],
    ["lines like a boundary", "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n", "--bx\r\n"],
    ["line ends", "\r\n", "\r\n"],
    ["bare CRs", "\r\nx\n", "\r"],
    ["flowed lines", "Content-Type: text/plain; format=flowed\r\n\r\n", ">\n"],
    ["uuencoded lines", "Content-Transfer-Encoding: x-uuencode\r\n\r\n", "M\n"],
  ] as const;
  const read = await readInSmallHeap(mails);
  expect(read).toEqual(mails.map(([name]) => expect.stringMatching(`^${name}: .*missing_from`) as unknown));
});
