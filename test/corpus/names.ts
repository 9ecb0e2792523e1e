/** Forms in which senders write a file name. */
import { mailBytes } from "./corpus-mail.ts";
import type { CorpusMail } from "./corpus-mail.ts";

const utf8 = (text: string): string => Buffer.from(text).toString("latin1");
/** Content fields of a part → its file name. */
const names: readonly (readonly [what: string, fields: string, fileName: string])[] = [
  ["token", "Content-Disposition: attachment; filename=a.pdf", "a.pdf"],
  ["quoted string", 'Content-Disposition: attachment; filename="a b.pdf"', "a b.pdf"],
  ["quoted pairs", String.raw`Content-Disposition: attachment; filename="a \"b\" \\ c.pdf"`, String.raw`a "b" \ c.pdf`],
  ["Windows path", String.raw`Content-Disposition: attachment; filename="C:\TEMP\a.pdf"`, String.raw`C:\TEMP\a.pdf`],
  ["semicolon in quotes", 'Content-Disposition: attachment; filename="a;b.pdf"', "a;b.pdf"],
  ["unquoted blanks", "Content-Disposition: attachment; filename=my file.pdf; size=3", "my file.pdf"],
  ["missing quote", 'Content-Disposition: attachment; filename="a.pdf', "a.pdf"],
  ["folded", 'Content-Disposition: attachment;\n\tfilename="a.pdf"', "a.pdf"],
  ["upper case", 'CONTENT-DISPOSITION: ATTACHMENT; FILENAME="A.pdf"', "A.pdf"],
  ["RFC 2231 charset", "Content-Disposition: attachment; filename*=utf-8'de'Gr%C3%BC%C3%9Fe.pdf", "Grüße.pdf"],
  ["RFC 2231 latin", "Content-Disposition: attachment; filename*=iso-8859-1''Gr%FC%DFe.pdf", "Grüße.pdf"],
  [
    "RFC 2231 continuations",
    'Content-Disposition: attachment; filename*0="a long ";\n filename*1="name.pdf"',
    "a long name.pdf",
  ],
  [
    "RFC 2231 continuations out of order",
    'Content-Disposition: attachment; filename*1="name.pdf"; filename*0="a long "',
    "a long name.pdf",
  ],
  [
    "RFC 2231 character split over continuations",
    "Content-Disposition: attachment; filename*0*=utf-8''%E6%97; filename*1*=%A5.pdf",
    "日.pdf",
  ],
  [
    "RFC 2231 continuations of both kinds",
    "Content-Disposition: attachment; filename*0*=utf-8''%E2%82%AC; filename*1=\" rates.pdf\"",
    "€ rates.pdf",
  ],
  [
    "RFC 2231 beside a plain fallback",
    "Content-Disposition: attachment; filename=\"Grue_e.pdf\"; filename*=utf-8''Gr%C3%BC%C3%9Fe.pdf",
    "Grüße.pdf",
  ],
  ["gap in the continuations", "Content-Disposition: attachment; filename*0=a; filename*2=c", "a"],
  ["encoded word", 'Content-Disposition: attachment; filename="=?utf-8?Q?Gr=C3=BC=C3=9Fe.pdf?="', "Grüße.pdf"],
  ["encoded word unquoted", "Content-Disposition: attachment; filename==?utf-8?B?R3LDvMOfZS5wZGY=?=", "Grüße.pdf"],
  ["raw UTF-8", `Content-Disposition: attachment; filename="${utf8("Grüße 日本.pdf")}"`, "Grüße 日本.pdf"],
  ["raw windows-1252", 'Content-Disposition: attachment; filename="Gr\u00fc\u00dfe.pdf"', "Grüße.pdf"],
  ["Content-Type name", 'Content-Type: application/pdf; name="a.pdf"', "a.pdf"],
  ["Content-Type filename", 'Content-Type: application/pdf; filename="a.pdf"', "a.pdf"],
  [
    "disposition before Content-Type",
    "Content-Type: application/pdf; name=b.pdf\nContent-Disposition: attachment; filename=a.pdf",
    "a.pdf",
  ],
  ["Content-ID only", "Content-Type: application/pdf\nContent-ID: <part1@example.com>", "part1@example.com"],
  ["Content-ID without brackets", "Content-Type: application/pdf\nContent-ID: part1", "part1"],
  ["none", "Content-Type: application/pdf", "attachment-1.pdf"],
  ["none, unknown type", "Content-Type: application/x-very-special", "attachment-1.bin"],
  ["slashes and dots", 'Content-Disposition: attachment; filename="../../etc/passwd"', "../../etc/passwd"],
  ["language suffix in an encoded word", "Content-Disposition: attachment; filename==?utf-8*de?Q?a.pdf?=", "a.pdf"],
];

/** One mail for each form, with a text and the named part. */
export const fileNames: readonly CorpusMail[] = names.map(([what, fields, fileName]) => ({
  name: `file name: ${what}`,
  raw: mailBytes(`From: a@example.com
Date: Fri, 20 Nov 2026 10:42:07 +0000
Content-Type: multipart/mixed; boundary=b

--b

see below
--b
${fields}

content
--b--
`),
  expected: {
    text: "see below",
    attachments: [
      {
        contentType: /^content-type: application/i.test(fields)
          ? (/application\/[\w-]+/.exec(fields)?.[0] ?? "")
          : "text/plain",
        fileName,
        bytes: Buffer.from("content"),
      },
    ],
    defects: [],
  },
}));
