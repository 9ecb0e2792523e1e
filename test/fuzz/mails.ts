/** Readers of whole mails as targets. */
import { lintMail } from "../../src/analysis/lint/lint-mail.ts";
import { readFacts } from "../../src/analysis/mail-facts.ts";
import { judgeSpam } from "../../src/analysis/spam/judge-spam.ts";
import { defaultLimits } from "../../src/core/limits.ts";
import { readReports } from "../../src/analysis/reports/read-reports.ts";
import { dmarcSamples, dmarcXml } from "../../src/testing/dmarc-reports.test-aid.ts";
import {
  complaintMail,
  deliverySamples,
  dispositionMail,
  tlsMail,
  tlsReport,
} from "../../src/testing/mail-reports.test-aid.ts";
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

const reportTokens = [
  ...mailTokens,
  ..."<feedback>|</feedback>|<record>|</record>|<row>|<count>|</count>|<dkim>|<spf/>|<a:b xmlns:a='c'>|<![CDATA[|]]>|<!DOCTYPE a [|<!ENTITY b 'c'>|&b;|&#65;|<?xml version='1.0' encoding='".split(
    "|",
  ),
  ...'\u001f\u008b|PK\u0003\u0004|PK\u0001\u0002|PK\u0005\u0006|"policies":|[|]|{|}|\r\nFinal-Recipient: utf-8; |Action: failed|<a@b>:\n'.split(
    "|",
  ),
];
const reportSeeds = [
  ...dmarcSamples.map(({ raw }) => raw),
  ...Object.values(deliverySamples),
  complaintMail,
  dispositionMail,
  tlsMail(tlsReport, "json"),
  // Mutations reach the document where it is not encoded.
  `Subject: Report domain: a\r\nContent-Type: text/xml; name=a!b!1!2.xml\r\n\r\n${dmarcXml()}`,
  `Subject: x\r\nContent-Type: application/tlsrpt+json\r\n\r\n${JSON.stringify(tlsReport)}`,
].map((raw) => Buffer.from(raw));

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
]
  .map(({ name, read }) => readerTarget({ name, read, seeds: mails, tokens: mailTokens }))
  .concat(
    readerTarget({
      name: "mail-with-reports",
      seeds: reportSeeds,
      tokens: reportTokens,
      read: async (raw) => readReports(raw, defaultLimits),
    }),
  );
