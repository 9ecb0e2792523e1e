/** TLS reports, and reports about a mail, in the forms of their producers with values of our own. */
import { gzipSync } from "node:zlib";
import { dmarcXml } from "./dmarc-reports.test-aid.ts";
import { base64 } from "./report-files.test-aid.ts";

/** Members of a TLS report in the form of Google's: one policy, 40 sessions, of which two failed. */
export const tlsReport: object = {
  "organization-name": "Receiver Inc.",
  "date-range": { "start-datetime": "2026-11-27T00:00:00Z", "end-datetime": "2026-11-27T23:59:59Z" },
  "contact-info": "smtp-tls-reporting@receiver.example",
  "report-id": "2026-11-27T00:00:00Z_shop.example",
  policies: [
    {
      policy: {
        "policy-type": "sts",
        "policy-string": ["version: STSv1", "mode: enforce", "mx: mx.shop.example", "max_age: 86400"],
        "policy-domain": "shop.example",
        "mx-host": ["mx.shop.example"],
      },
      summary: { "total-successful-session-count": 38, "total-failure-session-count": 2 },
      "failure-details": [
        {
          "result-type": "certificate-expired",
          "sending-mta-ip": "192.0.2.9",
          "receiving-mx-hostname": "mx.shop.example",
          "receiving-ip": "198.51.100.7",
          "failed-session-count": 2,
          "additional-information": "",
        },
      ],
    },
  ],
};

/** Returns a TLS report as a mail (RFC 8460 §5.3): gzip or JSON. */
export function tlsMail(report: unknown, form: "gzip" | "json" = "gzip"): string {
  const json = Buffer.from(JSON.stringify(report));
  return [
    "From: noreply-smtp-tls-reporting@receiver.example",
    "To: tls@shop.example",
    "Subject: Report Domain: shop.example Submitter: receiver.example Report-ID: <8231@receiver.example>",
    "TLS-Report-Domain: shop.example",
    "TLS-Report-Submitter: receiver.example",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type="tlsrpt"; boundary="b1"',
    "",
    "--b1",
    "Content-Type: text/plain",
    "",
    "This is an aggregate TLS report.",
    "--b1",
    `Content-Type: application/tlsrpt+${form}`,
    `Content-Disposition: attachment; filename="receiver.example!shop.example!1795737600!1795823999!001.json${form === "gzip" ? ".gz" : ""}"`,
    "Content-Transfer-Encoding: base64",
    "",
    base64(form === "gzip" ? gzipSync(json) : json),
    "--b1--",
    "",
  ].join("\r\n");
}

/** Message-ID of the mail that the reports about single mails are about. */
export const reportedMessageId = "<order-81@shop.example>";

const returned = [
  "Received: from app.shop.example by mail.shop.example; Fri, 27 Nov 2026 09:12:00 +0000",
  "From: Shop <orders@shop.example>",
  "To: ada@there.example",
  "Subject: Your order 81",
  "Date: Fri, 27 Nov 2026 09:12:00 +0000",
  `Message-ID: ${reportedMessageId}`,
];

/** Returns a report about a mail (RFC 6522). `parts` are the headers and contents of its parts. */
export function reportMail(reportType: string, parts: readonly string[], fields: readonly string[] = []): string {
  return [
    "From: Mail Delivery System <MAILER-DAEMON@mail.shop.example>",
    "To: orders@shop.example",
    ...(fields.some((field) => field.startsWith("Subject:")) ? [] : ["Subject: Undelivered Mail Returned to Sender"]),
    "Date: Fri, 27 Nov 2026 09:13:00 +0000",
    "Message-ID: <bounce-1@mail.shop.example>",
    "MIME-Version: 1.0",
    ...fields,
    `Content-Type: multipart/report; report-type=${reportType}; boundary="b1"`,
    "",
    ...parts.flatMap((part) => ["--b1", part]),
    "--b1--",
    "",
  ].join("\r\n");
}

const lines = (...all: readonly string[]): string => all.join("\r\n");
const notice = lines("Content-Type: text/plain; charset=us-ascii", "", "Your message could not be delivered.", "");
const wholeMail = lines("Content-Type: message/rfc822", "", ...returned, "", "Thank you for your order.", "");
const onlyHeaders = lines("Content-Type: text/rfc822-headers", "", ...returned, "");
const status = (...all: readonly string[]): string => lines("Content-Type: message/delivery-status", "", ...all, "");

/** Notifications about deliveries of the order's mail, by the mail server that writes them so. */
export const deliverySamples: Readonly<Record<string, string>> = {
  Postfix: reportMail("delivery-status", [
    notice,
    status(
      "Reporting-MTA: dns; mail.shop.example",
      "X-Postfix-Queue-ID: 4gKx2V1zz",
      "X-Postfix-Sender: rfc822; orders@shop.example",
      "Arrival-Date: Fri, 27 Nov 2026 09:12:00 +0000 (UTC)",
      "",
      "Final-Recipient: rfc822; ada@there.example",
      "Original-Recipient: rfc822;ada@there.example",
      "Action: failed",
      "Status: 5.1.1",
      "Remote-MTA: dns; mx.there.example",
      "Diagnostic-Code: smtp; 550 5.1.1 <ada@there.example>: Recipient address rejected: User",
      "    unknown in virtual mailbox table",
    ),
    wholeMail,
  ]),
  "Postfix, SMTPUTF8": reportMail("delivery-status", [
    notice,
    lines(
      "Content-Type: message/global-delivery-status",
      "Content-Transfer-Encoding: 8bit",
      "",
      "Reporting-MTA: dns; mail.shop.example",
      "",
      "Final-Recipient: utf-8; αδα@there.example",
      String.raw`Original-Recipient: utf-8; \x{3B1}\x{3B4}\x{3B1}@there.example`,
      "Action: failed",
      "Status: 5.6.7",
      "",
    ),
    lines("Content-Type: message/global-headers", "", ...returned, ""),
  ]),
  Exim: reportMail(
    "delivery-status",
    [
      notice,
      status(
        "Reporting-MTA: dns; mail.shop.example",
        "",
        "Action: failed",
        "Final-Recipient: rfc822;ada@there.example",
        "Status: 5.0.0",
        "Remote-MTA: dns; mx.there.example",
        "Diagnostic-Code: smtp; 550 No such user here",
      ),
      onlyHeaders,
    ],
    ["X-Failed-Recipients: ada@there.example", "Subject: Mail delivery failed: returning message to sender"],
  ),
  Exchange: reportMail(
    "delivery-status",
    [
      lines("Content-Type: text/html; charset=us-ascii", "", "<p>Your message wasn't delivered.</p>", ""),
      status(
        "Reporting-MTA: dns;BN0PR00MB0000.shop.example",
        "Received-From-MTA: dns;mail.shop.example",
        "Arrival-Date: Fri, 27 Nov 2026 09:12:00 +0000",
        "",
        "Final-recipient: RFC822;ada@there.example",
        "Action: failed",
        "Status: 5.1.10",
        "Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found",
        "X-Display-Name: Ada",
      ),
      wholeMail,
    ],
    ["Subject: Undeliverable: Your order 81", "X-MS-Exchange-Message-Is-Ndr: "],
  ),
  sendmail: reportMail("delivery-status", [
    notice,
    status(
      "Reporting-MTA: dns; mail.shop.example",
      "Received-From-MTA: DNS; app.shop.example",
      "Original-Envelope-Id: order-81",
      "Arrival-Date: Fri, 27 Nov 2026 09:12:00 GMT",
      "",
      "Final-Recipient: RFC822; ada@there.example",
      "Action: delayed",
      "Status: 4.2.0",
      "Remote-MTA: DNS; mx.there.example",
      "Diagnostic-Code: SMTP; 451 4.2.0 Mailbox busy",
      "Last-Attempt-Date: Fri, 27 Nov 2026 13:12:00 GMT",
      "Will-Retry-Until: Wed, 2 Dec 2026 09:12:00 GMT",
      "",
      "Final-Recipient: RFC822; bob@elsewhere.example",
      "Action: relayed (to non-DSN-aware mailer)",
      "Status: 2.6.0",
      "Remote-MTA: DNS; mx.elsewhere.example",
    ),
    onlyHeaders,
  ]),
  // The Message-ID is in the fields, and nothing is returned.
  Gmail: reportMail("delivery-status", [
    notice,
    status(
      "Reporting-MTA: dns; googlemail.com",
      "Received-From-MTA: dns; orders@shop.example",
      "Arrival-Date: Fri, 27 Nov 2026 01:12:00 -0800 (PST)",
      `X-Original-Message-ID: ${reportedMessageId}`,
      "",
      "Final-Recipient: rfc822; ada@there.example",
      "Action: failed",
      "Status: 5.1.1",
      "Remote-MTA: dns; mx.there.example. (198.51.100.9, the server for the domain",
      " there.example.)",
      "Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not",
      " exist. 550 5.1.1 ada",
      "Last-Attempt-Date: Fri, 27 Nov 2026 01:12:01 -0800 (PST)",
    ),
  ]),
  qmail: lines(
    "From: MAILER-DAEMON@mail.shop.example",
    "To: orders@shop.example",
    "Subject: failure notice",
    "Date: 27 Nov 2026 09:13:00 -0000",
    "",
    "Hi. This is the qmail-send program at mail.shop.example.",
    "I'm afraid I wasn't able to deliver your message to the following addresses.",
    "This is a permanent error; I've given up. Sorry it didn't work out.",
    "",
    "<ada@there.example>:",
    "Sorry, no mailbox here by that name. (#5.1.1)",
    "",
    "--- Below this line is a copy of the message.",
    "",
    "Return-Path: <orders@shop.example>",
    ...returned,
    "",
    "Thank you for your order.",
    "",
  ),
  "Exim, older": lines(
    "From: Mail Delivery System <Mailer-Daemon@mail.shop.example>",
    "To: orders@shop.example",
    "Subject: Mail delivery failed: returning message to sender",
    "X-Failed-Recipients: ada@there.example,",
    "  bob@elsewhere.example",
    "",
    "This message was created automatically by mail delivery software.",
    "",
    "------ This is a copy of the message, including all the headers. ------",
    "",
    ...returned,
    "",
    "Thank you for your order.",
    "",
  ),
};

/** A complaint as Yahoo's feedback loop sends it. */
export const complaintMail: string = reportMail(
  "feedback-report",
  [
    lines("Content-Type: text/plain", "", "This is an email abuse report.", ""),
    lines(
      "Content-Type: message/feedback-report",
      "",
      "Feedback-Type: abuse",
      "User-Agent: Receiver-FBL/2.1",
      "Version: 1",
      "Original-Mail-From: <orders@shop.example>",
      "Original-Rcpt-To: <ada@there.example>",
      "Original-Rcpt-To: <bob@there.example>",
      "Arrival-Date: Fri, 27 Nov 2026 09:14:00 +0000",
      "Source-IP: 192.0.2.17",
      "Reported-Domain: shop.example",
      "Reported-URI: https://shop.example/offer",
      "Reporting-MTA: dns; mx.there.example",
      "Incidents: 3",
      "X-Campaign: autumn",
      "",
    ),
    wholeMail,
  ],
  ["Subject: Your order 81"],
);

/** A report of an authentication failure (RFC 6591). */
export const authFailureMail: string = reportMail("feedback-report", [
  lines("Content-Type: text/plain", "", "An authentication failure.", ""),
  lines(
    "Content-Type: message/feedback-report",
    "",
    "Feedback-Type: auth-failure",
    "User-Agent: Receiver/1",
    "Version: 1",
    "Original-Mail-From: <>",
    "Auth-Failure: dmarc",
    "Authentication-Results: mx.there.example; dmarc=fail header.from=shop.example",
    "Delivery-Result: Reject",
    "Identity-Alignment: none",
    "Source-IP: 203.0.113.5",
    "",
  ),
  onlyHeaders,
]);

/** A message disposition notification (RFC 8098). */
export const dispositionMail: string = reportMail(
  "disposition-notification",
  [
    lines("Content-Type: text/plain", "", "Your message was displayed.", ""),
    lines(
      "Content-Type: message/disposition-notification",
      "",
      "Reporting-UA: ada-pc.there.example; Reader 5.2",
      "Original-Recipient: rfc822;ada@there.example",
      "Final-Recipient: rfc822; ada@there.example",
      `Original-Message-ID: ${reportedMessageId}`,
      "Disposition: automatic-action/MDN-sent-automatically; displayed/error,warning",
      "Error: no disk",
      "",
    ),
  ],
  ["Subject: Disposition notification"],
);

/** A mail with a report of each kind. */
export const everyReportMail: string = reportMail("delivery-status", [
  ...[deliverySamples["sendmail"] ?? "", complaintMail, dispositionMail, tlsMail(tlsReport, "json")].map(
    (mail) => mail.split(/--b1(?:--)?\r\n/)[2] ?? "",
  ),
  lines('Content-Type: text/xml; name="receiver.example!shop.example!1!2.xml"', "", dmarcXml()),
  wholeMail,
]);
