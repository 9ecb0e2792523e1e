import { expectLinearCpu } from "../../testing/cpu-growth.test-aid.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDeliverable, readPath } from "./path.ts";

describe("readPath", () => {
  test.each([
    ["FROM:<a@b.example>", "a@b.example", ""],
    ["from : \t<a@b.example> SIZE=1", "a@b.example", " SIZE=1"],
    ["FROM:<>", "", ""],
    ["FROM:<a>", "a", ""],
    ["FROM:<a@>", "a@", ""],
    ["FROM:a@b.example BODY=7BIT", "a@b.example", " BODY=7BIT"],
    ["FROM:<@one.example:a@b.example>", "a@b.example", ""],
    ["FROM:<@one.example,@two.example:a@b.example>", "a@b.example", ""],
    ['FROM:<@one.example:"x:y"@b.example>', '"x:y"@b.example', ""],
    ['FROM:<"a b"@c.example>', '"a b"@c.example', ""],
    ['FROM:<"">', '""', ""],
    ['FROM:<"a\\"b"@c.example>', '"a\\"b"@c.example', ""],
    ['FROM:"a b"@c.example X', '"a b"@c.example', " X"],
    ["FROM:<a@[127.0.0.1]>", "a@[127.0.0.1]", ""],
    ["FROM:<a@[IPv6:::1]>", "a@[IPv6:::1]", ""],
    ["FROM:<a.+=!#$%&'*/?^_`{|}~-@b_c.example>", "a.+=!#$%&'*/?^_`{|}~-@b_c.example", ""],
    ["FROM:<.a..b.@c.example>", ".a..b.@c.example", ""],
    ["FROM:<ünï@cödé.example>", "ünï@cödé.example", ""],
  ])("parses %j", (argument, address, parameters) => {
    expect(readPath("FROM", argument)).toEqual({ address, parameters });
  });

  test.each(["", "FROM", "FROM:", "FROM: ", "TO:<a@b.example>", "X FROM:<a@b.example>"])(
    "returns no_path for %j",
    (argument) => {
      expect(readPath("FROM", argument)).toBe("no_path");
    },
  );

  test.each([
    "<a@b.example",
    "a@b.example>",
    "<<a@b.example>>",
    "<a@b.example>x",
    "<a@b@c.example>",
    "<a b@c.example>",
    "< a@b.example>",
    "<@b.example>",
    "<@>",
    "<@a:@b>",
    '<"a@b.example>',
    '<a"b"@c.example>',
    '<"a"b@c.example>',
    "<a\\@b@c.example>",
    "<a,b@c.example>",
    "<a(x)@c.example>",
    "<a@[1@2]>",
    "<a@[127.0.0.1>",
    "<a@b.example;c>",
    '<"a\u0085b"@c.example>',
    '<"a\nb"@c.example>',
    '<"a\0b"@c.example>',
    "<a\u2028b@c.example>",
    "<a\uFFFDb@c.example>",
  ])("rejects %j as bad_address", (text) => {
    expect(readPath("TO", `TO:${text}`)).toBe("bad_address");
  });

  test("returns every plain mailbox unchanged, with or without brackets", () => {
    const atom = fc.stringMatching(/^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,20}$/);
    fc.assert(
      fc.property(atom, atom, fc.boolean(), (localPart, domain, isBracketed) => {
        const address = `${localPart}@${domain}`;
        const text = isBracketed ? `<${address}>` : address;
        expect(readPath("TO", `TO:${text} X=1`)).toEqual({ address, parameters: " X=1" });
      }),
    );
  });

  test("never returns a control character or a line end, for any text", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0x20ff }), { maxLength: 60 }), (codePoints) => {
        const path = readPath("FROM", `FROM:${String.fromCodePoint(...codePoints)}`);
        if (typeof path === "object") expect(path.address).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });

  test.each(['"', "\\", '"\\', "<", "@", "@:", '"" ', 'a"', "[", "a@"])(
    "takes time linear in the length of repeated %j",
    (unit) => {
      expectLinearCpu((size) => {
        const text = unit.repeat(size / unit.length);
        readPath("FROM", `FROM:<${text}`);
        readPath("FROM", `FROM:${text}`);
      }, 120_000);
    },
  );
});

test("isDeliverable is false for the null path and for an empty domain only", () => {
  expect(["", "a@", "a", "a@b"].map(isDeliverable)).toEqual([false, false, true, true]);
});
