import { describe, expect, it } from "vitest";
import { defaultLimits, structuredFieldBytesMax } from "../core/limits.ts";
import { parseMail } from "./parse-mail.ts";

/** Limits that never apply, so that the algorithms are measured and not their limits. */
const unlimited = {
  headerBytesMax: 1e9,
  headerCountMax: 1e9,
  partCountMax: 1e9,
  partDepthMax: 1e9,
  structuredFieldBytesMax: 1e9,
};

/** Delimiters of structured fields, repeated alone and in pairs; `␣` is a blank. */
const floods = [
  ...split(
    '" \\ \\" ( ) < > [ ] , ; : @ . ␣ = % * \' / - + 1 a é () (\\ <> "( (" "< <" <( (< <\\" \\"( "" ""␣ .␣ ␣. ␣@␣',
  ),
  ...split("=? ?= =?utf-8?Q? =?utf-8?B? =?utf-8?q?a?=␣ =?iso-2022-jp?b?GyRC?=␣ =?a?q?b?= =?=? =?x?"),
  ...split(
    'a@b, a@b␣ a@b: <a@b> <a@b>␣ a␣<b@c>, a(b)@c, a:b; a:; :; "": g:(a); @a,@b: a␣␣b <a <a.b@c.d>\r\n␣ \r\n␣ \r',
  ),
  ...split("Mon,␣ 1␣Jan␣2020␣ 12: :00 +0000␣ GMT␣"),
  ...split("a=b; a=\" a=\"b\"; a=( a*= *0*= a*0=x; a*0*=x''%41; a*1*=%41; a*=x''%; a*='' %4"),
];

function split(units: string): readonly string[] {
  return units.split(" ").map((unit) => unit.replaceAll("␣", " "));
}

/** Fields that are parsed, with prefixes that bring the repeated text to each place of their grammar. */
const fields: readonly (readonly [name: string, beginnings: readonly string[]])[] = [
  ["From", ["", '"', "(", "<", "g: ", "a@b "]],
  ["To", ["", "a <b@c> "]],
  ["Cc", [""]],
  ["Bcc", [""]],
  ["Reply-To", [""]],
  ["Sender", [""]],
  ["Subject", [""]],
  ["Date", ["", "Mon, 1 Jan 2020 10:00:00 +0000 "]],
  ["Message-ID", ["", "<"]],
  ["In-Reply-To", ["", "<"]],
  ["References", ["", "<"]],
  ["Received", ["", "from a by b; "]],
  ["Content-Type", ["", "text/plain; ", 'text/plain; name="', "text/plain; name*0*=utf-8''"]],
  ["Content-Disposition", ["", "attachment; ", 'attachment; filename="', "attachment; filename*=utf-8''"]],
  ["Content-Transfer-Encoding", [""]],
  ["Content-ID", ["", "<"]],
];

function mailOf(start: string, unit: string, bytes: number): Buffer {
  return Buffer.from(`${start}${unit.repeat(Math.ceil(bytes / unit.length))}\r\n\r\nx`, "latin1");
}

function cost(raw: Buffer, count: number): number {
  const before = process.threadCpuUsage();
  for (let round = 0; round < count; round += 1) parseMail(raw, unlimited);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** Milliseconds below which a measurement is accepted, so that most cases are measured once. */
const negligibleMs = 4;

/** Returns whether one mail costs more than five times as much as the same number of bytes in eight mails. */
function isExcessive(short: Buffer, long: Buffer): boolean {
  const ofLong = cost(long, 1);
  return ofLong > negligibleMs && ofLong > 5 * cost(short, 8) + negligibleMs;
}

/**
 * Returns the texts whose cost grows faster than their length; a busy machine can make one comparison wrong, but hardly
 * six.
 */
function superlinear(start: string, units: readonly string[]): readonly string[] {
  return units.filter((unit) => {
    const [short, long] = [mailOf(start, unit, 2048), mailOf(start, unit, 16_384)];
    for (let attempt = 0; attempt < 6; attempt += 1) if (!isExcessive(short, long)) return false;
    return true;
  });
}

describe("parsing a structured field takes time linear in its length", () => {
  it.each(fields)("%s", (field, beginnings) => {
    for (const beginning of beginnings) expect(superlinear(`${field}: ${beginning}`, floods)).toEqual([]);
  });

  const single = ['"', "\\", "(", ")", "<", ">", "[", ",", ";", ":", "@", " ", "=", "%", "*", "a"];
  const pairs = single.flatMap((first) => single.map((second) => first + second));
  it.each(["From", "Content-Type"])("%s, floods of two delimiters", (field) => {
    expect(superlinear(`${field}: `, pairs)).toEqual([]);
  });

  it.each(["=?x%?Q?a?= ", "=?utf-8-%?Q?a?= "])("encoded words that each have another charset: %s", (word) => {
    const mail = (count: number): Buffer =>
      Buffer.from(`Subject: ${Array.from({ length: count }, (_, index) => word.replace("%", String(index))).join("")}`);
    const known = Buffer.from(`Subject: ${"=?utf-8?Q?a?= =?iso-8859-1?Q?a?= ".repeat(5000)}`);
    const unknown = mail(10_000);
    const surplus = (): number => cost(unknown, 1) - (10 * cost(known, 1) + 50);
    expect([1, 2, 3].some(() => surplus() <= 0)).toBe(true);
  });
});

describe("the parsed bytes of a structured field", () => {
  const addresses = (count: number): string =>
    Array.from({ length: count }, (_, index) => `a${index}@b.example`).join();

  it(`are at most ${structuredFieldBytesMax}, and more are a defect`, () => {
    const padding = " ".repeat(structuredFieldBytesMax - "a@b.example,".length - 1);
    const within = parseMail(Buffer.from(`To: a@b.example,${padding}\r\n\r\nx`), defaultLimits);
    expect(within.defects).not.toContain("structured_field_too_long");
    const beyond = parseMail(Buffer.from(`To: a@b.example,${padding} c@d.example\r\n\r\nx`), defaultLimits);
    expect(beyond.defects).toContain("structured_field_too_long");
    expect(beyond.to.map(({ email }) => email)).toEqual(["a@b.example"]);
    expect(beyond.headers[0]?.value).toContain("c@d.example");
  });

  it("suffice for 10,000 addresses of usual length", () => {
    const mail = parseMail(Buffer.from(`To: ${addresses(10_000)}\r\n\r\nx`), defaultLimits);
    expect(mail.to.length).toBe(10_000);
    expect(mail.defects).not.toContain("structured_field_too_long");
  });

  it.each(["Content-Type: text/plain; charset=utf-8;", "Content-Disposition: inline;", "References: <a@b>"])(
    "are bounded in %s too",
    (field) => {
      const raw = Buffer.from(`${field}${" x".repeat(structuredFieldBytesMax)}\r\n\r\nx`);
      expect(parseMail(raw, defaultLimits).defects).toContain("structured_field_too_long");
    },
  );
});
