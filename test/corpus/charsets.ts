/** Every charset in every form that carries 8-bit text: bodies in three transfer encodings and encoded words in two. */
import iconv from "iconv-lite";
import { base64Lines, mailBytes, quotedPrintable } from "./corpus-mail.ts";
import type { CorpusMail } from "./corpus-mail.ts";

interface Sample {
  readonly label: string;
  readonly text: string;
  /** The text in the charset. */
  readonly bytes: Buffer;
}

const encoded = (label: string, text: string, encoder = label): Sample => ({
  label,
  text,
  bytes: iconv.encode(text, encoder),
});
const given = (label: string, text: string, bytes: string): Sample => ({
  label,
  text,
  bytes: Buffer.from(bytes, "latin1"),
});

const samples: readonly Sample[] = [
  encoded("utf-8", "Grüße 日本語 😀"),
  encoded("UTF8", "Grüße"),
  encoded("iso-8859-1", "Grüße aus Köln"),
  encoded("iso-8859-2", "Zażółć gęślą jaźń"),
  encoded("iso-8859-5", "Привет"),
  encoded("iso-8859-7", "Καλημέρα"),
  encoded("iso-8859-9", "İstanbul'da güneş"),
  encoded("iso-8859-15", "Preis 5 €"),
  encoded("windows-1250", "Příliš žluťoučký"),
  encoded("windows-1251", "Съешь ещё этих"),
  encoded("windows-1252", "“smart” – 5 €"),
  encoded("windows-1256", "مرحبا"),
  encoded("windows-1255", "שלום"),
  encoded("windows-1258", "Việt".normalize("NFC").replace("ệ", "e")),
  encoded("windows-874", "สวัสดี"),
  encoded("koi8-r", "Привет, мир"),
  encoded("koi8-u", "Привіт, світе"),
  encoded("shift_jis", "こんにちは世界"),
  encoded("euc-jp", "こんにちは世界"),
  encoded("euc-kr", "안녕하세요"),
  encoded("ks_c_5601-1987", "안녕하세요", "cp949"),
  encoded("gb2312", "你好，世界"),
  encoded("gbk", "你好，世界"),
  encoded("gb18030", "你好 𠀀 😀"),
  encoded("big5", "你好世界"),
  encoded("cp437", "Grüße ½ ░"),
  encoded("cp850", "Grüße"),
  encoded("cp866", "Привет"),
  encoded("macintosh", "Grüße"),
  encoded("x-mac-cyrillic", "Привет", "maccyrillic"),
  encoded("utf-7", "Grüße 日本"),
  given("iso-2022-jp", "日本語", "\u001b$BF|K\\8l\u001b(B"),
  given("iso-2022-kr", "가나 ok", "\u001b$)C\u000e0!3*\u000f ok"),
  given("hz-gb-2312", "你好 ~ok", "~{Dc:C~} ~~ok"),
];

/** Charsets of two-byte units, which contain the bytes of line ends, so they are sent in base64 only. */
const wide: readonly Sample[] = [
  encoded("utf-16le", "Grüße 日本"),
  encoded("utf-16be", "Grüße 日本"),
  {
    label: "utf-16",
    text: "Grüße 日本",
    bytes: Buffer.concat([Buffer.from([0xfe, 0xff]), iconv.encode("Grüße 日本", "utf-16be")]),
  },
  { label: "utf-32", text: "Grüße 日本", bytes: iconv.encode("Grüße 日本", "utf-32", { addBOM: true }) },
];

const start = "From: a@example.com\nTo: b@example.com\nDate: Fri, 20 Nov 2026 10:42:07 +0000\nMIME-Version: 1.0\n";

function bodyMail(sample: Sample, encoding: string, body: string): CorpusMail {
  const fields = `Content-Type: text/plain; charset=${sample.label}\nContent-Transfer-Encoding: ${encoding}\n`;
  return {
    name: `charset ${sample.label} in a ${encoding} body`,
    raw: mailBytes(`${start}Subject: charset\n${fields}\n${body}`),
    expected: { text: sample.text, defects: [] },
  };
}

function subjectMail(sample: Sample, encoding: "B" | "Q"): CorpusMail {
  const words =
    encoding === "B" ? sample.bytes.toString("base64") : quotedPrintable(sample.bytes).replaceAll("=\n", "");
  return {
    name: `charset ${sample.label} in a ${encoding} encoded word`,
    raw: mailBytes(`${start}Subject: =?${sample.label}?${encoding}?${words}?=\n\nbody`),
    expected: { subject: sample.text, defects: [] },
  };
}

/** Mail in every charset. */
export const charsets: readonly CorpusMail[] = [
  ...samples.flatMap((sample) => [
    bodyMail(sample, "8bit", sample.bytes.toString("latin1")),
    bodyMail(sample, "base64", base64Lines(sample.bytes)),
    bodyMail(sample, "quoted-printable", quotedPrintable(sample.bytes)),
    subjectMail(sample, "B"),
    subjectMail(sample, "Q"),
  ]),
  ...wide.map((sample) => bodyMail(sample, "base64", base64Lines(sample.bytes))),
  {
    name: "charset unknown, bytes are UTF-8",
    raw: mailBytes(
      `${start}Content-Type: text/plain; charset=x-nobody-knows\n\n${Buffer.from("Grüße").toString("latin1")}`,
    ),
    expected: { text: "Grüße" },
  },
  {
    name: "charset unknown, bytes are windows-1252",
    raw: mailBytes(`${start}Content-Type: text/plain; charset=x-nobody-knows\n\nGr\u00fc\u00dfe \u0093x\u0094`),
    expected: { text: "Grüße “x”" },
  },
  {
    name: "charset absent, bytes are UTF-8",
    raw: mailBytes(`${start}\n${Buffer.from("Grüße").toString("latin1")}`),
    expected: { text: "Grüße" },
  },
  {
    name: "charset us-ascii, bytes are windows-1252",
    raw: mailBytes(`${start}Content-Type: text/plain; charset=us-ascii\n\nGr\u00fc\u00dfe`),
    expected: { text: "Grüße" },
  },
  {
    name: "charset utf-8 with a byte order mark",
    raw: mailBytes(`${start}Content-Type: text/html; charset=utf-8\n\n\u00ef\u00bb\u00bf<p>x</p>`),
    expected: { html: "<p>x</p>" },
  },
  {
    name: "charset of an HTML body in a meta element",
    raw: mailBytes(`${start}Content-Type: text/html\n\n<head><meta charset="windows-1251"></head>\u00cf\u00f0\u00e8`),
    expected: { html: '<head><meta charset="windows-1251"></head>При' },
  },
  {
    name: "charset of an HTML body in an http-equiv element, seven bits",
    raw: mailBytes(
      `${start}Content-Type: text/html\nContent-Transfer-Encoding: base64\n\n${base64Lines(
        Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=ISO-2022-JP">\u001b$BF|K\\\u001b(B'),
      )}`,
    ),
    expected: { html: '<meta http-equiv="Content-Type" content="text/html; charset=ISO-2022-JP">日本' },
  },
  {
    name: "charset of Content-Type before that of a meta element",
    raw: mailBytes(`${start}Content-Type: text/html; charset=windows-1251\n\n<meta charset="utf-8">\u00cf\u00f0\u00e8`),
    expected: { html: '<meta charset="utf-8">При' },
  },
  {
    name: "charset of a meta element in a comment, too late, or UTF-16",
    raw: mailBytes(
      `${start}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n` +
        "<!-- <meta charset=koi8-r> -->\u00fc\n--b\nContent-Type: text/html\n\n<meta charset=utf-16>\u00c3\u00bc\n" +
        `--b\nContent-Type: text/html\n\n${" ".repeat(1024)}<meta charset=koi8-r>\u00fc\n--b--\n`,
    ),
    expected: {
      html: `<!-- <meta charset=koi8-r> -->ü\n<meta charset=utf-16>ü\n${" ".repeat(1024)}<meta charset=koi8-r>ü`,
    },
  },
  {
    name: "header fields in raw UTF-8 and raw windows-1252",
    raw: mailBytes(`${start}Subject: ${Buffer.from("Grüße").toString("latin1")}\nCc: J\u00fcrgen <j@example.com>\n\nx`),
    expected: { subject: "Grüße", cc: ["Jürgen <j@example.com>"] },
  },
];
