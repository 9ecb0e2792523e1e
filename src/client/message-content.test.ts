import { describe, expect, test } from "vitest";
import { attachmentOf, codeOf, codesOf, linkOf } from "./message-content.ts";
import { ContentError } from "./errors.ts";
import type { Attachment } from "./generated/types.ts";

type Message = Parameters<typeof codeOf>[0];

function message(parts: {
  codes?: string[];
  textCodes?: string[];
  links?: [text: string | null, href: string][];
}): Message {
  const { codes = [], textCodes = [], links = [] } = parts;
  return {
    subject: "Welcome",
    html: {
      links: links.map(([text, href]) => ({ text, href })),
      codes: codes.map((value) => ({ value })),
      images: [],
      body: null,
    },
    text: { links: [], codes: textCodes.map((value) => ({ value })), body: "Hello  there,\nAda" },
  };
}

describe("codes", () => {
  const both = message({ codes: ["804219", "AB-12"], textCodes: ["804219", "55"] });

  test("are those of the HTML, then of the text, each once", () => {
    expect(codesOf(both)).toEqual(["804219", "AB-12", "55"]);
    expect(codeOf(both)).toBe("804219");
  });

  test("can be chosen by length and pattern", () => {
    expect(codeOf(both, { length: 2 })).toBe("55");
    expect(codeOf(both, { pattern: /^[A-Z]/ })).toBe("AB-12");
  });

  test("throws an error for absent codes that shows what there is instead", () => {
    expect(() => codeOf(message({}))).toThrow(
      new ContentError('The message "Welcome" has no one-time code. It begins: "Hello there, Ada"'),
    );
    expect(() => codeOf(both, { length: 4 })).toThrow(
      'The message "Welcome" has no one-time code of 4 characters. Its codes: 804219, AB-12, 55.',
    );
  });
});

describe("links", () => {
  const many = message({
    links: [
      ["Confirm your address", "https://app.example/confirm?t=1"],
      ["Confirm", "https://app.example/short"],
      [null, "https://app.example/unsubscribe"],
    ],
  });

  test("are found by whole text, then by a part, then by the URL", () => {
    expect(linkOf(many, " confirm ")).toBe("https://app.example/short");
    expect(linkOf(many, "your address")).toBe("https://app.example/confirm?t=1");
    expect(linkOf(many, "unsubscribe")).toBe("https://app.example/unsubscribe");
    expect(linkOf(many, /t=\d/)).toBe("https://app.example/confirm?t=1");
  });

  test("need no name when they have one target", () => {
    expect(
      linkOf(
        message({
          links: [
            ["A", "https://one.example/"],
            ["B", "https://one.example/"],
          ],
        }),
      ),
    ).toBe("https://one.example/");
  });

  test("throws an error for ambiguous or absent links that lists the links", () => {
    expect(() => linkOf(many)).toThrow(
      'The message "Welcome" has 3 different links. Its links:\n- "Confirm your address"',
    );
    expect(() => linkOf(many, "Delete")).toThrow('has no link "Delete". Its links:');
    expect(() => linkOf(message({}), "Confirm")).toThrow('has no links. It begins: "Hello there, Ada"');
  });
});

test("attachments are found by name, and without a name when there is only one", () => {
  const attachment = (fileName: string): Attachment => ({
    id: fileName,
    fileName,
    contentType: "",
    contentId: null,
    length: 0,
    url: "",
  });
  const one = { subject: "S", attachments: [attachment("a.pdf")] };
  const two = { subject: "S", attachments: [attachment("a.pdf"), attachment("b.png")] };
  expect(attachmentOf(one).id).toBe("a.pdf");
  expect(attachmentOf(two, /\.png$/).id).toBe("b.png");
  expect(() => attachmentOf(two)).toThrow('has not a single attachment. Its attachments: "a.pdf", "b.png".');
  expect(() => attachmentOf({ subject: "S", attachments: [] }, "x")).toThrow("Its attachments: none.");
});
