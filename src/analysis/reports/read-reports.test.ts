import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../core/limits.ts";
import type { MailReports } from "../../core/mail-reports.ts";
import { readReports } from "./read-reports.ts";
import { dmarcSamples, dmarcXml } from "../../testing/dmarc-reports.test-aid.ts";
import { mailWithFile, zipOf } from "../../testing/report-files.test-aid.ts";
import {
  authFailureMail,
  complaintMail,
  deliverySamples,
  dispositionMail,
  everyReportMail,
  reportedMessageId,
  reportMail,
  tlsMail,
  tlsReport,
} from "../../testing/mail-reports.test-aid.ts";

const read = async (raw: string | Buffer): Promise<MailReports> => readReports(Buffer.from(raw), defaultLimits);
const name = "receiver.example!shop.example!1795737600!1795823999.xml";
const xmlMail = (xml: string | Buffer, file = { name, type: "application/xml" }): string =>
  mailWithFile({ ...file, bytes: Buffer.from(xml) }, "A report.");
const empty = { dmarc: [], tls: [], feedback: [], delivery: [], disposition: [], original: null, problems: [] };

describe("DMARC reports", () => {
  test.each(dmarcSamples)("reads that of $producer", async ({ raw, organization }) => {
    const { dmarc, problems, ...others } = await read(raw);
    expect({ ...others, problems }).toMatchObject({ tls: [], delivery: [], problems: [] });
    const counts = { records: 2, messages: 15, passed: 12, quarantined: 3, rejected: 0 };
    expect(dmarc).toMatchObject([
      {
        organization,
        begin: "2026-11-27T00:00:00.000Z",
        end: "2026-11-27T23:59:59.000Z",
        counts,
        policy: { domain: "shop.example", p: "quarantine", sp: "none" },
      },
    ]);
    expect(dmarc[0]?.records).toMatchObject([
      { sourceIp: "192.0.2.17", count: 12, dkim: "pass", spf: "fail", disposition: "none", headerFrom: "shop.example" },
      { sourceIp: "2001:db8::25", count: 3, dkim: "fail", disposition: "quarantine" },
    ]);
    expect(dmarc[0]?.records[0]).toMatchObject({
      dkimResults: [{ domain: "shop.example", result: "pass" }],
      spfResults: [{ domain: "mail.shop.example", result: "fail" }],
    });
  });

  test("reads what only some producers write", async () => {
    const of = async (producer: string) => {
      const { dmarc } = await read(dmarcSamples.find((one) => one.producer === producer)?.raw ?? "");
      return dmarc[0];
    };
    expect(await of("RFC 9990")).toMatchObject({
      namespace: "urn:ietf:params:xml:ns:dmarc-2.0",
      version: "1.0",
      generator: "Reporter 2.1",
      errors: ["two records at _dmarc.shop.example"],
      policy: { np: "reject", testing: "n", discoveryMethod: "treewalk", fo: "1", adkim: "s", pct: null },
    });
    expect((await of("Fastmail"))?.records[0]).toMatchObject({
      reasons: [{ type: "mailing_list", comment: "a list" }],
      envelopeFrom: null,
      spfResults: [{ scope: "mfrom" }],
    });
    expect((await of("Microsoft, enterprise"))?.records[0]).toMatchObject({ envelopeTo: "there.example" });
  });

  test.each<[string, string, object]>([
    ["elements that are never closed", dmarcXml({ version: '<xs:schema xmlns:xs="x">' }), { counts: { messages: 15 } }],
    [
      "stray angle brackets",
      dmarcXml({ email: "<reports@receiver.example>" }),
      { email: null, counts: { messages: 15 } },
    ],
    ["unknown entities", dmarcXml({ organization: "A &b; C" }), { organization: "A &b; C" }],
    ["a document that ends early", dmarcXml().slice(0, -450), { counts: { records: 1, messages: 12 } }],
  ])("reads on after %s, and says so", async (_title, xml, expected) => {
    const { dmarc, problems } = await read(xmlMail(xml));
    expect(dmarc).toMatchObject([expected]);
    expect(problems).toEqual([{ file: name, problem: expect.stringMatching(/^The XML is damaged: /) as unknown }]);
  });

  test("takes the first of repeated values, and reads a count that is not a number as 0", async () => {
    const xml = dmarcXml({ version: "<version/><version>1.0</version><version>2.0</version>" })
      .replace("<count>12</count>", "<count></count><count>9</count><count>12</count>")
      .replace("<count>3</count>", "<count>-3</count>")
      .replace(/<begin>\d+/, "<begin>99999999999999");
    const [report] = (await read(xmlMail(xml))).dmarc;
    expect(report).toMatchObject({
      version: "1.0",
      begin: null,
      counts: { messages: 9 },
      records: [{ count: 9 }, { count: 0 }],
    });
  });

  test("declares no entity, and fetches none", async () => {
    const bomb = Array.from({ length: 20 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(20)}">`).join("");
    const prolog = `<?xml version="1.0"?><!DOCTYPE feedback [<!ENTITY e0 "lol"><!ENTITY file SYSTEM "file:///etc/passwd">${bomb}]>`;
    const { dmarc } = await read(xmlMail(dmarcXml({ prolog, organization: "&e20;&file;" })));
    expect(dmarc).toMatchObject([{ organization: "&e20;&file;", counts: { messages: 15 } }]);
  });

  test("shows a thousand records and counts all, and stops at deep nesting and many errors", async () => {
    const record = /<record>.*<\/record>/s.exec(dmarcXml())?.[0] ?? "";
    const many = dmarcXml().replace(record, record.repeat(1500));
    const { dmarc } = await read(xmlMail(gzipSync(many), { name: `${name}.gz`, type: "application/gzip" }));
    expect(dmarc[0]?.records).toHaveLength(1000);
    expect(dmarc[0]?.counts).toMatchObject({ records: 3000, messages: 22_500, passed: 18_000 });
    const deep = dmarcXml().replace("<row>", `${"<a>".repeat(100_000)}<row>`);
    expect(await read(xmlMail(deep))).toMatchObject({
      dmarc: [{ counts: { records: 0 }, policy: { domain: "shop.example" } }],
      problems: [{ problem: "The XML is damaged: Has more than 20 elements in elements" }],
    });
    const broken = dmarcXml().replace("<row>", `${"</b>".repeat(100_000)}<row>`);
    expect((await read(xmlMail(broken))).dmarc).toMatchObject([{ counts: { records: 0 } }]);
  });

  test("unpacks no more than the limit, whatever sizes an archive states", async () => {
    const large = Buffer.alloc(40 * 1024 * 1024, 0x20);
    large.write("<feedback>");
    const gzip = gzipSync(large);
    const damagedZip: unknown = expect.stringMatching(/^Is no ZIP archive that can be read: /);
    const damagedGzip: unknown = expect.stringMatching(/^Is no complete gzip file: /);
    const limit = { problem: "Has more than 32 MB unpacked" };
    const archives: readonly (readonly [string, Buffer, object])[] = [
      ["gz", gzip, limit],
      ["zip", zipOf("a.xml", large), limit],
      ["zip", zipOf("a.xml", large, 100), { problem: damagedZip }],
      ["gz", gzipSync(dmarcXml()).subarray(0, -20), { problem: damagedGzip }],
      ["zip", zipOf("a.xml", Buffer.from(dmarcXml())).subarray(0, -9), { problem: damagedZip }],
      ["zip", zipOf("a.zip", zipOf("a.xml", Buffer.from(dmarcXml()))), { problem: "Contains no report" }],
      ["gz", gzipSync("unused"), { problem: "Contains no report" }],
    ];
    for (const [ending, bytes, problem] of archives) {
      const file = `${name.slice(0, -3)}${ending}`;
      const found = await read(mailWithFile({ name: file, type: "application/octet-stream", bytes }, "A report."));
      expect(found).toEqual({ ...empty, problems: [{ file, ...problem }] });
    }
  });

  test("says nothing about other archives and documents", async () => {
    for (const bytes of [
      zipOf("photo.jpg", Buffer.from("x")),
      Buffer.from("<svg/>"),
      Buffer.from("{}"),
      Buffer.from("PK"),
    ]) {
      expect(await read(mailWithFile({ name: "files.zip", type: "application/zip", bytes }, "Photos."))).toEqual(empty);
    }
  });

  test("reads UTF-16", async () => {
    const xml = Buffer.from(`\ufeff${dmarcXml({ organization: "Empfänger" })}`, "utf16le");
    expect((await read(xmlMail(xml))).dmarc).toMatchObject([{ organization: "Empfänger" }]);
  });
});

describe("TLS reports", () => {
  test.each(["gzip", "json"] as const)("reads %s", async (form) => {
    const { tls, problems } = await read(tlsMail(tlsReport, form));
    expect(problems).toEqual([]);
    expect(tls).toMatchObject([
      {
        organization: "Receiver Inc.",
        begin: "2026-11-27T00:00:00.000Z",
        counts: { policies: 1, successful: 38, failed: 2 },
        policies: [
          {
            type: "sts",
            domain: "shop.example",
            lines: ["version: STSv1", "mode: enforce", "mx: mx.shop.example", "max_age: 86400"],
            mxHosts: ["mx.shop.example"],
            failures: [{ result: "certificate-expired", count: 2, receivingIp: "198.51.100.7", additional: null }],
          },
        ],
      },
    ]);
  });

  test.each<[string, unknown]>([
    [
      "members of other types",
      { "report-id": "1", policies: [null, 3, { policy: [], "failure-details": "x", summary: "y" }] },
    ],
    ["a huge count", { "report-id": 1, policies: [{ summary: { "total-failure-session-count": 1e300 } }] }],
  ])("bears %s", async (_title, report) => {
    expect((await read(tlsMail(report))).tls).toMatchObject([{ reportId: "1", counts: { failed: 0 } }]);
  });

  test("shows a hundred policies and counts all; refuses other JSON, and JSON that is nested too deeply", async () => {
    const policy = {
      summary: { "total-successful-session-count": 1 },
      "failure-details": Array.from({ length: 200 }, () => ({})),
    };
    const { tls } = await read(tlsMail({ "report-id": "1", policies: Array.from({ length: 150 }, () => policy) }));
    expect(tls[0]).toMatchObject({ counts: { policies: 150, successful: 150 } });
    expect([tls[0]?.policies.length, tls[0]?.policies[0]?.failures.length]).toEqual([100, 100]);
    for (const report of [{ policies: [] }, JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`), "x"]) {
      expect(await read(tlsMail(report))).toMatchObject({ tls: [], problems: [{ problem: "Contains no report" }] });
    }
  });
});

describe("reports about deliveries", () => {
  test.each(Object.entries(deliverySamples))("reads that of %s", async (server, raw) => {
    const { delivery, original, problems } = await read(raw);
    expect(problems).toEqual([]);
    const recipient = server.includes("UTF8") ? "αδα@there.example" : "ada@there.example";
    const action = server === "sendmail" ? "delayed" : "failed";
    expect(delivery).toHaveLength(1);
    expect(delivery[0]?.recipients[0]).toMatchObject({ recipient, action });
    expect(original).toMatchObject({ messageId: reportedMessageId, ids: [] });
    if (server !== "Gmail") {
      const mail = { subject: "Your order 81", from: "orders@shop.example", to: ["ada@there.example"] };
      expect(original).toMatchObject({ ...mail, date: "2026-11-27T09:12:00.000Z" });
    }
  });

  test("reads the fields of a notification", async () => {
    const of = async (server: string) => (await read(deliverySamples[server] ?? "")).delivery[0];
    expect(await of("sendmail")).toEqual({
      form: "dsn",
      reportingMta: "mail.shop.example",
      receivedFrom: "app.shop.example",
      envelopeId: "order-81",
      arrived: "2026-11-27T09:12:00.000Z",
      recipients: [
        {
          recipient: "ada@there.example",
          originalRecipient: null,
          action: "delayed",
          status: "4.2.0",
          diagnostic: "451 4.2.0 Mailbox busy",
          remoteMta: "mx.there.example",
          lastAttempt: "2026-11-27T13:12:00.000Z",
          retriedUntil: "2026-12-02T09:12:00.000Z",
        },
        expect.objectContaining({ recipient: "bob@elsewhere.example", action: "relayed", status: "2.6.0" }),
      ],
    });
    expect((await of("Postfix, SMTPUTF8"))?.recipients[0]?.originalRecipient).toBe("αδα@there.example");
    expect((await of("Postfix"))?.recipients[0]?.diagnostic).toContain("User unknown in virtual mailbox table");
    const qmail = { status: "5.1.1", diagnostic: "Sorry, no mailbox here by that name. (#5.1.1)" };
    expect(await of("qmail")).toMatchObject({ form: "qmail", recipients: [qmail] });
    expect((await of("Exim, older"))?.recipients).toMatchObject([{}, { recipient: "bob@elsewhere.example" }]);
  });

  test("shows a thousand recipients, and bears fields without form", async () => {
    const group = "Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\n\r\n";
    const part = (fields: string): string => `Content-Type: message/delivery-status\r\n\r\n${fields}`;
    const many = await read(
      reportMail("delivery-status", [part(`Reporting-MTA: dns; a\r\n\r\n${group.repeat(1500)}`)]),
    );
    expect(many.delivery[0]?.recipients).toHaveLength(1000);
    expect(await read(reportMail("delivery-status", [part("no field\r\n\r\n: x\r\n")]))).toEqual(empty);
    const alone = await read(reportMail("delivery-status", [part(group)]));
    expect(alone.delivery).toMatchObject([{ reportingMta: null, recipients: [{ recipient: "a@b.example" }] }]);
  });

  test("reads complaints and failures of authentication", async () => {
    expect(await read(complaintMail)).toMatchObject({
      feedback: [
        {
          type: "abuse",
          userAgent: "Receiver-FBL/2.1",
          sourceIp: "192.0.2.17",
          arrived: "2026-11-27T09:14:00.000Z",
          incidents: 3,
          mailFrom: "orders@shop.example",
          recipients: ["ada@there.example", "bob@there.example"],
          reportingMta: "mx.there.example",
          domains: ["shop.example"],
          uris: ["https://shop.example/offer"],
          others: [{ field: "x-campaign", value: "autumn" }],
        },
      ],
      original: { messageId: reportedMessageId },
    });
    expect((await read(authFailureMail)).feedback).toMatchObject([
      { type: "auth-failure", authenticationFailure: "dmarc", deliveryResult: "reject", mailFrom: null, incidents: 1 },
    ]);
  });

  test("reads every kind of report in one mail", async () => {
    const { original, problems, ...reports } = await read(everyReportMail);
    expect([problems, original?.messageId]).toEqual([[], reportedMessageId]);
    expect(Object.values(reports).map(({ length }) => length)).toEqual([1, 1, 1, 1, 1]);
  });

  test("reads notifications of dispositions", async () => {
    expect(await read(dispositionMail)).toMatchObject({
      disposition: [
        {
          reportingAgent: "ada-pc.there.example; Reader 5.2",
          recipient: "ada@there.example",
          disposition: "displayed",
          modifiers: ["error", "warning"],
          mode: "automatic-action/MDN-sent-automatically",
          errors: ["no disk"],
        },
      ],
      original: { messageId: reportedMessageId, subject: null },
    });
  });
});

test("finds nothing in other mails, and never rejects", async () => {
  expect(await read("Subject: Hello\r\n\r\nHi. This is the end.\r\n")).toEqual(empty);
  const seeds = [...dmarcSamples.map(({ raw }) => raw), ...Object.values(deliverySamples), tlsMail(tlsReport, "json")];
  const mutateAndRead = async (raw: string, [from, length]: readonly [number, number], text: string): Promise<void> => {
    const start = from % raw.length;
    await read(raw.slice(0, start) + text + raw.slice(start + (length % 200)));
  };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...seeds), fc.tuple(fc.nat(), fc.nat()), fc.string(), mutateAndRead),
    { numRuns: 150 },
  );
});
