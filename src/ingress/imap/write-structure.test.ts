import fc from "fast-check";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { describe, expect, it } from "vitest";
import { corpus } from "../../../test/corpus/corpus.ts";
import { defaultLimits } from "../../core/limits.ts";
import { readStructure } from "../../mime/structure/read-structure.ts";
import { imapString } from "./tokenise.ts";
import { writeBodyStructure, writeEnvelope } from "./write-body-structure.ts";
import { codePoint } from "../../testing/code-point.test-aid.ts";

const structureOf = (text: string): ReturnType<typeof readStructure> =>
  readStructure(Buffer.from(text.replaceAll("\n", "\r\n"), "latin1"), defaultLimits);
const body = (text: string): string =>
  writeBodyStructure(structureOf(text), { isExtended: false, describesGlobal: false });
const extended = (text: string): string =>
  writeBodyStructure(structureOf(text), { isExtended: true, describesGlobal: true });

type Value = string | null | readonly Value[];

/** Parses a response as a client does: strings, NIL, numbers and lists. Throws on anything else. */
function parseResponse(bytes: Buffer): Value {
  let at = 0;
  const parse = (): Value => {
    const rest = bytes.toString("latin1", at, at + 64);
    const literal = /^\{(\d+)\}\r\n/.exec(rest);
    if (literal !== null) {
      const start = at + literal[0].length;
      at = start + Number(literal[1]);
      return bytes.toString("utf8", start, at);
    }
    const atom = /^(?:NIL|\d+)(?=[ )]|$)/.exec(rest);
    if (atom !== null) {
      at += atom[0].length;
      return atom[0] === "NIL" ? null : atom[0];
    }
    if (bytes[at] === 0x22) {
      const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"/.exec(bytes.toString("latin1", at));
      if (quoted === null) throw new Error(`invalid quoted string at ${at}`);
      at += quoted[0].length;
      return (quoted[1] ?? "").replaceAll(/\\(.)/g, "$1");
    }
    if (rest[0] !== "(") throw new Error(`unexpected ${rest} at ${at}`);
    at += 1;
    const list: Value[] = [];
    while (bytes[at] !== 0x29) {
      list.push(parse());
      if (bytes[at] === 0x20) at += 1;
    }
    at += 1;
    return list;
  };
  const value = parse();
  if (at !== bytes.length) throw new Error(`text after the end at ${at}`);
  return value;
}

describe("imapString", () => {
  it.each([
    [null, "NIL"],
    ["", '""'],
    ['a "b" \\', '"a \\"b\\" \\\\"'],
    ["é", "{2}\r\né"],
    ["a\r\nb", "{4}\r\na\r\nb"],
    ["a\0b", "{5}\r\na\ufffdb"],
  ])("writes %j as %j", (text, expected) => {
    expect(imapString(text)).toBe(expected);
  });

  it("writes a quoted string up to 1024 characters", () => {
    expect(imapString("a".repeat(1024)).startsWith('"')).toBe(true);
    expect(imapString("a".repeat(1025)).startsWith("{1025}")).toBe(true);
  });
});

describe("writeEnvelope", () => {
  it("writes the example of RFC 3501 section 8", () => {
    const mail = `Date: Wed, 17 Jul 1996 02:23:25 -0700 (PDT)
From: Terry Gray <gray@cac.washington.edu>
Subject: IMAP4rev1 WG mtg summary and minutes
To: imap@cac.washington.edu
cc: minutes@CNRI.Reston.VA.US, John Klensin <KLENSIN@MIT.EDU>
Message-Id: <B27397-0100000@cac.washington.edu>
MIME-Version: 1.0
Content-Type: TEXT/PLAIN; CHARSET=US-ASCII

`;
    expect(writeEnvelope(structureOf(mail).envelope)).toBe(
      '("Wed, 17 Jul 1996 02:23:25 -0700 (PDT)" "IMAP4rev1 WG mtg summary and minutes" ' +
        '(("Terry Gray" NIL "gray" "cac.washington.edu")) (("Terry Gray" NIL "gray" "cac.washington.edu")) ' +
        '(("Terry Gray" NIL "gray" "cac.washington.edu")) ((NIL NIL "imap" "cac.washington.edu")) ' +
        '((NIL NIL "minutes" "CNRI.Reston.VA.US")("John Klensin" NIL "KLENSIN" "MIT.EDU")) NIL NIL ' +
        '"<B27397-0100000@cac.washington.edu>")',
    );
    expect(body(mail)).toBe('("TEXT" "PLAIN" ("CHARSET" "US-ASCII") NIL NIL "7BIT" 0 0)');
  });

  it("writes NIL for absent fields, the empty string for empty ones, and groups", () => {
    expect(writeEnvelope(structureOf("Subject:\nTo: G: a@b.example;\nCc:\n\n").envelope)).toBe(
      '(NIL "" NIL NIL NIL ((NIL NIL "G" NIL)(NIL NIL "a" "b.example")(NIL NIL NIL NIL)) NIL NIL NIL NIL)',
    );
  });
});

describe("writeBodyStructure", () => {
  it("writes the example of RFC 9051 section 7.5.2", () => {
    const mail = `Content-Type: multipart/mixed; boundary=b

--b
Content-Type: TEXT/PLAIN; CHARSET=US-ASCII

text
--b
Content-Type: TEXT/PLAIN; CHARSET=US-ASCII; NAME="cc.diff"
Content-ID: <960723163407.20117h@cac.washington.edu>
Content-Description: Compiler diff
Content-Transfer-Encoding: BASE64

eA==
--b--
`;
    const parts =
      '("TEXT" "PLAIN" ("CHARSET" "US-ASCII") NIL NIL "7BIT" 4 1#)("TEXT" "PLAIN" ("CHARSET" "US-ASCII" "NAME" "cc.diff") ' +
      '"<960723163407.20117h@cac.washington.edu>" "Compiler diff" "BASE64" 4 1#)';
    expect(body(mail)).toBe(`(${parts.replaceAll("#", "")} "MIXED")`);
    expect(extended(mail)).toBe(`(${parts.replaceAll("#", " NIL NIL NIL NIL")} "MIXED" ("BOUNDARY" "b") NIL NIL NIL)`);
  });

  it("writes the envelope, the structure and the lines of a mail in a mail", () => {
    const mail = "Content-Type: message/rfc822\n\nSubject: x\n\nbody\n";
    const envelope = '(NIL "x" NIL NIL NIL NIL NIL NIL NIL NIL)';
    expect(body(mail)).toBe(
      `("MESSAGE" "RFC822" NIL NIL NIL "7BIT" 20 ${envelope} ("TEXT" "PLAIN" ("CHARSET" "us-ascii") NIL NIL "7BIT" 6 1) 3)`,
    );
    const global = mail.replace("rfc822", "global");
    expect(extended(global)).toContain(`"MESSAGE" "GLOBAL" NIL NIL NIL "7BIT" 20 ${envelope}`);
    expect(body(global)).toBe('("MESSAGE" "GLOBAL" NIL NIL NIL "7BIT" 20)');
  });

  it("writes extension fields, and other than printable ASCII in parameters as RFC 2231", () => {
    expect(
      extended(`Content-Type: image/png; name="=?utf-8?q?=E2=82=AC?= 1.png"
Content-Disposition: attachment; filename*=utf-8''%e2%82%ac%201.png
Content-Language: de, en
Content-MD5: Q2hlY2s=
Content-Location: x

`),
    ).toBe(
      `("IMAGE" "PNG" ("NAME*" "utf-8''%E2%82%AC%201.png") NIL NIL "7BIT" 0 "Q2hlY2s=" ` +
        `("ATTACHMENT" ("FILENAME*" "utf-8''%E2%82%AC%201.png")) ("de" "en") "x")`,
    );
  });

  it.each([
    ["a multipart without parts", "Content-Type: multipart/mixed; boundary=b\n\nx\n", '("TEXT" "PLAIN"'],
    [
      "an encoded mail",
      "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3Vi\n",
      '("APPLICATION" "OCTET-STREAM" NIL NIL NIL "BASE64" 6)',
    ],
  ])("writes %s as a file or a text", (_name, mail, expected) => {
    expect(body(mail).startsWith(expected)).toBe(true);
  });

  it("describes a mail of nodemailer", async () => {
    const composer = new MailComposer({
      from: "a@x.example",
      to: "b@x.example",
      text: "plain",
      html: '<p>html</p><img src="cid:i">',
      attachments: [
        { filename: "i.png", cid: "i", content: Buffer.from("png") },
        { filename: "straße.txt", content: "text" },
      ],
      baseBoundary: "b",
    });
    const structure = readStructure(await composer.compile().build(), defaultLimits);
    const written = writeBodyStructure(structure, { isExtended: true, describesGlobal: false });
    const name = (key: string): Value => [key, "utf-8''stra%C3%9Fe.txt"];
    expect(parseResponse(Buffer.from(written))).toEqual([
      [
        ["TEXT", "PLAIN", ["CHARSET", "utf-8"], null, null, "7BIT", "5", "1", null, null, null, null],
        [
          ["TEXT", "HTML", ["CHARSET", "utf-8"], null, null, "7BIT", "28", "1", null, null, null, null],
          [
            "IMAGE",
            "PNG",
            ["NAME", "i.png"],
            "<i>",
            null,
            "BASE64",
            "4",
            null,
            ["INLINE", ["FILENAME", "i.png"]],
            null,
            null,
          ],
          "RELATED",
          ["TYPE", "text/html", "BOUNDARY", "--_NmP-b-Part_4"],
          null,
          null,
          null,
        ],
        "ALTERNATIVE",
        ["BOUNDARY", "--_NmP-b-Part_2"],
        null,
        null,
        null,
      ],
      [
        "TEXT",
        "PLAIN",
        name("NAME*"),
        null,
        null,
        "BASE64",
        "8",
        "1",
        null,
        ["ATTACHMENT", name("FILENAME*")],
        null,
        null,
      ],
      "MIXED",
      ["BOUNDARY", "--_NmP-b-Part_1"],
      null,
      null,
      null,
    ]);
  });
});

describe("the responses for every mail of the corpus and for arbitrary bytes", () => {
  const check = (raw: Buffer): void => {
    const structure = readStructure(raw, defaultLimits);
    const envelope = parseResponse(Buffer.from(writeEnvelope(structure.envelope)));
    expect(envelope).toHaveLength(10);
    for (const isExtended of [false, true]) {
      parseResponse(Buffer.from(writeBodyStructure(structure, { isExtended, describesGlobal: isExtended })));
    }
  };

  it("are valid for the corpus", () => {
    for (const { raw } of corpus) check(raw);
  });

  it("are valid for arbitrary bytes", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "From: ",
        "To: ",
        "Subject: ",
        "\r\n",
        "\n",
        "\r\n\r\n",
        ":",
        ";",
        "<",
        "@",
        "(",
        '"',
        "\\",
        "=?",
        "Content-Type: ",
        "multipart/mixed; boundary=b\r\n\r\n--b\r\n",
        "message/rfc822\r\n\r\n",
        "text/x",
        "*0*=",
      ),
      fc.string({ unit: codePoint, maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => check(Buffer.from(pieces.join("")))),
      { numRuns: 400 },
    );
  });
});
