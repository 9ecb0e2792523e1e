/** Composed mail is parsed by mailparser and by this project; both must find the input. */
import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import { decodeBytes, joinTexts } from "../body-content.ts";
import { parseMail } from "../parse-mail.ts";
import { composeForward, composeReply } from "./compose-reply.ts";
import { type Original, readOriginal } from "./original.ts";
import { type ComposedAttachment, composeMail, type MailToCompose } from "./compose.ts";
import { singleLine } from "./header-text.ts";

interface ForeignAttachment {
  readonly filename?: string;
  readonly contentType: string;
  readonly content: Uint8Array;
  readonly contentDisposition?: string;
  readonly cid?: string;
}

interface ForeignMail {
  readonly subject?: string;
  readonly text?: string;
  readonly html: string | false;
  readonly messageId?: string;
  readonly inReplyTo?: string;
  readonly references?: string | readonly string[];
  readonly to?: { readonly text: string };
  readonly attachments: readonly ForeignAttachment[];
  readonly headerLines: readonly { readonly key: string; readonly line: string }[];
}

const { simpleParser } = createRequire(import.meta.url)("mailparser") as {
  readonly simpleParser: (raw: Uint8Array, options: Readonly<Record<string, boolean>>) => Promise<ForeignMail>;
};
const readForeign = (raw: Uint8Array): Promise<ForeignMail> =>
  simpleParser(Buffer.from(raw), { skipImageLinks: true, skipHtmlToText: true, skipTextToHtml: true });

const stamp = { messageId: "<one@abcd1234.restante.test>", date: 1_795_171_327_000, boundarySeed: "0badcafe" };
const plainMail: MailToCompose = {
  ...stamp,
  from: { name: "Ada", address: "ada@abcd1234.restante.test" },
  to: [{ address: "bob@corp.example" }],
  subject: "Hello",
  text: "Hi Bob",
  html: null,
};
const every = Uint8Array.from({ length: 1024 }, (_, index) => index % 256);
const pixel: ComposedAttachment = {
  fileName: "pixel.png",
  contentType: "image/png",
  content: every,
  contentId: "pixel@inside",
  isInline: true,
};
const rfc822: ComposedAttachment = {
  fileName: "note.eml",
  contentType: "message/rfc822",
  content: Buffer.from("Subject: ünder\r\n\r\n--=_restante-0badcafe-Part_9\r\n.\r\nend"),
};
const brokenRfc822: ComposedAttachment = { ...rfc822, content: Buffer.from("Subject: bare\n\nlf\0") };
const original = async (overrides: Partial<MailToCompose> = {}): Promise<Original> => {
  const raw = await composeMail({ ...plainMail, ...overrides });
  return readOriginal(raw, parseMail(raw, defaultLimits), 0);
};
const answer = { ...stamp, from: { address: "bob@abcd1234.restante.test" }, messageId: "<two@x>", boundarySeed: "b2" };

describe("a composed mail", () => {
  test("is the same bytes for the same stamp", async () => {
    const mail = { ...plainMail, html: "<p>hi</p>", attachments: [pixel, rfc822] };
    expect(await composeMail(mail)).toEqual(await composeMail(mail));
  });

  test("keeps a text that contains the boundary of the same mail", async () => {
    const mail = { ...plainMail, html: "<p>Hi</p>" };
    const boundary = /boundary="(.*)"/.exec(Buffer.from(await composeMail(mail)).toString("latin1"))?.[1] ?? "";
    const text = `before\n--${boundary}\n\nafter\n--${boundary}--\n`;
    expect(boundary).not.toBe("");
    expect(await original({ html: "<p>Hi</p>", text })).toMatchObject({ text, html: "<p>Hi</p>" });
  });

  test("contains files of every kind byte for byte, inline ones embedded in the HTML", async () => {
    const given = [pixel, { ...pixel, fileName: "Resources/dög.bin", isInline: false }, rfc822, brokenRfc822];
    const raw = await composeMail({ ...plainMail, html: '<img src="cid:pixel@inside">', attachments: given });
    const foreign = await readForeign(raw);
    const mail = parseMail(raw, defaultLimits);
    expect(mail.attachments.map((part) => part.fileName)).toEqual(given.map((one) => one.fileName));
    expect(mail.attachments.map((part) => Buffer.from(decodeBytes(raw, part)))).toEqual(
      given.map((one) => Buffer.from(one.content)),
    );
    expect(mail.attachments.map((part) => part.disposition)).toEqual([
      "inline",
      "attachment",
      "attachment",
      "attachment",
    ]);
    expect(foreign.attachments.slice(0, 3).map((one) => one.filename)).toEqual(
      given.slice(0, 3).map((a) => a.fileName),
    );
    expect(foreign.attachments.slice(0, 3).map((one) => Buffer.from(one.content))).toEqual(
      given.slice(0, 3).map((one) => Buffer.from(one.content)),
    );
    expect(foreign.attachments[0]).toMatchObject({ cid: "pixel@inside", contentDisposition: "inline" });
  });

  test("has an empty text body when no body was given", async () => {
    const mail = await original({ text: null, attachments: [{ ...pixel, isInline: false }] });
    expect(mail).toMatchObject({ text: "", html: null });
    expect(mail.attachments).toHaveLength(1);
  });

  test.each(["multipart/mixed; boundary=x", "image", "", "text/html\r\nX-Evil: 1", "a/b; c"])(
    "attaches a file of type %j as application/octet-stream",
    async (contentType) => {
      const mail = await original({ attachments: [{ fileName: "f", contentType, content: every }] });
      expect(mail.attachments[0]).toMatchObject({ contentType: "application/octet-stream", fileName: "f" });
    },
  );

  test("keeps useful parameters of a type", async () => {
    const contentType = "text/calendar; method=REQUEST; charset=utf-8";
    const mail = await original({ attachments: [{ fileName: "i.ics", contentType, content: every }] });
    expect(mail.attachments[0]?.contentType).toBe("text/calendar; charset=utf-8; method=REQUEST");
  });
});

describe("a reply", () => {
  test("has its thread, its quotation and only its own files according to mailparser", async () => {
    const first = await original({ html: "<p>Hi <b>Bob</b></p>", attachments: [pixel], references: ["<zero@x>"] });
    const html = '<p class="x">Thanks &amp; bye</p>';
    const file = { fileName: "new.bin", contentType: "application/x-new", content: every };
    const raw = await composeReply(first, { ...answer, text: "Thanks\n& bye", html, attachments: [file] });
    const foreign = await readForeign(raw);
    expect(foreign).toMatchObject({ subject: "Re: Hello", inReplyTo: stamp.messageId, messageId: "<two@x>" });
    expect(foreign.references).toEqual(["<zero@x>", stamp.messageId]);
    expect(foreign.to?.text).toContain("ada@abcd1234.restante.test");
    expect(foreign.html).toContain(html);
    expect(foreign.html).toMatch(/<blockquote[^>]*>\s*<p>Hi <b>Bob<\/b><\/p>/);
    expect(foreign.text).toMatch(/^Thanks\n& bye\n\nOn .* wrote:\n> Hi Bob/);
    expect(foreign.attachments.map((one) => [one.filename, one.contentType])).toEqual([
      ["new.bin", "application/x-new"],
    ]);
    expect(Buffer.from(foreign.attachments[0]?.content ?? [])).toEqual(Buffer.from(every));
  });
});

describe("a forward", () => {
  test("contains both bodies and every file of the original according to mailparser", async () => {
    const first = await original({
      html: '<p>Look: <img src="cid:pixel@inside"></p>',
      attachments: [pixel, { ...pixel, fileName: "dog.png", contentId: null, isInline: false }],
    });
    const html = "<h1>See below</h1>";
    const to = [{ address: "eve@corp.example" }];
    const raw = await composeForward(first, { ...answer, to, cc: [{ address: "c@corp.example" }], text: null, html });
    const foreign = await readForeign(raw);
    expect(foreign.subject).toBe("Fwd: Hello");
    expect(foreign.html).toContain(html);
    expect(foreign.html).toContain('<p>Look: <img src="cid:pixel@inside"></p>');
    expect(foreign.text).toMatch(
      /Forwarded message -+\nFrom: Ada <ada@.*>\nDate: .*\nSubject: Hello\nTo: bob@.*\n\nHi Bob/,
    );
    expect(foreign.attachments.map((one) => one.filename)).toEqual(["pixel.png", "dog.png"]);
    expect(foreign.attachments.map((one) => Buffer.from(one.content))).toEqual([
      Buffer.from(every),
      Buffer.from(every),
    ]);
  });

  test("contains attached mails byte for byte", async () => {
    const first = await original({ attachments: [rfc822, brokenRfc822] });
    const to = [{ address: "eve@corp.example" }];
    const raw = await composeForward(first, { ...answer, to, text: "look", html: null });
    const mail = parseMail(raw, defaultLimits);
    expect(mail.attachments.map((part) => Buffer.from(decodeBytes(raw, part)))).toEqual([
      Buffer.from(rfc822.content),
      Buffer.from(brokenRfc822.content),
    ]);
  });
});

const evil = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  fc
    .array(
      fc.constantFrom(
        "\r\n",
        "\r",
        "\n",
        "\0",
        "\r\n\r\n",
        "X-Evil: 1",
        "Bcc: evil@x.example",
        "<",
        ">",
        '"',
        "\\",
        ",",
        ";",
        ":",
        "@",
        "(",
        ")",
        "=?utf-8?q?=0D=0AX-Evil:_1?=",
        "\ud800",
        "\udc00",
        "\u2028",
        "\u0085",
        "\u000b",
        " ",
        "\t",
        "a",
        "ü",
        "--=_restante-0badcafe-Part_1",
        "--",
        "%0d%0a",
        "boundary=",
        "name*=utf-8''%0D%0AX-Evil",
        "x".repeat(90),
        "é".repeat(80),
        "📨",
      ),
      { maxLength: 12 },
    )
    .map((tokens) => tokens.join("")),
);
const evilAttachment = fc.record({
  fileName: fc.option(evil, { nil: null }),
  contentType: fc.oneof(
    evil,
    evil.map((text) => `text/plain; charset=utf-8; x="${text}"`),
    evil.map((text) => `image/${text}`),
  ),
  content: fc.uint8Array({ maxLength: 50 }),
  contentId: fc.option(evil, { nil: null }),
  isInline: fc.boolean(),
});
const evilMail: fc.Arbitrary<MailToCompose> = fc.record({
  messageId: fc.constant(stamp.messageId),
  date: fc.constant(stamp.date),
  boundarySeed: fc.constant(stamp.boundarySeed),
  from: fc.record({ name: evil, address: evil.map((text) => `${text}@abcd1234.restante.test`) }),
  to: fc.array(fc.record({ name: evil, address: evil.map((text) => `b${text}@corp.example`) }), {
    minLength: 1,
    maxLength: 3,
  }),
  cc: fc.array(fc.record({ name: evil, address: fc.constant("cc@corp.example") }), { maxLength: 2 }),
  subject: evil,
  text: fc.option(evil, { nil: null }),
  html: fc.option(evil, { nil: null }),
  attachments: fc.array(evilAttachment, { maxLength: 3 }),
  inReplyTo: fc.option(evil, { nil: null }),
  references: fc.array(evil, { maxLength: 3 }),
  allows8bit: fc.boolean(),
});
const fieldNames = [
  "date",
  "message-id",
  "from",
  "to",
  "cc",
  "subject",
  "in-reply-to",
  "references",
  "content-type",
  "mime-version",
  "content-transfer-encoding",
];

describe("hostile input", () => {
  test("adds no field, part or address, and no bare line end or long line", async () => {
    await fc.assert(
      fc.asyncProperty(evilMail, async (given) => {
        const raw = Buffer.from(await composeMail(given));
        expect(raw.includes(0)).toBe(false);
        const text = raw.toString("latin1");
        expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
        expect(Math.max(...text.split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998);
        expect(text.slice(0, text.indexOf("\r\n\r\n"))).toMatch(/^[ -~\r\n\t]*$/);
        const mail = parseMail(raw, defaultLimits);
        const names = mail.headers.map((header) => header.field.toLowerCase());
        expect(names.filter((name) => !fieldNames.includes(name))).toEqual([]);
        expect(new Set(names).size).toBe(names.length);
        expect(mail.subject).toBe(singleLine(given.subject).trim() === "" ? mail.subject : singleLine(given.subject));
        expect(mail.from).toHaveLength(1);
        expect(mail.to).toHaveLength(given.to.length);
        expect(mail.cc.map((contact) => contact.email)).toEqual((given.cc ?? []).map(() => "cc@corp.example"));
        for (const contact of mail.to) expect(contact.email).toMatch(/@corp\.example$/);
        expect(mail.attachments.map((part) => Buffer.from(decodeBytes(raw, part)).toString("hex")).sort()).toEqual(
          (given.attachments ?? []).map((one) => Buffer.from(one.content).toString("hex")).sort(),
        );
        const html = joinTexts(raw, mail.htmlParts);
        if (given.html !== null)
          expect(html).toContain(
            given.html
              .toWellFormed()
              .replace(/^\ufeff/, "")
              .replaceAll(/\r\n?/g, "\n"),
          );
        else expect(html).toBeNull();
      }),
      { numRuns: 1500 },
    );
  });

  test("adds nothing when mailparser parses it", async () => {
    await fc.assert(
      fc.asyncProperty(evilMail, async (given) => {
        const foreign = await readForeign(await composeMail(given));
        expect(foreign.headerLines.map((line) => line.key).filter((key) => !fieldNames.includes(key))).toEqual([]);
        expect(foreign.attachments).toHaveLength((given.attachments ?? []).length);
      }),
      { numRuns: 300 },
    );
  });
});
