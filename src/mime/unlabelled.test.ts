import { expect, it } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { joinTexts } from "./body-content.ts";
import { parseMail } from "./parse-mail.ts";

const head = "From: a@example.com\nDate: Fri, 20 Nov 2026 10:42:07 +0000\n";
const parse = (text: string) => {
  const raw = Buffer.from(text.replaceAll("\n", "\r\n"), "utf8");
  const mail = parseMail(raw, defaultLimits);
  return { ...mail, text: joinTexts(raw, mail.textParts) };
};

it.each([
  ["an encoded word", "Subject: =?x-klingon?Q?gr=C3=BCn?=\n\nx"],
  ["a display name", "To: =?x-klingon?Q?gr=C3=BCn?= <b@example.com>\n\nx"],
  ["a body", "Content-Type: text/plain; charset=x-klingon\n\ngrün"],
  ["an HTML body that declares it", 'Content-Type: text/html\n\n<meta charset="x-klingon">grün'],
  ["a file name", "Content-Disposition: attachment; filename*=x-klingon''gr%C3%BCn\n\nx"],
  ["a file name as an encoded word", 'Content-Disposition: attachment; filename="=?x-klingon?Q?gr=C3=BCn?="\n\nx'],
])("reports an unknown charset of %s and decodes it as if it had none", (_, rest) => {
  const mail = parse(`${head}${rest}`);
  expect(mail.defects).toEqual(["unknown_charset"]);
  const texts = [mail.subject, mail.to[0]?.name, mail.text, mail.attachments[0]?.fileName];
  expect(mail.htmlParts.length === 1 || texts.includes("grün")).toBe(true);
});

it.each([
  ["charsets of the Encoding standard", "Subject: =?EUC-KR?Q?=B0=A1?= =?cp437?Q?=81?=\n\nx"],
  ["placeholders", "Subject: =?unknown-8bit?Q?gr=C3=BCn?=\nContent-Type: text/plain; charset=us-ascii\n\nx"],
])("reports no defect of %s", (_, rest) => {
  expect(parse(`${head}${rest}`).defects).toEqual([]);
});

it("keeps UTF-8 with one bad byte in a name, a subject, a file name and a body", () => {
  const bad = (text: string): string => Buffer.from(text, "utf8").toString("latin1").replace("?", "\u00ff");
  const raw = Buffer.from(
    bad("From: Zoë ?Müller <a@example.com>\r\nSubject: ") +
      bad("Grüße? aus Köln\r\n") +
      'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\n' +
      bad("日本語? です\r\n") +
      '--b\r\nContent-Disposition: attachment; filename="' +
      bad('résumé?.pdf"\r\n\r\nx\r\n--b--'),
    "latin1",
  );
  const mail = parseMail(raw, defaultLimits);
  expect(mail.from[0]?.name).toBe("Zoë \ufffdMüller");
  expect(mail.subject).toBe("Grüße\ufffd aus Köln");
  expect(joinTexts(raw, mail.textParts)).toBe("日本語\ufffd です");
  expect(mail.attachments[0]?.fileName).toBe("résumé\ufffd.pdf");
});

it("reads ISO-2022-JP without a label in a subject, a name and a body", () => {
  const jis = "\u001b$B$3$l\u001b(B";
  const mail = parse(`From: ${jis} <a@example.com>\nSubject: ${jis}!\nContent-Type: text/plain;\n\n${jis}`);
  expect([mail.from[0]?.name, mail.subject, mail.text]).toEqual(["これ", "これ!", "これ"]);
});
