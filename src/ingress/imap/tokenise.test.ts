import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CommandPart, ImapSyntaxError, type ImapToken, tokenise } from "./tokenise.ts";

const text = (content: string): CommandPart => ({ kind: "text", text: content });
const literal = (content: string, isStored = false): CommandPart => ({
  kind: "literal",
  bytes: Buffer.from(content),
  isStored,
});
const atom = (content: string): ImapToken => ({ kind: "atom", text: content });
const string = (content: string): ImapToken => ({ kind: "string", text: content });

describe("tokenise", () => {
  test.each<readonly [string, readonly CommandPart[], readonly ImapToken[]]>([
    ["nothing", [], []],
    ["atoms and spaces", [text("a1  NOOP ")], [atom("a1"), atom("NOOP")]],
    [
      "flags and sets",
      [text(String.raw`1:*,4 +FLAGS (\Seen $Junk)`)],
      [atom("1:*,4"), atom("+FLAGS"), { kind: "list", items: [atom(String.raw`\Seen`), atom("$Junk")] }],
    ],
    [
      "quoted strings",
      [text(String.raw`"" "a \"b\\" "(x)"`)],
      [string(""), string(String.raw`a "b\\`.slice(0, -1)), string("(x)")],
    ],
    ["UTF-8", [text(Buffer.from('ü "€"').toString("latin1"))], [atom("ü"), string("€")]],
    [
      "literals",
      [text("LOGIN "), literal("a b"), text(" "), literal("c\r\n")],
      [atom("LOGIN"), string("a b"), string("c\r\n")],
    ],
    [
      "stored literals",
      [text("APPEND INBOX "), literal("x", true)],
      [atom("APPEND"), atom("INBOX"), { kind: "octets", bytes: Buffer.from("x") }],
    ],
    [
      "sections as one atom",
      [text('(BODY.PEEK[HEADER.FIELDS (Date "X]")]<0.9> UID)')],
      [{ kind: "list", items: [atom('BODY.PEEK[HEADER.FIELDS (Date "X]")]<0.9>'), atom("UID")] }],
    ],
    ["brackets in names", [text("[Gmail]/Sent a[b")], [atom("[Gmail]/Sent"), atom("a[b")]],
    [
      "nested lists",
      [text("(a (b ()))")],
      [{ kind: "list", items: [atom("a"), { kind: "list", items: [atom("b"), { kind: "list", items: [] }] }] }],
    ],
  ])("reads %s", (_, parts, tokens) => {
    expect(tokenise(parts)).toEqual(tokens);
  });

  test.each([
    ["an open parenthesis", "(a"],
    ["a closed parenthesis", "a)"],
    ["an open quoted string", '"a'],
    ["a wrong escape", String.raw`"\a"`],
    ["touching tokens", '"a""b"'],
    ["a touching list", "a(b)"],
    ["a control character", "a\u0000"],
    ["a brace", "a {x"],
    ["too many lists in lists", `${"(".repeat(21)}${")".repeat(21)}`],
    ["too many tokens", "a ".repeat(10_001)],
  ])("rejects %s", (_, line) => {
    expect(() => tokenise([text(line)])).toThrow(ImapSyntaxError);
  });

  test("reads or rejects any bytes", () => {
    const parts = fc.array(
      fc.oneof(
        fc.stringMatching(/^[aZ1 ()[\]"\\{}*:,.<>\t\u00ff]*$/).map(text),
        fc.string().map((content) => literal(content)),
      ),
    );
    fc.assert(
      fc.property(parts, (some) => {
        try {
          expect(Array.isArray(tokenise(some))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ImapSyntaxError);
        }
      }),
    );
  });
});
