/** Mail composed by nodemailer in many shapes; parsing must return the input. */
import MailComposer from "nodemailer/lib/mail-composer";
import { noise } from "./corpus-mail.ts";
import type { CorpusMail, Expectation } from "./corpus-mail.ts";

type ComposeOptions = ConstructorParameters<typeof MailComposer>[0];

interface Shape {
  readonly name: string;
  readonly options: ComposeOptions;
  readonly expected: Expectation;
}

const long = "Every sentence of this paragraph is longer than a line of mail may be, so that it has to be folded. ";
const text = `Hello Jürgen,\n\n${long.repeat(3)}\nYour code: 804219 – grüße, 日本語, 😀\n`;
const html = `<p>Hello <b>Jürgen</b></p>\n<p style="color:#333">${long.repeat(3)}</p>\n<p>804219 – 日本語 😀</p>\n`;
const bytes = noise(3000);
const pdf = { filename: "invoice.pdf", content: bytes, contentType: "application/pdf" } as const;
const pdfExpected = { contentType: "application/pdf", fileName: "invoice.pdf", contentId: null, bytes } as const;

const shapes: readonly Shape[] = [
  { name: "text only", options: { text }, expected: { text, html: null, attachments: [] } },
  { name: "html only", options: { html }, expected: { text: null, html, attachments: [] } },
  {
    name: "alternative in quoted-printable",
    options: { text, html, textEncoding: "quoted-printable" },
    expected: { text, html },
  },
  { name: "alternative in base64", options: { text, html, textEncoding: "base64" }, expected: { text, html } },
  {
    name: "attachment only",
    options: { attachments: [pdf] },
    expected: { text: null, html: null, attachments: [pdfExpected] },
  },
  {
    name: "text and attachment",
    options: { text, attachments: [pdf] },
    expected: { text, html: null, attachments: [pdfExpected] },
  },
  {
    name: "related image and attachment",
    options: {
      text,
      html: '<img src="cid:logo@example.com">',
      attachments: [{ filename: "logo.png", content: noise(500, 2), cid: "logo@example.com" }, pdf],
    },
    expected: {
      text,
      html: '<img src="cid:logo@example.com">',
      attachments: [
        { contentType: "image/png", fileName: "logo.png", contentId: "logo@example.com", bytes: noise(500, 2) },
        pdfExpected,
      ],
    },
  },
  {
    name: "attachment in quoted-printable",
    options: { text, attachments: [{ ...pdf, contentTransferEncoding: "quoted-printable" }] },
    expected: { text, attachments: [pdfExpected] },
  },
  {
    name: "attachment in 7bit",
    options: { text, attachments: [{ filename: "a.csv", content: "a,b\r\n1,2\r\n", contentTransferEncoding: "7bit" }] },
    expected: {
      text,
      attachments: [
        { contentType: "text/csv", fileName: "a.csv", contentId: null, bytes: Buffer.from("a,b\r\n1,2\r\n") },
      ],
    },
  },
  {
    name: "file names beyond ASCII, long, quoted",
    options: {
      text,
      attachments: [
        { filename: "Rechnung für Jürgen.pdf", content: bytes, contentType: "application/pdf" },
        { filename: `${"日本語のとても長い名前".repeat(5)}.txt`, content: "x", contentType: "application/x-note" },
        { filename: 'a "quoted" name; 100%.bin', content: "y", contentType: "application/octet-stream" },
      ],
    },
    expected: {
      attachments: [
        { contentType: "application/pdf", fileName: "Rechnung für Jürgen.pdf", bytes },
        { contentType: "application/x-note", fileName: `${"日本語のとても長い名前".repeat(5)}.txt` },
        { contentType: "application/octet-stream", fileName: 'a "quoted" name; 100%.bin' },
      ],
    },
  },
  {
    name: "forwarded mail as attachment",
    options: {
      text,
      attachments: [
        { contentType: "message/rfc822", filename: "mail.eml", content: "Subject: inner\r\n\r\ninner text\r\n" },
      ],
    },
    expected: {
      text,
      attachments: [
        {
          contentType: "message/rfc822",
          fileName: "mail.eml",
          bytes: Buffer.from("Subject: inner\r\n\r\ninner text\r\n"),
        },
      ],
    },
  },
  {
    name: "calendar invitation",
    options: {
      text,
      html,
      icalEvent: { method: "REQUEST", filename: "invite.ics", content: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n" },
    },
    expected: {
      text,
      html,
      attachments: [
        { contentType: "text/calendar", fileName: "attachment-1.ics" },
        { contentType: "application/ics", fileName: "invite.ics" },
      ],
    },
  },
  {
    name: "AMP alternative",
    options: { text, html, amp: "<!doctype html><html ⚡4email></html>" },
    expected: { text, html, attachments: [{ contentType: "text/x-amp-html", fileName: "attachment-1.amp.html" }] },
  },
  {
    name: "many recipients and a group",
    options: {
      text,
      to: ['"Doe, Jane" <jane@example.com>', "Jürgen Müller <Juergen@Example.COM>", "plain@example.com"],
      cc: "Team:a@example.com,b@example.com;",
    },
    expected: {
      to: ["Doe, Jane <jane@example.com>", "Jürgen Müller <Juergen@example.com>", "plain@example.com"],
      cc: ["a@example.com", "b@example.com"],
    },
  },
  {
    name: "long subject beyond ASCII",
    options: { text, subject: "Grüße aus Köln – 日本語 😀 ".repeat(8).trim() },
    expected: { subject: "Grüße aus Köln – 日本語 😀 ".repeat(8).trim() },
  },
  {
    name: "ellipsis and joined emoji in the subject",
    options: { text, subject: "Hi… 👩🏽‍🚀" },
    expected: { subject: "Hi… 👩🏽‍🚀" },
  },
];

/** Composes all shapes; time-dependent fields are fixed, so that every run gives the same bytes. */
export async function composeAll(): Promise<readonly CorpusMail[]> {
  return Promise.all(
    shapes.map(async (shape) => ({ ...shape, name: `composed: ${shape.name}`, raw: await compose(shape) })),
  );
}

async function compose(shape: Shape): Promise<Buffer> {
  const composer = new MailComposer({
    from: "Marty McFly <marty@example.com>",
    to: "jane@abcd1234.example.net",
    subject: "Composed",
    date: new Date("2026-11-20T10:42:07Z"),
    messageId: "<composed@example.com>",
    baseBoundary: "corpus",
    newline: "\r\n",
    ...shape.options,
  });
  return composer.compile().build();
}
