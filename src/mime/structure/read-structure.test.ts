import { describe, expect, it } from "vitest";
import { corpus } from "../../../test/corpus/corpus.ts";
import { defaultLimits } from "../../core/limits.ts";
import { expectLinearCpu } from "../../testing/cpu-growth.test-aid.ts";
import { sortLeaves } from "../body-parts.ts";
import { parseMail } from "../parse-mail.ts";
import type { Part } from "../part.ts";
import { selectHeaderFields, findPart, findSection, type MailSection } from "./header-lines.ts";
import { readEnvelope, embeddedMessageDepthMax, readStructure } from "./read-structure.ts";
import type { MessageStructure, StructurePart } from "./structure.ts";

const crlf = (text: string): Buffer => Buffer.from(text.replaceAll("\n", "\r\n"), "latin1");
const read = (text: string, limits = {}): { raw: Buffer; message: MessageStructure } => {
  const raw = crlf(text);
  return { raw, message: readStructure(raw, { ...defaultLimits, ...limits }) };
};
const section = (raw: Buffer, message: MessageStructure, wanted: MailSection): string | undefined => {
  const range = findSection(message, wanted);
  return range === undefined ? undefined : raw.toString("latin1", range.start, range.end).replaceAll("\r\n", "\n");
};

/** Shape of the example in RFC 9051 section 6.4.5.1. */
const nested = `Subject: outer
Content-Type: multipart/mixed; boundary=a

--a
Content-Type: text/plain

one
--a
Content-Type: application/octet-stream

two
--a
Content-Type: message/rfc822

Subject: three
Content-Type: multipart/mixed; boundary=b

--b

three one
--b
Content-Type: application/octet-stream

three two
--b--
--a
Content-Type: multipart/mixed; boundary=c

--c
Content-Type: image/gif

four one
--c
Content-Type: message/rfc822
X-Part: 4.2

Subject: four two
Content-Type: multipart/mixed; boundary=d

--d

four two one
--d
Content-Type: multipart/alternative; boundary=e

--e

four two two one
--e
Content-Type: text/richtext

four two two two
--e--
--d--
--c--
--a--
`;

describe("readStructure", () => {
  it("numbers parts as the example of RFC 9051 section 6.4.5.1 does", () => {
    const { message } = read(nested);
    const types = ["1", "2", "3", "3.1", "3.2", "4", "4.1", "4.2", "4.2.1", "4.2.2", "4.2.2.1", "4.2.2.2"].map(
      (path) => {
        const part = findPart(message, path.split(".").map(Number));
        return `${path} ${part?.type}/${part?.subtype}`;
      },
    );
    expect(types).toEqual([
      "1 text/plain",
      "2 application/octet-stream",
      "3 message/rfc822",
      "3.1 text/plain",
      "3.2 application/octet-stream",
      "4 multipart/mixed",
      "4.1 image/gif",
      "4.2 message/rfc822",
      "4.2.1 text/plain",
      "4.2.2 multipart/alternative",
      "4.2.2.1 text/plain",
      "4.2.2.2 text/richtext",
    ]);
    for (const path of [[0], [5], [1, 1], [3, 3], [4, 2, 2, 3], [-1], [1.5]]) {
      expect(findPart(message, path)).toBeUndefined();
    }
  });

  it("finds every section", () => {
    const { raw, message } = read(nested);
    const find = (part: readonly number[], text: MailSection["text"]): string | undefined =>
      section(raw, message, { part, text });
    expect(find([], null)).toBe(nested);
    expect(find([], "HEADER")).toBe("Subject: outer\nContent-Type: multipart/mixed; boundary=a\n\n");
    expect(`${find([], "HEADER")}${find([], "TEXT")}`).toBe(nested);
    expect(find([], "MIME")).toBeUndefined();
    expect(find([1], null)).toBe("one");
    expect(find([1], "MIME")).toBe("Content-Type: text/plain\n\n");
    expect(find([1], "HEADER")).toBeUndefined();
    expect(find([3], "HEADER")).toBe("Subject: three\nContent-Type: multipart/mixed; boundary=b\n\n");
    expect(`${find([3], "HEADER")}${find([3], "TEXT")}`).toBe(find([3], null));
    expect(find([3, 2], null)).toBe("three two");
    expect(find([4, 2], "MIME")).toBe("Content-Type: message/rfc822\nX-Part: 4.2\n\n");
    expect(find([4, 2, 2, 2], null)).toBe("four two two two");
    expect(find([9], null)).toBeUndefined();
  });

  it("gives a mail that is not a multipart one part, its body", () => {
    const { raw, message } = read("Subject: x\n\nbody\n");
    expect(section(raw, message, { part: [1], text: null })).toBe("body\n");
    expect(section(raw, message, { part: [1], text: "MIME" })).toBe("Subject: x\n\n");
    expect(findPart(message, [1])).toBe(message.root);
    expect(findPart(message, [2])).toBeUndefined();
  });

  it("reads the fields that describe a part", () => {
    const { message } = read(`Content-Type: Application/PDF (c); name*0*=utf-8''%e2%82%ac; name*1=.pdf
Content-ID: <id@x>
Content-Description: =?utf-8?q?d?=
Content-Transfer-Encoding: Base64 (c)
Content-MD5: Q2hlY2s=
Content-Disposition: X-Strange; filename="a b.pdf"
Content-Language: de, en (English)
Content-Location: http://x.example/y

eA==`);
    expect(message.root).toMatchObject({
      type: "application",
      subtype: "pdf",
      parameters: new Map([["name", "€.pdf"]]),
      id: "<id@x>",
      description: "=?utf-8?q?d?=",
      encoding: "base64",
      md5: "Q2hlY2s=",
      disposition: { type: "x-strange", parameters: new Map([["filename", "a b.pdf"]]) },
      languages: ["de", "en"],
      location: "http://x.example/y",
      lineCount: 0,
    });
  });

  it.each([
    ["", 0],
    ["a", 1],
    ["a\n", 1],
    ["a\n\nb", 3],
    ["\n\n", 2],
  ])("counts the lines of %j as %i", (body, count) => {
    expect(read(`Subject: x\n\n${body}`).message.root.lineCount).toBe(count);
    const bare = Buffer.from(`Subject: x\n\n${body}`);
    expect(readStructure(bare, defaultLimits).root.lineCount).toBe(count);
  });

  it("counts the lines of a message with those of the texts in it", () => {
    const { message } = read(nested);
    expect(findPart(message, [3])?.lineCount).toBe(11);
    expect(findPart(message, [3, 1])?.lineCount).toBe(1);
    expect(findPart(message, [2])?.lineCount).toBe(0);
  });

  it("does not read a mail that is encoded", () => {
    const { message } = read("Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nU3ViamVjdDogeA==\n");
    expect(message.root.message).toBeNull();
    expect(findPart(message, [1, 1])).toBeUndefined();
  });

  it("stops at embeddedMessageDepthMax mails in mails", () => {
    const depthOf = ({ root }: MessageStructure): number => (root.message === null ? 0 : 1 + depthOf(root.message));
    const flood = (count: number): number => depthOf(read("Content-Type: message/rfc822\n\n".repeat(count)).message);
    expect(flood(embeddedMessageDepthMax)).toBe(embeddedMessageDepthMax);
    expect(flood(2000)).toBe(embeddedMessageDepthMax);
  });

  it("reads at most partCountMax parts over all mails, and the rest as one part", () => {
    const countOf = ({ children, message }: StructurePart): number =>
      children.reduce((sum, child) => sum + countOf(child), 1) + (message === null ? 0 : countOf(message.root));
    const digest = `Content-Type: multipart/digest; boundary=b\n\n${"--b\n\nSubject: x\n\nbody\n".repeat(50)}--b--\n`;
    expect(countOf(read(digest).message.root)).toBe(101);
    expect(countOf(read(digest, { partCountMax: 60 }).message.root)).toBe(60);
    expect(countOf(read(digest, { partCountMax: 10 }).message.root)).toBe(11);
  });
});

describe("the parts of every mail of the corpus", () => {
  const leaves = (part: StructurePart): readonly StructurePart[] =>
    part.children.length === 0 ? [part] : part.children.flatMap(leaves);
  const leavesOf = (part: Part): readonly Part[] =>
    part.children.length === 0 ? [part] : part.children.flatMap(leavesOf);

  it("are those that parseMail finds", () => {
    const differing = corpus.filter(({ raw }) => {
      const mail = parseMail(raw, defaultLimits);
      const expected = leavesOf(mail.root).map((part) => [part.mediaType.toLowerCase(), part.bodyStart, part.bodyEnd]);
      const found = leaves(readStructure(raw, defaultLimits).root).map(({ type, subtype, body }) => [
        `${type}/${subtype}`,
        body.start,
        body.end,
      ]);
      return JSON.stringify(found) !== JSON.stringify(expected);
    });
    expect(differing.map(({ name }) => name)).toEqual([]);
    expect(corpus.length).toBeGreaterThan(100);
  });

  it("have the file names that parseMail finds", () => {
    const differing = corpus.filter(({ raw }) => {
      const { root } = parseMail(raw, defaultLimits);
      const expected = sortLeaves(root as Parameters<typeof sortLeaves>[0])
        .attachments.filter(({ parameters }) => parameters.has("name"))
        .map(({ bodyStart, parameters }) => [bodyStart, parameters.get("name")]);
      const found = new Map(leaves(readStructure(raw, defaultLimits).root).map((part) => [part.body.start, part]));
      return expected.some(([start, name]) => found.get(Number(start))?.parameters.get("name") !== name);
    });
    expect(differing.map(({ name }) => name)).toEqual([]);
  });
});

describe("readEnvelope", () => {
  it("keeps groups, encoded words and the defaults of RFC 9051 section 7.5.2", () => {
    const envelope = readEnvelope(
      crlf(`Date: Fri, 20 Nov 2026 10:42:07 +0000
Subject: =?utf-8?q?caf=C3=A9?=
From: "Doe, =?utf-8?q?J?=" <"j d"@x.example>
Reply-To:
To: A Group:Ed <joe@x.example>,joe@y.example;, undisclosed-recipients:;
To: last
Cc: <jörg@z.example>
Message-ID: <1@x>

body`),
      defaultLimits,
    );
    const from = [{ kind: "mailbox", name: "Doe, =?utf-8?q?J?=", route: null, localPart: "j d", domain: "x.example" }];
    expect(envelope).toEqual({
      date: "Fri, 20 Nov 2026 10:42:07 +0000",
      subject: "=?utf-8?q?caf=C3=A9?=",
      from,
      sender: from,
      replyTo: from,
      to: [
        { kind: "groupStart", name: "A Group" },
        { kind: "mailbox", name: "Ed", route: null, localPart: "joe", domain: "x.example" },
        { kind: "mailbox", name: "", route: null, localPart: "joe", domain: "y.example" },
        { kind: "groupEnd" },
        { kind: "groupStart", name: "undisclosed-recipients" },
        { kind: "groupEnd" },
        { kind: "mailbox", name: "", route: null, localPart: "last", domain: "" },
      ],
      cc: [{ kind: "mailbox", name: "", route: null, localPart: "jörg", domain: "z.example" }],
      bcc: [],
      inReplyTo: null,
      messageId: "<1@x>",
    });
  });
});

describe("selectHeaderFields", () => {
  const header = crlf("Subject: one\n two\nX-A : b\nsubject:\nTo: c\n\n");
  const select = (names: readonly string[], isNegated: boolean, from: Uint8Array = header): string =>
    selectHeaderFields(from, { names, isNegated }, defaultLimits).toString("latin1");

  it("returns the fields as written, and the empty line", () => {
    expect(select(["SUBJECT", "none"], false)).toBe("Subject: one\r\n two\r\nsubject:\r\n\r\n");
    expect(select(["x-a"], false)).toBe("X-A : b\r\n\r\n");
    expect(select(["Subject"], true)).toBe("X-A : b\r\nTo: c\r\n\r\n");
    expect(select([], false)).toBe("\r\n");
    expect(select([], true)).toBe(header.toString("latin1"));
  });

  it("adds the empty line that a header section without one lacks", () => {
    expect(select(["a"], false, crlf("A: b\n"))).toBe("A: b\r\n\r\n");
    expect(select(["a"], false, Buffer.from("A: b\n\nbody"))).toBe("A: b\n\n");
  });
});

describe("the time to read a structure is linear in the number of", () => {
  it.each([
    ["parts", "Content-Type: multipart/mixed; boundary=b\r\n\r\n", "--b\r\n\r\nx\r\n"],
    ["mails in a digest", "Content-Type: multipart/digest; boundary=b\r\n\r\n", "--b\r\n\r\nSubject: x\r\n\r\nx\r\n"],
    ["nested mails", "", "Content-Type: message/rfc822\r\n\r\n"],
    ["lines", "\r\n", "\n"],
    ["groups", "To: ", "a:;"],
    ["addresses", "To: ", "a@b,"],
  ])("%s", (_name, prefix, unit) => {
    const limits = { headerBytesMax: 1e9, headerCountMax: 1e9, partCountMax: 1e9, partDepthMax: 1e9 };
    expectLinearCpu((size) => readStructure(Buffer.from(prefix + unit.repeat(size)), limits), 2000);
  });
});
