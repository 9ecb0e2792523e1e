/** DMARC reports in the forms of their producers, with values of our own. */
import { gzipSync } from "node:zlib";
import { mailWithFile, zipOf } from "./report-files.test-aid.ts";

/** Report of a producer of DMARC reports. */
interface DmarcSample {
  readonly producer: string;
  readonly organization: string;
  readonly raw: string;
}

/** Parts of a report that differ between producers. */
interface DmarcForm {
  readonly organization: string;
  readonly email: string;
  readonly host: string;
  /** Text around the elements; `feedback` is the start tag. */
  readonly prolog?: string;
  readonly feedback?: string;
  readonly version?: string;
  readonly metadata?: string;
  readonly policy?: string;
  readonly identifiers?: string;
  readonly reason?: string;
  readonly dkim?: string;
  readonly spf?: string;
  /** Changes the finished document. */
  readonly finish?: (xml: string) => string;
  readonly pack?: "zip" | "gzip" | "none";
  readonly type?: string;
  readonly text?: string | null;
  readonly subject?: string;
}

const [begin, end] = [1_795_737_600, 1_795_823_999];

/** Returns the document of a report: 12 messages pass, 3 fail and are quarantined. */
export function dmarcXml(form: Partial<DmarcForm> = {}): string {
  const { organization = "Receiver", email = "reports@receiver.example", host = "receiver.example" } = form;
  const record = (ip: string, count: number, result: "pass" | "fail"): string => `
  <record>
    <row>
      <source_ip>${ip}</source_ip>
      <count>${String(count)}</count>
      <policy_evaluated>
        <disposition>${result === "pass" ? "none" : "quarantine"}</disposition>
        <dkim>${result}</dkim>
        <spf>fail</spf>${form.reason ?? ""}
      </policy_evaluated>
    </row>
    <identifiers>${form.identifiers ?? "<header_from>shop.example</header_from>"}</identifiers>
    <auth_results>
      <dkim><domain>shop.example</domain>${form.dkim ?? "<selector>s1</selector>"}<result>${result}</result></dkim>
      <spf><domain>mail.shop.example</domain>${form.spf ?? ""}<result>fail</result></spf>
    </auth_results>
  </record>`;
  const xml = `${form.prolog ?? '<?xml version="1.0" encoding="UTF-8" ?>\n'}${form.feedback ?? "<feedback>"}${form.version ?? ""}
  <report_metadata>
    <org_name>${organization}</org_name>
    <email>${email}</email>${form.metadata ?? ""}
    <report_id>${host}-8231</report_id>
    <date_range><begin>${String(begin)}</begin><end>${String(end)}</end></date_range>
  </report_metadata>
  <policy_published>
    <domain>shop.example</domain>${form.policy ?? "<adkim>r</adkim><aspf>r</aspf><p>quarantine</p><sp>none</sp><pct>100</pct>"}
  </policy_published>${record("192.0.2.17", 12, "pass")}${record("2001:db8::25", 3, "fail")}
</feedback>
`;
  return form.finish?.(xml) ?? xml;
}

const version = "\n  <version>1.0</version>";
const microsoft: Partial<DmarcForm> = {
  prolog: '<?xml version="1.0"?>\n',
  feedback:
    '<feedback xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
  version,
  email: "dmarcreport@microsoft.com",
  policy: "<adkim>r</adkim><aspf>r</aspf><p>quarantine</p><sp>none</sp><pct>100</pct><fo>0</fo>",
  identifiers:
    "<envelope_to>there.example</envelope_to><envelope_from>mail.shop.example</envelope_from><header_from>shop.example</header_from>",
  spf: "<scope>mfrom</scope>",
  pack: "gzip",
};

const dmarcForms: Readonly<Record<string, DmarcForm>> = {
  // The whole mail is the archive.
  Google: {
    organization: "google.com",
    email: "noreply-dmarc-support@google.com",
    host: "google.com",
    metadata: "\n    <extra_contact_info>https://support.google.com/a/answer/2466580</extra_contact_info>",
    policy: "<adkim>r</adkim><aspf>r</aspf><p>quarantine</p><sp>none</sp><pct>100</pct><np>none</np>",
    pack: "zip",
    type: "application/zip",
    text: null,
  },
  "Microsoft, enterprise": {
    ...microsoft,
    organization: "Enterprise Outlook",
    email: "dmarcreport@microsoft.com",
    host: "enterprise.protection.outlook.com",
    subject: "[Preview] Report Domain: shop.example Submitter: enterprise.protection.outlook.com Report-ID: 8231",
  },
  "Microsoft, consumer": {
    ...microsoft,
    organization: "Outlook.com",
    email: "dmarcreport@microsoft.com",
    host: "protection.outlook.com",
  },
  // Tabs after tags, and a blank in a number.
  Yahoo: {
    organization: "Yahoo",
    email: "dmarchelp@yahooinc.com",
    host: "yahoo.com",
    prolog: '<?xml version="1.0"?>   \n',
    finish: (xml) => xml.replaceAll("\n", "\t\n").replace("</end>", " </end>"),
    pack: "gzip",
  },
  "Mail.ru": {
    organization: "Mail.Ru",
    email: "dmarc_support@corp.mail.ru",
    host: "mail.ru",
    metadata: "<extra_contact_info>http://help.mail.ru/mail-help</extra_contact_info>",
    finish: (xml) => xml.replaceAll(/\n\s*/g, ""),
    pack: "gzip",
    type: "application/x-gzip",
    subject: "Report Domain: shop.example; Submitter: mail.ru; Report-ID: 8231",
  },
  // References of characters, a document type, and reasons.
  Fastmail: {
    organization: "Fastmail Pty Ltd &#40;reports&#41;",
    email: "reports&#64;fastmail.example",
    host: "fastmail.com",
    prolog: '<?xml version="1.0"?>\n<!DOCTYPE feedback SYSTEM "rua.dtd">\n',
    version,
    reason: "<reason><type>mailing_list</type><comment>a list</comment></reason><reason><type></type></reason>",
    identifiers: "<envelope_from></envelope_from><header_from>shop.example</header_from>",
    spf: "<scope>mfrom</scope>",
    pack: "gzip",
  },
  // Bytes after the end of the gzip file; the whole mail is the file.
  Mimecast: {
    organization: "Mimecast",
    email: "no-reply@mimecastreport.example",
    host: "mimecast.org",
    pack: "gzip",
    text: null,
  },
  "Amazon SES": {
    organization: "AMAZON-SES",
    email: "postmaster@amazonses.com",
    host: "amazonses.com",
    version: "\n\t<version>0.1</version>",
    policy: "<adkim>r</adkim><aspf>r</aspf><p>quarantine</p><sp>none</sp><pct>100</pct><fo>0</fo>",
    identifiers: "<envelope_from>mail.shop.example</envelope_from><header_from>shop.example</header_from>",
    pack: "gzip",
  },
  // A namespace of the first draft, and no selector.
  "Cisco ESA": {
    organization: "Receiver of mail",
    email: "dmarc@receiver.example",
    host: "receiver.example",
    prolog: "",
    feedback: '<feedback xmlns="http://dmarc.org/dmarc-xml/0.1">',
    dkim: "",
    pack: "gzip",
    type: "application/octet-stream",
  },
  GMX: {
    organization: "GMX",
    email: "noreply-dmarc@sicher.gmx.net",
    host: "gmx.net",
    metadata: "<extra_contact_info>https://postmaster.gmx.net/en/case?c=r2002</extra_contact_info>",
    version,
    spf: "<scope>mfrom</scope>",
    pack: "gzip",
  },
  // An old charset, prefixes, and upper-case results.
  Comcast: {
    organization: "Comcast – reports",
    email: "dmarc_reports@receiver.example",
    host: "comcast.net",
    prolog: '<?xml version="1.0" encoding="windows-1252"?>\n',
    finish: (xml) =>
      xml
        .replace("<feedback>", '<ns1:feedback xmlns:ns1="http://dmarc.org/dmarc-xml/0.1">')
        .replace("</feedback>", "</ns1:feedback>")
        .replaceAll(">pass<", ">Pass<"),
    pack: "zip",
    type: "application/x-zip-compressed",
  },
  // Not compressed.
  ProtonMail: {
    organization: "Proton",
    email: "dmarc@receiver.example",
    host: "protonmail.ch",
    finish: (xml) => xml.replaceAll(/\n\s*/g, ""),
    pack: "none",
    type: "text/xml",
  },
  // RFC 9990.
  "RFC 9990": {
    organization: "Receiver",
    email: "reports@receiver.example",
    host: "receiver.example",
    feedback: '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">',
    version,
    policy:
      "<discovery_method>treewalk</discovery_method><p>quarantine</p><sp>none</sp><np>reject</np><fo>1</fo><adkim>s</adkim><aspf>r</aspf><testing>n</testing>",
    metadata: "<generator>Reporter 2.1</generator><error>two records at _dmarc.shop.example</error>",
    pack: "gzip",
  },
};

function dmarcSample(producer: string, form: DmarcForm): DmarcSample {
  const { pack = "gzip", type = "application/gzip", text = "A report about DMARC.", host } = form;
  const stem = `${host}!shop.example!${String(begin)}!${String(end)}`;
  const xml = Buffer.from(dmarcXml(form), producer === "Comcast" ? "latin1" : "utf8");
  // `latin1` of Node writes the dash, U+2013, as its last byte; windows-1252 has it at 0x96.
  const document = producer === "Comcast" ? Buffer.from(xml.map((byte) => (byte === 0x13 ? 0x96 : byte))) : xml;
  const packed = {
    zip: () => ({ name: `${stem}.zip`, bytes: zipOf(`${stem}.xml`, document) }),
    gzip: () => ({
      name: `${stem}.xml.gz`,
      bytes: Buffer.concat([gzipSync(document), Buffer.from(producer === "Mimecast" ? "\r\n" : "")]),
    }),
    none: () => ({ name: `${stem}.xml`, bytes: document }),
  }[pack]();
  const subject = form.subject ?? `Report domain: shop.example Submitter: ${host} Report-ID: 8231`;
  return {
    producer,
    organization: form.organization.replace("&#40;", "(").replace("&#41;", ")"),
    raw: mailWithFile({ ...packed, type }, text, [`Subject: ${subject}`, `Message-ID: <r1@${host}>`]),
  };
}

/** A DMARC report of each producer, about the same messages. */
export const dmarcSamples: readonly DmarcSample[] = Object.entries(dmarcForms).map(([producer, form]) =>
  dmarcSample(producer, form),
);
