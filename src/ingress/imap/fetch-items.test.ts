import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FetchItem, readFetchItems } from "./fetch-items.ts";
import { ImapSyntaxError, tokenise } from "./tokenise.ts";

const read = (text: string): readonly FetchItem[] => readFetchItems(tokenise([{ kind: "text", text }])[0]);

describe("readFetchItems", () => {
  test.each([
    ["BODY[]", "BODY[]", { part: [], text: null }],
    ["body.peek[1.2.mime]", "BODY[1.2.MIME]", { part: [1, 2], text: "MIME" }],
    ["BODY[TEXT]", "BODY[TEXT]", { part: [], text: "TEXT" }],
    ["BODY[2]", "BODY[2]", { part: [2], text: null }],
    ["BODY[2.HEADER]", "BODY[2.HEADER]", { part: [2], text: "HEADER" }],
    ['BODY.PEEK[HEADER.FIELDS (Date "To")]', "BODY[HEADER.FIELDS (DATE TO)]", { part: [], text: "HEADER" }],
    ["BODY[1.HEADER.FIELDS.NOT (A)]", "BODY[1.HEADER.FIELDS.NOT (A)]", { part: [1], text: "HEADER" }],
    ["RFC822", "RFC822", { part: [], text: null }],
  ])("reads %s", (text, label, section) => {
    const setsSeen = !/peek/i.test(text);
    expect(read(text)).toMatchObject([{ kind: "section", label, section, setsSeen, partial: null }]);
  });

  test("reads the offset and the number of bytes of a partial fetch", () => {
    expect(read("BODY[1]<10.20>")).toMatchObject([{ label: "BODY[1]", partial: { offset: 10, count: 20 } }]);
  });

  test("reads parts that are decoded", () => {
    expect(read("(BINARY[1.2]<3.4> BINARY.PEEK[] BINARY.SIZE[2])")).toEqual([
      { kind: "binary", label: "BINARY[1.2]", part: [1, 2], partial: { offset: 3, count: 4 }, setsSeen: true },
      { kind: "binary", label: "BINARY[]", part: [], partial: null, setsSeen: false },
      { kind: "binarysize", label: "BINARY.SIZE[2]", part: [2], partial: null, setsSeen: false },
    ]);
  });

  test("reads macros and lists", () => {
    const kinds = (text: string): readonly string[] => read(text).map(({ kind }) => kind);
    expect(kinds("ALL")).toEqual(["flags", "internaldate", "size", "envelope"]);
    expect(kinds("(uid BODY BODYSTRUCTURE RFC822.SIZE)")).toEqual(["uid", "body", "bodystructure", "size"]);
  });

  test.each([
    "BODY[",
    "BODY[0]",
    "BODY[1.]",
    "BODY[1..2]",
    "BODY[.1]",
    "BODY[MIME]",
    "BODY[HEADER.FIELDS]",
    "BODY[HEADER.FIELDS ()]",
    "BODY[1TEXT]",
    "BODY[]<1>",
    "BODY[]<0.0>",
    "BODY[]<1.2",
    "BODYX",
    "BINARY[TEXT]",
    "BINARY.SIZE[1]<0.1>",
    "()",
    '"UID"',
    "(ALL)",
  ])("rejects %s", (text) => {
    expect(() => read(text)).toThrow(ImapSyntaxError);
  });

  test("reads or rejects any text, and writes it so that it is read again", () => {
    const text = fc.stringMatching(
      /^BODY(\.PEEK)?\[[0-9.]*(HEADER(\.FIELDS(\.NOT)? \([A-Z ]*\))?|TEXT|MIME)?\](<[0-9]\.[0-9]>)?$/,
    );
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (some) => {
        let items: readonly FetchItem[] = [];
        try {
          items = read(some);
        } catch (error) {
          expect(error).toBeInstanceOf(ImapSyntaxError);
        }
        for (const item of items) {
          if (item.kind === "section")
            expect(read(item.label)).toMatchObject([{ section: item.section, fields: item.fields }]);
        }
      }),
    );
  });
});
