/**
 * Mail structures of senders in nine languages, each with the peculiarity for which it was added. All have the same
 * text, HTML and two images.
 */
import { base64Lines, mailBytes, noise } from "./corpus-mail.ts";
import type { CorpusMail, ExpectedAttachment } from "./corpus-mail.ts";

const cat = noise(821, 7);
const dog = noise(2120, 9);
const contentId = "ii_1435fadb31d523f6";
const text = "this is a test\n\nthis is a link: https://example.com/\n";
const html = `<html><body><p>this is a test</p><img src="cid:${contentId}"><a href="https://example.com/">link</a></body></html>\n`;

const head = (contentType: string, extra = ""): string => `From: Ada Lovelace <ada@example.com>
To: Ben Doe <ben@abcd1234.example.net>
Subject: Shape of a mailer
MIME-Version: 1.0
${extra}Content-Type: ${contentType}

`;

const expectedImages = (catName: string, dogName: string, catId: string | null): readonly ExpectedAttachment[] => [
  { contentType: "image/png", fileName: catName, contentId: catId, bytes: cat },
  { contentType: "image/png", fileName: dogName, contentId: null, bytes: dog },
];

const common = {
  subject: "Shape of a mailer",
  from: ["Ada Lovelace <ada@example.com>"],
  to: ["Ben Doe <ben@abcd1234.example.net>"],
} as const;

/** Joins parts with a boundary and closes it. */
function multipart(boundary: string, parts: readonly string[]): string {
  return `${parts.map((part) => `--${boundary}\n${part}\n`).join("")}--${boundary}--\n`;
}

const nodeShape = multipart("mix", [
  `Content-Type: multipart/alternative; boundary="alt"\n\n${multipart("alt", [
    `Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${base64Lines(Buffer.from(text))}`,
    `Content-Type: multipart/related; type="text/html"; boundary="rel"\n\n${multipart("rel", [
      `Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: base64\n\n${base64Lines(Buffer.from(html))}`,
      `Content-Type: image/png; name=cat.png\nContent-ID: <${contentId}>\nContent-Transfer-Encoding: base64\nContent-Disposition: inline; filename=cat.png\n\n${base64Lines(cat)}`,
    ])}`,
  ])}`,
  `Content-Type: image/png; name=dog.png\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=dog.png\n\n${base64Lines(dog)}`,
]);

const pythonShape = multipart("===============1==", [
  `Content-Type: multipart/alternative; boundary="===============2=="\nMIME-Version: 1.0\n\n${multipart(
    "===============2==",
    [
      `Content-Type: text/plain; charset="us-ascii"\nMIME-Version: 1.0\nContent-Transfer-Encoding: 7bit\n\n${text}`,
      `Content-Type: text/html; charset="us-ascii"\nMIME-Version: 1.0\nContent-Transfer-Encoding: 7bit\n\n${html}`,
    ],
  )}`,
  `Content-Type: image/png\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\nContent-ID: ${contentId}\nContent-Disposition: inline; filename="cat.png"\n\n${base64Lines(cat)}\n`,
  `Content-Type: image/png\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="dog.png"\n\n${base64Lines(dog)}\n`,
]);

const javaShape = multipart("----=_Part_0_1", [
  `Content-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: 7bit\n\n${text}`,
  `Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: 7bit\n\n${html}`,
  `Content-Type: image/png; name=cat.png\nContent-Transfer-Encoding: base64\nContent-Disposition: inline; filename=cat.png\nContent-ID: ${contentId}\n\n${base64Lines(cat)}`,
  `Content-Type: image/png; name=dog.png\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=dog.png\n\n${base64Lines(dog)}`,
]);

const netShape = multipart("--boundary_0", [
  `Content-Type: multipart/alternative;\n boundary=--boundary_1\n\n${multipart("--boundary_1", [
    `Content-Type: text/plain; charset=us-ascii\nContent-Transfer-Encoding: quoted-printable\n\n${text}`,
    `Content-Type: multipart/related; boundary=--boundary_2; type="text/html"\n\n${multipart("--boundary_2", [
      `Content-Type: text/html; charset=us-ascii\nContent-Transfer-Encoding: base64\n\n${base64Lines(Buffer.from(html))}`,
      `Content-Type: image/png\nContent-Transfer-Encoding: base64\nContent-ID: <${contentId}>\n\n${base64Lines(cat)}\n`,
    ])}`,
  ])}`,
  `Content-Type: image/png; name=dog.png\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment\n\n${base64Lines(dog)}\n`,
]);

const phpShape = multipart("--------x", [
  `Content-Type: multipart/related;\n\tboundary="--------y"\n\n${multipart("--------y", [
    `Content-Type: multipart/alternative;\n\tboundary="--------z"\n\n${multipart("--------z", [
      `Content-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 7bit\n\n${text}`,
      `Content-Type: text/html; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n\n${html}`,
    ])}`,
    `Content-Type: image/png\nContent-Transfer-Encoding: base64\nContent-Disposition: inline; filename="${contentId}"\nContent-ID: <${contentId}>\n\n${base64Lines(cat)}`,
  ])}`,
  `Content-Type: image/png\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="Resources/dog.png"\n\n${base64Lines(dog)}`,
]);

const bigCat = noise(82_138, 3);
const bigDog = noise(212_080, 5);
/** One base64 line per image, lower-case field names, no closing boundary, no final line end. */
const goShape = `--b0
content-type: text/plain; charset=utf-8

${text}
--b0
content-type: text/html; charset=utf-8

${html}
--b0
content-type: image/png; filename="cat.png"
content-transfer-encoding: base64
content-disposition: inline; filename="cat.png"
content-id: ${contentId}

${bigCat.toString("base64")}
--b0
content-type: image/png; filename="dog.png"
content-transfer-encoding: base64

${bigDog.toString("base64")}`;

const dated = "Date: Fri, 20 Nov 2026 10:42:07 +0000\nMessage-ID: <1@example.com>\n";

/** Mail as composed by the senders of nine languages. */
export const mailers: readonly CorpusMail[] = [
  {
    name: "mailer node: mixed(alternative(text, related(html, inline)), attachment)",
    raw: mailBytes(head('multipart/mixed; boundary="mix"', dated) + nodeShape),
    expected: { ...common, text, html, attachments: expectedImages("cat.png", "dog.png", contentId), defects: [] },
  },
  {
    name: "mailer python: related(alternative, inline, attachment), Content-ID without brackets, no Date",
    raw: mailBytes(head('multipart/related; boundary="===============1=="') + pythonShape),
    expected: {
      ...common,
      text,
      html,
      attachments: expectedImages("cat.png", "dog.png", contentId),
      defects: ["missing_date"],
    },
  },
  {
    name: "mailer java: images inside multipart/alternative",
    raw: mailBytes(head('multipart/alternative;\n\tboundary="----=_Part_0_1"', dated) + javaShape),
    expected: { ...common, text, html, attachments: expectedImages("cat.png", "dog.png", contentId), defects: [] },
  },
  {
    name: "mailer net: image with only a Content-ID, name only in Content-Type, boundaries that are prefixes",
    raw: mailBytes(head("multipart/mixed;\n boundary=--boundary_0", dated) + netShape),
    expected: { ...common, text, html, attachments: expectedImages(contentId, "dog.png", contentId), defects: [] },
  },
  {
    name: "mailer php: file name with a slash",
    raw: mailBytes(head('multipart/mixed;\n\tboundary="--------x"', dated) + phpShape),
    expected: {
      ...common,
      text,
      html,
      attachments: expectedImages(contentId, "Resources/dog.png", contentId),
      defects: [],
    },
  },
  {
    name: "mailer go: 283 kB lines, no closing boundary, no final line end",
    raw: mailBytes(head("multipart/alternative; boundary=b0") + goShape),
    expected: {
      ...common,
      text,
      html,
      attachments: [
        { contentType: "image/png", fileName: "cat.png", contentId, bytes: bigCat },
        { contentType: "image/png", fileName: "dog.png", contentId: null, bytes: bigDog },
      ],
      defects: ["missing_closing_boundary", "missing_date"],
    },
  },
  {
    name: "mailer ruby: two files, one given a Content-ID",
    raw: mailBytes(
      head('multipart/mixed;\n boundary="--==_mimepart_1";\n charset=UTF-8', dated) +
        multipart("--==_mimepart_1", [
          `Content-Type: multipart/alternative;\n boundary="--==_mimepart_2";\n charset=UTF-8\nContent-Transfer-Encoding: 7bit\n\n${multipart(
            "--==_mimepart_2",
            [
              `Content-Type: text/plain;\n charset=UTF-8\nContent-Transfer-Encoding: 7bit\n\n${text}`,
              `Content-Type: text/html;\n charset=UTF-8\nContent-Transfer-Encoding: 7bit\n\n${html}`,
            ],
          )}`,
          `Content-Type: image/png;\n filename=cat.png\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment;\n filename=cat.png\nContent-ID: <${contentId}>\n\n${base64Lines(cat)}\n`,
          `Content-Type: image/png;\n filename=dog.png\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment;\n filename=dog.png\nContent-ID: <2@example.com>\n\n${base64Lines(dog)}\n`,
        ]),
    ),
    expected: {
      ...common,
      text,
      html,
      attachments: [
        { contentType: "image/png", fileName: "cat.png", contentId, bytes: cat },
        { contentType: "image/png", fileName: "dog.png", contentId: "2@example.com", bytes: dog },
      ],
      defects: [],
    },
  },
  {
    name: "mailer swift: attachments without Content-ID, nested mixed",
    raw: mailBytes(
      head("multipart/mixed; boundary=outer", dated) +
        multipart("outer", [
          `CONTENT-TYPE: multipart/alternative; boundary=inner\n\n${multipart("inner", [
            `CONTENT-TYPE: text/plain; charset=utf-8\nCONTENT-TRANSFER-ENCODING: 7bit\nCONTENT-DISPOSITION: inline\n\n${text}`,
            `CONTENT-TYPE: text/html; charset=utf-8\nCONTENT-DISPOSITION: inline\nCONTENT-TRANSFER-ENCODING: BASE64\n\n${base64Lines(Buffer.from(html))}`,
          ])}`,
          `CONTENT-TYPE: image/png\nCONTENT-TRANSFER-ENCODING: BASE64\nCONTENT-DISPOSITION: attachment; filename="=?UTF-8?Q?cat.png?="\n\n${base64Lines(cat)}`,
          `CONTENT-TYPE: image/png\nCONTENT-TRANSFER-ENCODING: BASE64\nCONTENT-DISPOSITION: attachment; filename="=?UTF-8?Q?dog.png?="\n\n${base64Lines(dog)}`,
        ]),
    ),
    expected: { ...common, text, html, attachments: expectedImages("cat.png", "dog.png", null), defects: [] },
  },
];
