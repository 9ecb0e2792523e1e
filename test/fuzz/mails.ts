/** Readers of whole mails as targets. */
import { lintMail } from "../../src/analysis/lint/lint-mail.ts";
import { readFacts } from "../../src/analysis/mail-facts.ts";
import { judgeSpam } from "../../src/analysis/spam/judge-spam.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { readStructure } from "../../src/mime/structure/read-structure.ts";
import { readEmailWhole } from "../../src/operations/services/reading/read-email.ts";
import { corpus } from "../corpus/corpus.ts";
import { readerTarget, type FuzzTarget } from "./target.ts";

const mails = corpus.map(({ raw }) => Buffer.from(raw)).filter(({ length }) => length <= 16 * 1024);
const mailTokens = [
  ..."From: |To: |Subject: |Date: |Content-Type: |Content-Transfer-Encoding: |Content-Disposition: |Received: ".split(
    "|",
  ),
  ...'multipart/mixed; boundary=b|multipart/related; start="<a>"; boundary=b|multipart/alternative; boundary=b'.split(
    "|",
  ),
  ..."message/rfc822|text/html; charset=|text/plain; format=flowed; delsp=yes|attachment; filename*0*=utf-8''a".split(
    "|",
  ),
  ..."base64|quoted-printable|x-uuencode|7bit|utf-7|iso-2022-jp|big5|euc-kr|gb18030|utf-16le|hz-gb-2312".split("|"),
  ...'\r\n--b\r\n|\r\n--b--\r\n|\r\n\r\n|\r\n |=?utf-8?Q?|=?iso-2022-jp?B?|?=|=\r\n|begin 644 x\r\n|end\r\n|"|\\|(|)|<|>|,|;|:|@'.split(
    "|",
  ),
];
const instant = Date.UTC(2026, 10, 20);

/** Parsing as at arrival, the structure that IMAP shows, and the reports. */
export const mailTargets: readonly FuzzTarget[] = [
  {
    name: "mail",
    read: (raw: Buffer) => readEmailWhole(raw, defaultLimits),
  },
  {
    name: "mail-structure",
    read: (raw: Buffer) => readStructure(raw, defaultLimits),
  },
  {
    name: "mail-reports",
    read: (raw: Buffer) => {
      const facts = readFacts(raw, defaultLimits);
      lintMail(facts, { audit: null, problem: null });
      judgeSpam({ ...facts, receivedAt: instant });
    },
  },
].map(({ name, read }) => readerTarget({ name, read, seeds: mails, tokens: mailTokens }));
