/** Unusual and malformed mail, with the expected result of each. */
import { base64Lines, mailBytes, noise } from "./corpus-mail.ts";
import type { CorpusMail, Expectation } from "./corpus-mail.ts";

const start = "From: a@example.com\nDate: Fri, 20 Nov 2026 10:42:07 +0000\nSubject: odd\n";
const mixed = `${start}Content-Type: multipart/mixed; boundary=b\n\n`;

const odd = (name: string, text: string, expected: Expectation): CorpusMail => ({
  name: `odd: ${name}`,
  raw: mailBytes(text),
  expected,
});
const exact = (name: string, raw: Buffer, expected: Expectation): CorpusMail => ({
  name: `odd: ${name}`,
  raw,
  expected,
});

const structure: readonly CorpusMail[] = [
  odd("empty", "", {
    subject: "",
    from: [],
    text: "",
    html: null,
    attachments: [],
    defects: ["missing_from", "missing_date"],
  }),
  odd("header section only", start, { subject: "odd", text: "", defects: [] }),
  odd("body only", "\nhello\n", { text: "hello\n", subject: "" }),
  odd("no closing boundary", `${mixed}--b\n\none\n--b\n\ntwo`, {
    text: "one\ntwo",
    defects: ["missing_closing_boundary"],
  }),
  odd(
    "inner multipart never closed",
    `${mixed}--b\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\none\n--b\nContent-Type: image/png\n\nx\n--b--\n`,
    {
      text: "one",
      attachments: [{ contentType: "image/png", fileName: "attachment-1.png", bytes: Buffer.from("x") }],
      defects: ["missing_closing_boundary"],
    },
  ),
  odd("preamble and epilogue", `${mixed}preamble\n--b\n\ntext\n--b--\nepilogue\n`, { text: "text", defects: [] }),
  odd("blanks behind boundaries", `${mixed}--b \t\n\ntext\n--b-- \t \n`, { text: "text", defects: [] }),
  odd(
    "boundaries that begin alike",
    `${start}Content-Type: multipart/mixed; boundary=aa\n\n--aa\nContent-Type: multipart/alternative; boundary=aaa\n\n--aaa\n\n--aaaa\n--a\ntext\n--aaa\nContent-Type: text/html\n\n<p>\n--aaa--\n--aa--\n`,
    {
      text: "--aaaa\n--a\ntext",
      html: "<p>",
      attachments: [],
      defects: [],
    },
  ),
  odd(
    "the same boundary within itself",
    `${mixed}--b\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\none\n--b--\n--b\nContent-Type: image/png\n\nx\n--b--\n`,
    {
      text: "one",
      attachments: [{ contentType: "image/png", fileName: "attachment-1.png" }],
      defects: [],
    },
  ),
  odd("multipart without boundary", `${start}Content-Type: multipart/mixed\n\n--b\n\ntext\n`, {
    text: "--b\n\ntext\n",
    defects: ["missing_boundary"],
  }),
  odd("boundary that never comes", `${mixed}just text\n`, {
    text: "just text\n",
    defects: ["missing_closing_boundary", "boundary_not_found"],
  }),
  odd(
    "multipart with a transfer encoding",
    `${start}Content-Transfer-Encoding: base64\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b--\n`,
    {
      text: "text",
      defects: ["encoded_multipart"],
    },
  ),
  odd("empty parts", `${mixed}--b\n--b\n\n--b\nContent-Type: image/png\n--b--\n`, {
    attachments: [{ contentType: "image/png", fileName: "attachment-1.png", bytes: Buffer.alloc(0) }],
    defects: [],
  }),
  odd(
    "boundary in quotes with odd characters",
    `${start}Content-Type: multipart/mixed; boundary="=_(a b)?:/"\n\n--=_(a b)?:/\n\ntext\n--=_(a b)?:/--\n`,
    { text: "text", defects: [] },
  ),
  odd(
    "boundary that looks like an encoded word",
    `${start}Content-Type: multipart/mixed; boundary="=?utf-8?Q?x?="\n\n--=?utf-8?Q?x?=\n\ntext\n--=?utf-8?Q?x?=--\n`,
    { text: "text", defects: [] },
  ),
  odd("digest", `${start}Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: one\n\nfirst\n--b--\n`, {
    attachments: [
      { contentType: "message/rfc822", fileName: "attachment-1.eml", bytes: Buffer.from("Subject: one\r\n\r\nfirst") },
    ],
    defects: [],
  }),
  odd(
    "forwarded mail is one attachment",
    `${mixed}--b\n\nouter\n--b\nContent-Type: message/rfc822\n\nSubject: inner\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\ninner\n--c--\n--b--\n`,
    {
      text: "outer",
      attachments: [{ contentType: "message/rfc822", fileName: "attachment-1.eml" }],
      defects: [],
    },
  ),
  odd(
    "delivery report",
    `${start}Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n--b\n\nIt bounced.\n--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; x\n--b\nContent-Type: text/rfc822-headers\n\nSubject: x\n--b--\n`,
    {
      text: "It bounced.",
      attachments: [
        { contentType: "message/delivery-status", fileName: "attachment-1.txt" },
        { contentType: "text/rfc822-headers", fileName: "attachment-2.txt" },
      ],
    },
  ),
  odd(
    "only an attachment",
    `${start}Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\n${base64Lines(noise(200))}\n`,
    {
      text: null,
      html: null,
      attachments: [{ contentType: "application/pdf", fileName: "a.pdf", bytes: noise(200) }],
    },
  ),
  odd("text as attachment is no body", `${start}Content-Disposition: attachment; filename=a.txt\n\nx`, {
    text: null,
    attachments: [{ contentType: "text/plain", fileName: "a.txt", bytes: Buffer.from("x") }],
  }),
  odd(
    "named text beside a body",
    `${mixed}--b\n\nbody\n--b\nContent-Type: text/plain; name=notes.txt\n\nnotes\n--b--\n`,
    {
      text: "body",
      attachments: [{ contentType: "text/plain", fileName: "notes.txt" }],
    },
  ),
  odd(
    "named alternatives are the body",
    `${start}Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain; name=a.txt\n\nbody\n--b\nContent-Type: text/html; name=a.html\n\n<p>\n--b--\n`,
    {
      text: "body",
      html: "<p>",
      attachments: [],
    },
  ),
  odd(
    "several texts of a mixed",
    `${mixed}--b\n\none\n--b\nContent-Type: text/html\n\n<p>1\n--b\n\ntwo\n--b\nContent-Type: text/html\n\n<p>2\n--b--\n`,
    {
      text: "one\ntwo",
      html: "<p>1\n<p>2",
    },
  ),
];

const header: readonly CorpusMail[] = [
  odd("mbox line", `From a@example.com Fri Nov 20 10:42:07 2026\n${start}\nx`, {
    subject: "odd",
    defects: ["mbox_from_line"],
  }),
  odd("garbage before the first field", `garbage\nmore garbage\n${start}\nx`, {
    subject: "odd",
    text: "x",
    defects: ["header_line_without_colon"],
  }),
  odd("blanks before the first field", ` \tTo: b@example.com\n${start}\nx`, {
    to: ["b@example.com"],
    subject: "odd",
    text: "x",
    defects: ["header_line_without_colon"],
  }),
  odd("blanks before a text without a header section", " \tNote: b\n\nx", {
    text: " \tNote: b\n\nx",
    defects: ["missing_header_end", "missing_from", "missing_date"],
  }),
  odd("garbage between fields", `${start}garbage here\nTo: b@example.com\n\nx`, {
    to: ["b@example.com"],
    text: "x",
    defects: ["header_line_without_colon"],
  }),
  odd(
    "several lines of a field without a blank in front",
    `${start}X-Id: a\nbFCoPn/=\nTsgjzM5i\nabc==\nTo: b@example.com\n\nx`,
    {
      to: ["b@example.com"],
      text: "x",
      defects: ["header_line_without_colon"],
    },
  ),
  odd("a text in which a line looks like a field", `${start}Hello Ann\nplease read\nNote: this\n\nBye\n`, {
    subject: "odd",
    text: "Hello Ann\nplease read\nNote: this\n\nBye\n",
    defects: ["missing_header_end"],
  }),
  exact("byte order mark before the first field", Buffer.from(`\ufeff${start}\n\ufefftext\n`), {
    subject: "odd",
    text: "text\n",
    defects: ["bare_lf_line_ends", "byte_order_mark"],
  }),
  odd("no empty line before the body", `${start}Hello Ann\nhttps://example.com/\n\nBye\n`, {
    subject: "odd",
    text: "Hello Ann\nhttps://example.com/\n\nBye\n",
    defects: ["missing_header_end"],
  }),
  odd("no header section at all", "Hello Ann\nHow are you?\n", { text: "Hello Ann\nHow are you?\n" }),
  odd("blanks before the colon", `${start}To \t: b@example.com\n\nx`, { to: ["b@example.com"] }),
  odd("empty and repeated fields", `${start}Subject: second\nTo:\nTo: b@example.com\nTo: c@example.com\n\nx`, {
    subject: "odd",
    to: ["b@example.com", "c@example.com"],
    defects: ["repeated_header_field"],
  }),
  odd(
    "folded fields",
    `From: a@example.com\nDate: Fri, 20 Nov 2026\n 10:42:07 +0000\nSubject: one\n two\n\tthree\nTo: b@example.com,\n\tc@example.com\n\nx`,
    {
      subject: "one two three",
      to: ["b@example.com", "c@example.com"],
      defects: [],
    },
  ),
  odd(
    "character split over encoded words",
    `${start}Cc: =?utf-8?B?5pel5pys6A==?= =?utf-8?B?qp4=?= <j@example.com>\n\nx`,
    { cc: ["日本語 <j@example.com>"] },
  ),
  ...["text", "text/", "", ";", "text/plain/x", "(comment)"].map((type) =>
    odd(`Content-Type ${JSON.stringify(type)}`, `${start}Content-Type: ${type}\n\nx`, {
      text: "x",
      defects: ["invalid_content_type"],
    }),
  ),
  odd("Content-Type in upper case", `${start}CONTENT-TYPE: TEXT/HTML; CHARSET=UTF-8\n\n<p>`, {
    text: null,
    html: "<p>",
    defects: [],
  }),
  odd("Content-Type with comments", `${start}Content-Type: text/html (yes; really) ; charset=utf-8 (UTF)\n\n<p>`, {
    html: "<p>",
  }),
  odd(
    "Content-Type without a semicolon",
    `${start}Content-Type: multipart/mixed\n\tboundary="b"\n\n--b\n\nx\n--b--\n`,
    {
      text: "x",
      defects: [],
    },
  ),
  odd("transfer encoding with a blank", `${start}Content-Transfer-Encoding: quoted printable\n\na=3Db`, {
    text: "a=b",
    defects: [],
  }),
  odd("unknown transfer encoding", `${start}Content-Transfer-Encoding: rot13\n\nx`, {
    text: "x",
    defects: ["unknown_transfer_encoding"],
  }),
  odd("unreadable date", "From: a@example.com\nDate: yesterday\n\nx", { defects: ["unreadable_date"] }),
];

const content: readonly CorpusMail[] = [
  exact("bare LF", Buffer.from(`${mixed}--b\n\none\ntwo\n--b--\n`), {
    text: "one\ntwo",
    defects: ["bare_lf_line_ends"],
  }),
  exact("bare CR", Buffer.from(`${mixed}--b\n\none\ntwo\n--b--\n`.replaceAll("\n", "\r")), {
    subject: "odd",
    text: "one\ntwo",
    defects: ["bare_cr_line_ends"],
  }),
  exact(
    "mixed line ends",
    Buffer.from(
      `${start.replaceAll("\n", "\r\n")}Content-Type: multipart/mixed; boundary=b\n\r\n--b\r\n\none\r\n--b--\n`,
    ),
    { text: "one", defects: [] },
  ),
  exact("NUL bytes", Buffer.from(`${start}\na\0b`.replaceAll("\n", "\r\n")), { text: "a\0b" }),
  odd("base64 with foreign bytes and no padding", `${start}Content-Transfer-Encoding: base64\n\naGV-sb!G8\n`, {
    text: "hello",
  }),
  odd(
    "base64 with a footer behind its padding",
    `${start}Content-Transfer-Encoding: base64\n\naGVs\nbG8=\n-- \nfooter\n`,
    {
      text: "hello",
    },
  ),
  odd(
    "quoted-printable, lower case and malformed",
    `${start}Content-Transfer-Encoding: quoted-printable\nContent-Type: text/plain; charset=utf-8\n\n=c3=bc =zz a= \t\nb  \nc=`,
    { text: "ü =zz ab\nc" },
  ),
  odd(
    "format=flowed",
    `${start}Content-Type: text/plain; format=flowed\n\nOne paragraph \nover lines.\n\n> quoted \n> text\n-- \nsignature\n`,
    {
      text: "One paragraph over lines.\n\n> quoted text\n-- \nsignature\n",
    },
  ),
  odd(
    "uuencoded attachment",
    `${mixed}--b\n\nx\n--b\nContent-Type: application/octet-stream; name=a.txt\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 a.txt\n+:&5L;&\\@=V]R;&0\`\n\`\nend\n--b--\n`,
    {
      attachments: [{ contentType: "application/octet-stream", fileName: "a.txt", bytes: Buffer.from("hello world") }],
    },
  ),
  exact(
    "UTF-8 addresses",
    Buffer.from(`From: Jürgen <jürgen@exämple.com>\r\nDate: Fri, 20 Nov 2026 10:42:07 +0000\r\n\r\nx`),
    { from: ["Jürgen <jürgen@exämple.com>"], defects: [] },
  ),
];

/** Unusual and malformed mail. */
export const broken: readonly CorpusMail[] = [...structure, ...header, ...content];
