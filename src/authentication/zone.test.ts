import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expectLinearCpu } from "../testing/cpu-growth.test-aid.ts";
import { parseZone, ZoneError } from "./zone.ts";

const refusal = (text: string): string => {
  try {
    parseZone(text);
    return "";
  } catch (error) {
    expect(error).toBeInstanceOf(ZoneError);
    return (error as Error).message;
  }
};

describe("a zone file", () => {
  const zone = parseZone(`
$ORIGIN example.com.
$TTL 1h
@        3600 IN SOA ns hostmaster ( 2026 7200 ; serial, refresh
                    3600 1209600 300 )
@        IN  A     192.0.2.1
         300 A     192.0.2.2 ; the same owner
         AAAA      2001:db8::1
@        MX        10 mail
@        MX        20 backup.example.net.
         TXT       "v=spf1 a " "-all"
mail     CNAME     www
www      A         192.0.2.9
*.pages  A         192.0.2.10
b.c.pages TXT      "own"
sel._domainkey TXT ( "v=DKIM1; k=rsa; "
                     "p=MIIB" ) ; key
esc      TXT       "a \\"quoted\\" \\\\ \\065 word"
loop     CNAME     loop
1.2.0.192.in-addr.arpa. PTR mail
`);

  test.each([
    ["example.com", "A", ["192.0.2.1", "192.0.2.2"]],
    ["EXAMPLE.com.", "AAAA", ["2001:db8::1"]],
    ["example.com", "MX", ["10 mail.example.com", "20 backup.example.net"]],
    ["example.com", "TXT", ["v=spf1 a -all"]],
    ["mail.example.com", "A", ["192.0.2.9"]],
    ["mail.example.com", "CNAME", ["www.example.com"]],
    ["x.pages.example.com", "A", ["192.0.2.10"]],
    ["x.y.pages.example.com", "A", ["192.0.2.10"]],
    ["b.c.pages.example.com", "A", []],
    ["c.pages.example.com", "A", []],
    ["a.c.pages.example.com", "A", []],
    ["sel._domainkey.example.com", "TXT", ["v=DKIM1; k=rsa; p=MIIB"]],
    ["esc.example.com", "TXT", ['a "quoted" \\ A word']],
    ["1.2.0.192.in-addr.arpa", "PTR", ["mail.example.com"]],
    ["loop.example.com", "A", []],
    ["absent.example.com", "A", []],
    ["pages.example.com", "A", []],
    ["example.org", "A", []],
  ] as const)("answers %s %s", (name, type, records) => {
    expect(zone.find(name, type)).toEqual(records);
  });

  test("treats names as absolute when it has no origin", () => {
    expect(parseZone("example.com TXT v=spf1").find("example.com", "TXT")).toEqual(["v=spf1"]);
    expect(parseZone("").recordCount).toBe(0);
  });

  test.each([
    ["a A 1.2.3", "Line 1: A takes an IPv4 address"],
    ["; fine\na AAAA 1.2.3.4", "Line 2: AAAA takes an IPv6 address"],
    ["a MX mail", "Line 1: MX takes a number and a name"],
    ["a MX x mail", "Line 1: MX takes a number and a name"],
    ["a TXT", "Line 1: TXT needs a value"],
    ["a", "Line 1: a record type is missing"],
    ["a NAPTR x", "Line 1: the type NAPTR is not supported"],
    ["$INCLUDE /etc/passwd", "Line 1: $INCLUDE is not supported"],
    ["a..b A 1.2.3.4", "Line 1: a name is invalid"],
    [`${"a".repeat(64)} A 1.2.3.4`, "Line 1: a name is invalid"],
    ["a CNAME b c", "Line 1: a record has too many values"],
  ])("%j is rejected", (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  test("has at most 10,000 records", () => {
    const line = "a A 192.0.2.1\n";
    expect(parseZone(line.repeat(10_000)).recordCount).toBe(10_000);
    expect(refusal(line.repeat(10_001))).toContain("at most 10000 records");
  });

  test("is parsed or rejected with a ZoneError for any text", () => {
    const words = fc.constantFrom(
      "@",
      "a",
      "IN",
      "TXT",
      "A",
      "MX",
      "CNAME",
      "(",
      ")",
      '"',
      ";",
      "\\",
      "\n",
      " ",
      "192.0.2.1",
      "$ORIGIN",
      "10",
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(words, { maxLength: 60 }).map((parts) => parts.join(" ")),
    );
    fc.assert(fc.property(texts, (text) => void refusal(text)));
  });

  test.each(["(", '"', "\\", '"\\', " ", "a ", ";"])("is parsed in time linear in its length: %j", (unit) => {
    expectLinearCpu((size) => void refusal(unit.repeat(size)), 20_000);
  });
});
