import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddressList } from "./address-list.ts";
import { contactCountMax } from "../core/limits.ts";

/** `Name <address>` for each contact. */
const read = (value: string): string[] =>
  parseAddressList(value).map(({ name, email }) => `${name} <${email ?? "null"}>`.trim());

describe("parseAddressList", () => {
  it.each([
    ["a bare address", "a@b.c", ["<a@b.c>"]],
    ["an address in brackets", "<a@b.c>", ["<a@b.c>"]],
    ["a name", "Jane Doe <Jane@B.c>", ["Jane Doe <Jane@B.c>"]],
    ["a quoted name with specials", '"Doe, Jane; (x)" <a@b.c>', ["Doe, Jane; (x) <a@b.c>"]],
    ["quoted pairs", String.raw`"Jane \"J\" \\ Doe" <a@b.c>`, [String.raw`Jane "J" \ Doe <a@b.c>`]],
    ["several", "a@b.c, Jane <d@e.f>,g@h.i", ["<a@b.c>", "Jane <d@e.f>", "<g@h.i>"]],
    ["a name in a comment", "a@b.c (Jane (the) Doe)", ["Jane (the) Doe <a@b.c>"]],
    ["a comment and a name", "Jane <a@b.c> (office)", ["Jane <a@b.c>"]],
    ["comments within an address", "a(x)@(y)b.c", ["y <a@b.c>"]],
    ["white space around the at sign", "a @ b . c", ["<a@b.c>"]],
    ["a group", "Team: a@b.c, Jane <d@e.f>; g@h.i", ["<a@b.c>", "Jane <d@e.f>", "<g@h.i>"]],
    ["an empty group", "undisclosed-recipients:;", []],
    ["an unclosed group", "Team: a@b.c", ["<a@b.c>"]],
    ["a route", "<@r.x,@s.x:a@b.c>", ["<a@b.c>"]],
    ["a domain literal", "a@[IPv6:::1], b@[192.0.2.1]", ["<a@[IPv6:::1]>", "<b@[192.0.2.1]>"]],
    ["a quoted local part", '"a b@c"@d.e', ['<"a b@c"@d.e>']],
    ["a quoted local part in brackets", 'Jane <"a > b, c"@d.e>', ['Jane <"a > b, c"@d.e>']],
    ["UTF-8", "Jürgen <jürgen@exämple.com>", ["Jürgen <jürgen@exämple.com>"]],
    ["encoded names", "=?utf-8?Q?J=C3=BCrgen?= =?utf-8?Q?_M=2C?= <a@b.c>", ["Jürgen M, <a@b.c>"]],
    ["encoded names in quotes", '"=?utf-8?Q?J=C3=BCrgen?=" <a@b.c>', ["Jürgen <a@b.c>"]],
    ["white space in a name", "Jane \t  Doe <a@b.c>", ["Jane Doe <a@b.c>"]],
    ["semicolons as separators", "a@b.c; d@e.f", ["<a@b.c>", "<d@e.f>"]],
    ["empty members", " , ,a@b.c,,", ["<a@b.c>"]],
    ["nothing", "", []],
    [
      "comments in brackets (RFC 5322 A.5)",
      "Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>",
      ["Pete <pete@silly.test>"],
    ],
    [
      "comments in a group and after it (RFC 5322 A.5)",
      "A Group(Some people)     :Chris Jones <c@(Chris's host.)public.example>,         joe@example.org,  John <jdoe@one.test> (my dear friend); (the end of the group)",
      ["Chris Jones <c@public.example>", "<joe@example.org>", "John <jdoe@one.test>"],
    ],
    [
      "nested comments in an empty group (RFC 5322 A.5)",
      "(Empty list)(start)Hidden recipients  :(nested(comment)) ;",
      [],
    ],
    [
      "comments and white space (RFC 5322 A.6.3)",
      "John Doe <jdoe@machine(comment).  example>",
      ["John Doe <jdoe@machine.example>"],
    ],
    ["a comment with brackets and quotes in an address", 'Jane <a(x > "y, z)@b.c>', ["Jane <a@b.c>"]],
    ["a comment alone, which is not a contact", "(nobody), a@b.c", ["<a@b.c>"]],
    ["text after a group, which is not a contact", "Team: a@b.c; and friends, Jane", ["<a@b.c>", "Jane <>"]],
    ["an address directly after a group", "Team: a@b.c; Jane <d@e.f>", ["<a@b.c>", "Jane <d@e.f>"]],
  ])("parses %s", (_what, value, expected) => {
    expect(read(value)).toEqual(expected);
  });

  it.each([
    ["a missing closing bracket", "Jane <a@b.c, d@e.f", ["Jane <a@b.c>", "<d@e.f>"]],
    ["brackets in brackets", "Jane <<a@b.c>>", ["Jane <a@b.c>"]],
    ["a missing opening bracket", "a@b.c>", ["<a@b.c>"]],
    ["missing brackets", "Jane Q. Doe a@b.c", ["Jane Q. Doe <a@b.c>"]],
    ["an unclosed quote", '"Jane <a@b.c>, d@e.f', ["Jane <a@b.c>", "<d@e.f>"]],
    ["an unclosed comment", "a@b.c (Jane", ["Jane <a@b.c>"]],
    ["an unclosed parenthesis before an address", "Jane (EMEA <a@b.c>, d@e.f", ["Jane (EMEA <a@b.c>", "<d@e.f>"]],
    ["an unclosed parenthesis in brackets", "Jane <a(@b.c>, d@e.f", ["Jane <a(@b.c>", "<d@e.f>"]],
    ["an address before empty brackets", "a@b.c <>", ["<a@b.c>"]],
    ["an address as its own name", '"a@b.c" <a@b.c>', ["a@b.c <a@b.c>"]],
    ["a name without address", "Jane Doe", ["Jane Doe <>"]],
    ["empty brackets", "<>", []],
    ["a colon after an address", "a@b.c: Jane <d@e.f>", ["a@b.c: Jane <d@e.f>"]],
    ["a bracket that is not a literal", "[x <a@b.c>", ["[x <a@b.c>"]],
    ["a missing comma", "Jane <a@b.c> John Doe <d@e.f>", ["Jane <a@b.c>", "John Doe <d@e.f>"]],
    ["a missing comma before brackets", "Jane <a@b.c><d@e.f>", ["Jane <a@b.c>", "<d@e.f>"]],
    ["a missing comma in a group", "Team: a@b.c, Jane <d@e.f> (x) <g@h.i>;", ["<a@b.c>", "Jane <d@e.f>", "<g@h.i>"]],
    ["missing commas between addresses", "a@b.c d@e.f\t g@h.i", ["<a@b.c>", "<d@e.f>", "<g@h.i>"]],
    ["an address that is repeated", "a@b.c a@b.c, <a@b.c> <a@b.c>", ["<a@b.c>", "<a@b.c>"]],
    ["an address and its link", "Jane <a@b.c<mailto:a@b.c>>", ["Jane <a@b.c>"]],
    ["a name with an at sign", "Jane @ Work a@b.c, d@e.f <a@b.c>", ["Jane@Work <a@b.c>", "d@e.f <a@b.c>"]],
    ["a name after the address", "<a@b.c> Jane <x>", ["Jane <a@b.c>"]],
  ])("tolerates %s", (_what, value, expected) => {
    expect(read(value)).toEqual(expected);
  });

  it("never returns an address from inside an encoded word", () => {
    expect(read("=?utf-8?Q?evil=40example.com?=")).toEqual(["evil@example.com <>"]);
    expect(read("=?utf-8?Q?evil=40x.y=2C?= <a@b.c>")).toEqual(["evil@x.y, <a@b.c>"]);
  });

  it("never uses an @ inside a quoted local part as the separator of the domain", () => {
    expect(read('"user@evil.example x"@inner.example')).toEqual(['<"user@evil.example x"@inner.example>']);
  });

  it(`returns at most ${contactCountMax} contacts`, () => {
    expect(parseAddressList("a@b,".repeat(contactCountMax)).length).toBe(contactCountMax);
    expect(parseAddressList("a@b,".repeat(contactCountMax + 1)).length).toBe(contactCountMax);
    expect(parseAddressList("<a@b><c@d>".repeat(contactCountMax)).length).toBe(contactCountMax);
    const distinct = Array.from({ length: contactCountMax + 1 }, (_, index) => `${index}@b.c`);
    expect(parseAddressList(distinct.join(" ")).length).toBe(contactCountMax);
  });

  it("reads a long name between two addresses", () => {
    const name = '"x" '.repeat(200_000);
    expect(parseAddressList(`<a@b> ${name} <c@d>`).map(({ email }) => email)).toEqual(["a@b", "c@d"]);
  });

  it("never throws and returns email contacts only", () => {
    const character = fc.constantFrom(
      "a",
      "@",
      ".",
      ",",
      ";",
      ":",
      "<",
      ">",
      "(",
      ")",
      "[",
      "]",
      '"',
      "\\",
      " ",
      "=?",
      "?=",
      "é",
    );
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 60 }), (value) => {
        for (const { email, phone, name } of parseAddressList(value)) {
          expect(phone).toBeNull();
          expect(`${email ?? ""}${name}`).not.toBe("");
        }
      }),
      { numRuns: 3000 },
    );
  });
});
