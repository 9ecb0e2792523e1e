import { describe, expect, it } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { decodeText, joinTexts, unflow } from "./body-content.ts";
import { parseMail, type Mail } from "./parse-mail.ts";

const parse = (text: string): Mail => parseMail(Buffer.from(text.replaceAll("\n", "\r\n")), defaultLimits);
const values = (mail: Mail, field: string): string[] =>
  mail.headers.filter((header) => header.field === field).map(({ value }) => value);

describe("header fields", () => {
  it("are complete and in order, with repeated ones and names as written", () => {
    const mail = parse("Received: one\nX-a: 1\nreceived: two\nReceived:\n\n");
    expect(mail.headers).toEqual([
      { field: "Received", value: "one" },
      { field: "X-a", value: "1" },
      { field: "received", value: "two" },
      { field: "Received", value: "" },
    ]);
  });

  it("include the decoded display name and address of From", () => {
    expect(values(parse("From: Ada Lovelace <ada@example.com>\n\n"), "From")).toEqual([
      "Ada Lovelace <ada@example.com>",
    ]);
    expect(values(parse("From: =?utf-8?Q?J=C3=BCrgen_M=C3=BCller?=\n <j@example.com>\n\n"), "From")).toEqual([
      "Jürgen Müller <j@example.com>",
    ]);
    expect(values(parse('From: "Lovelace, Ada" <ada@example.com>\n\n'), "From")).toEqual([
      '"Lovelace, Ada" <ada@example.com>',
    ]);
  });

  it("are unfolded: the line end is removed, a tab at the fold becomes a space, other white space is kept", () => {
    expect(values(parse("X: a\n b\n\tc\n   d  e\n\n"), "X")).toEqual(["a b c   d  e"]);
  });

  it("keep colons and question marks in values", () => {
    expect(values(parse("X: a: b =? c\n\n"), "X")).toEqual(["a: b =? c"]);
  });

  it("contain the message ids of threads", () => {
    const mail = parse("Message-ID: <1@x>\nIn-Reply-To: <0@x>\nReferences: <-1@x>\n <0@x> junk <a b>\n\n");
    expect([mail.messageId, mail.inReplyTo, mail.references]).toEqual(["<1@x>", ["<0@x>"], ["<-1@x>", "<0@x>"]]);
    const encoded = parse("References: <1@x>\n =?utf-8?q?=3C2=40x=2E?=\n =?utf-8?q?test=3E?=\n\n");
    expect(encoded.references).toEqual(["<1@x>", "<2@x.test>"]);
    const none = parse("Message-ID:\n\n");
    expect([none.messageId, none.inReplyTo, none.references]).toEqual([null, [], []]);
  });

  it("contain dates and addresses of every kind", () => {
    const mail = parse(
      "Date: Fri, 20 Nov 2026 10:42:07 +0000\nFrom: a@x, b@x\nTo: c@x\nTo: d@x\nCc: e@x\nBcc: f@x\nReply-To: R <r@x>\n\n",
    );
    expect(mail.headerDate).toBe(Date.UTC(2026, 10, 20, 10, 42, 7));
    expect(
      [mail.from, mail.to, mail.cc, mail.bcc, mail.replyTo].map((contacts) => contacts.map(({ email }) => email)),
    ).toEqual([["a@x", "b@x"], ["c@x", "d@x"], ["e@x"], ["f@x"], ["r@x"]]);
    expect(mail.replyTo).toEqual([{ name: "R", email: "r@x", phone: null }]);
  });

  it("cause a defect when they are missing or repeated", () => {
    expect(parse("\n").defects).toEqual(["missing_from", "missing_date"]);
    expect(parse("From: a@x\nFrom: b@x\nDate: Fri, 20 Nov 2026 10:42:07 +0000\n\n").defects).toEqual([
      "repeated_header_field",
    ]);
    expect(parse("From: a@x\nReceived: 1\nReceived: 2\nDate: Fri, 20 Nov 2026 10:42:07 +0000\n\n").defects).toEqual([]);
  });
});

describe("the body", () => {
  const part = (fields: string): string => `--b\n${fields}\n\nx\n`;
  const sorted = (container: string, ...fields: string[]): string[][] => {
    const mail = parse(`Content-Type: multipart/${container}; boundary=b\n\n${fields.map(part).join("")}--b--\n`);
    return [mail.textParts, mail.htmlParts, mail.attachments].map((list) =>
      list.map(({ mediaType, fileName }) => fileName ?? mediaType),
    );
  };

  it.each([
    [
      "a text and an HTML alternative",
      "alternative",
      ["Content-Type: text/plain", "Content-Type: text/html"],
      [["text/plain"], ["text/html"], []],
    ],
    [
      "the first of two alternatives of a type",
      "alternative",
      ["Content-Type: text/html", "Content-Type: text/html"],
      [[], ["text/html"], ["attachment-1.html"]],
    ],
    [
      "no calendar",
      "alternative",
      ["Content-Type: text/plain", "Content-Type: text/calendar"],
      [["text/plain"], [], ["attachment-1.ics"]],
    ],
    [
      "a named first part",
      "mixed",
      ["Content-Type: text/plain; name=a.txt", "Content-Type: text/plain; name=b.txt"],
      [["a.txt"], [], ["b.txt"]],
    ],
    [
      "inline text without name",
      "mixed",
      ["Content-Type: text/plain", "Content-Type: text/plain\nContent-Disposition: inline"],
      [["text/plain", "text/plain"], [], []],
    ],
    [
      "inline text with a name is an attachment",
      "mixed",
      ["Content-Type: text/plain", "Content-Disposition: inline; filename=b.txt"],
      [["text/plain"], [], ["b.txt"]],
    ],
    [
      "text with a Content-ID in a mixed",
      "mixed",
      ["Content-Type: text/plain", "Content-Type: text/html\nContent-ID: <1>"],
      [["text/plain"], ["text/html"], []],
    ],
    [
      "no text with a Content-ID beside a related root",
      "related",
      ["Content-Type: text/html", "Content-Type: text/html\nContent-ID: <1>"],
      [[], ["text/html"], ["1"]],
    ],
    [
      "the related root with a Content-ID",
      "related",
      ["Content-Type: text/html\nContent-ID: <1>", "Content-Type: image/png\nContent-ID: <2>"],
      [[], ["text/html"], ["2"]],
    ],
    [
      "text of unknown disposition is an attachment",
      "mixed",
      ["Content-Type: text/plain", "Content-Disposition: form-data"],
      [["text/plain"], [], ["attachment-1.txt"]],
    ],
    [
      "text without a readable disposition",
      "mixed",
      ["Content-Disposition: =?utf-8?Q?inline?=", 'Content-Disposition: "inline", x=y'],
      [["text/plain", "text/plain"], [], []],
    ],
    [
      "text of a quoted disposition, or with a comma after it, is an attachment",
      "mixed",
      ['Content-Disposition: "attachment"', "Content-Disposition: attachment, filename=a.txt"],
      [[], [], ["attachment-1.txt", "a.txt"]],
    ],
    [
      "inline images are attachments",
      "alternative",
      ["Content-Type: text/plain", "Content-Type: image/jpeg\nContent-Disposition: inline"],
      [["text/plain"], [], ["attachment-1.jpg"]],
    ],
  ] as const)("%s", (...[, container, fields, expected]) => {
    expect(sorted(container, ...fields)).toEqual(expected);
  });
});

describe("text", () => {
  it("has LF line ends for every kind of line end in the mail", () => {
    const raw = Buffer.from("\r\na\r\nb\nc\rd\r\n");
    expect(joinTexts(raw, parseMail(raw, defaultLimits).textParts)).toBe("a\nb\nc\nd\n");
  });

  it("joins several parts with a line end, and is null without parts", () => {
    const raw = Buffer.from("Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\n\ntwo\n--b--");
    const mail = parseMail(raw, defaultLimits);
    expect(joinTexts(raw, mail.textParts)).toBe("one\ntwo");
    expect(joinTexts(raw, mail.htmlParts)).toBeNull();
  });

  it("is decoded from any part", () => {
    const raw = Buffer.from("Content-Type: application/json\nContent-Transfer-Encoding: base64\n\neyJhIjoxfQ==");
    expect(decodeText(raw, parseMail(raw, defaultLimits).root)).toBe('{"a":1}');
  });
});

describe("format=flowed", () => {
  it.each([
    ["joins soft lines", "a \nb\nc", "a b\nc"],
    ["keeps hard lines", "a\nb\n", "a\nb\n"],
    ["removes stuffing", " a\n  b\n From", "a\n b\nFrom"],
    ["joins quoted lines of one depth", "> a \n> b\n>> c", "> a b\n>> c"],
    ["does not join over quote depths", "> a \nb", "> a \nb"],
    ["leaves the signature separator alone", "a \n-- \nb", "a \n-- \nb"],
    ["keeps quoted empty lines", ">\n> a", "> \n> a"],
  ])("%s", (_what, text, expected) => {
    expect(unflow(text, false)).toBe(expected);
  });

  it("removes the blank of a soft line break with DelSp=yes", () => {
    expect(unflow("日 \n本", true)).toBe("日本");
    const raw = Buffer.from("Content-Type: text/plain; format=Flowed; delsp=YES\n\nab \ncd");
    expect(joinTexts(raw, parseMail(raw, defaultLimits).textParts)).toBe("abcd");
  });
});
