/** Reports that arrive as mail: about DMARC, TLS, complaints, deliveries and what readers did with a mail. */
import { build, orNull, refer, type ValueOf, type WireSchema } from "./schema.ts";

type Text = WireSchema<string | null>;

const text = build.string();
const maybe = (description: string): Text => orNull(build.string(), description);
const instant = (description: string): Text => orNull(build.string({ format: "date-time" }), description);
const texts = (description: string): WireSchema<readonly string[]> => build.array(text, description);
const count = (description: string): WireSchema<number> => build.integer({ minimum: 0, description });
const file = maybe("Name of the attachment that the report is from.");
const begin = instant("Begin of the period.");
const end = instant("End of the period.");
const reportId = maybe("Id that the receiver gave to the report.");
const organization = maybe("Receiver that reports.");

const authenticationSchema = build.object({
  domain: maybe("Domain of the signature or the envelope sender."),
  selector: maybe("Selector of the signature."),
  scope: maybe("Identity that SPF checked: `mfrom` or `helo`."),
  result: maybe("Result, such as `pass`."),
  explanation: maybe("Result in words."),
});

/** Schema of a row of a DMARC aggregate report. */
export const dmarcRecordSchema = build.object(
  {
    sourceIp: maybe("Address of the client."),
    count: count("Messages."),
    disposition: maybe("Action of the receiver: `none`, `quarantine`, `reject` or `pass`."),
    dkim: orNull(build.string("Result of DKIM with alignment.")),
    spf: orNull(build.string("Result of SPF with alignment.")),
    reasons: build.array(
      build.object({ type: maybe("Type, such as `forwarded`."), comment: maybe("Reason in words.") }),
      "Reasons to deviate from the policy.",
    ),
    headerFrom: maybe("Domain of the From field."),
    envelopeFrom: maybe("Domain of the envelope sender."),
    envelopeTo: maybe("Domain of the recipient."),
    dkimResults: build.array(authenticationSchema, "Signatures, without alignment."),
    spfResults: build.array(authenticationSchema, "Results of SPF, without alignment."),
  },
  { $id: "DmarcRecord" },
);

/** Row of a DMARC aggregate report. */
export type DmarcRecord = ValueOf<typeof dmarcRecordSchema>;

/** Schema of a DMARC aggregate report. */
export const dmarcReportSchema = build.object(
  {
    file,
    namespace: orNull(build.string("XML namespace: `urn:ietf:params:xml:ns:dmarc-2.0` for reports of RFC 9990.")),
    version: maybe("Version of the format."),
    organization,
    email: maybe("Address of the receiver for questions."),
    contact: maybe("Further contact."),
    generator: maybe("Program that wrote the report."),
    reportId,
    begin,
    end,
    errors: texts("Errors of the receiver, such as two policies of one domain."),
    policy: build.object(
      {
        domain: maybe("Domain of the policy."),
        p: maybe("Policy."),
        sp: maybe("Policy of subdomains."),
        np: maybe("Policy of subdomains that do not exist."),
        adkim: maybe("Alignment of DKIM: `r` or `s`."),
        aspf: maybe("Alignment of SPF: `r` or `s`."),
        pct: maybe("Percentage of messages to which the policy applies."),
        fo: maybe("Failures to report."),
        testing: maybe("Whether the policy is in test: `y` or `n`."),
        discoveryMethod: maybe("How the policy was found: `psl` or `treewalk`."),
      },
      "Policy that the domain publishes.",
    ),
    counts: build.object(
      {
        records: count("Records."),
        messages: count("Messages."),
        passed: count("Messages that pass DKIM or SPF with alignment."),
        quarantined: count("Messages that were quarantined."),
        rejected: count("Messages that were rejected."),
      },
      "Records of the report, and messages by result, over all records.",
    ),
    records: build.array(refer(dmarcRecordSchema), "The first 1,000 records."),
  },
  { $id: "DmarcReport" },
);

/** DMARC aggregate report (RFC 7489 appendix C, RFC 9990). */
export type DmarcReport = ValueOf<typeof dmarcReportSchema>;

/** Schema of a TLS report. */
export const tlsReportSchema = build.object(
  {
    file,
    organization,
    contact: maybe("Contact of the receiver."),
    reportId,
    begin,
    end,
    counts: build.object(
      {
        policies: count("Policies."),
        successful: count("Sessions that succeeded."),
        failed: count("Sessions that failed."),
      },
      "Policies, and sessions over all of them.",
    ),
    policies: build.array(
      build.object({
        type: maybe("Type of the policy: `sts`, `tlsa` or `no-policy-found`."),
        domain: maybe("Domain of the policy."),
        lines: build.array(text, "Lines of the policy."),
        mxHosts: texts("Hosts that the policy allows."),
        successful: count("Sessions that succeeded."),
        failed: count("Sessions that failed."),
        failures: build.array(
          build.object({
            result: maybe("Type of the failure, such as `certificate-expired`."),
            count: count("Sessions that failed so."),
            sendingIp: maybe("Address of the sender."),
            receivingHost: maybe("MX host of the domain."),
            receivingHelo: maybe("Name in the greeting of the host."),
            receivingIp: maybe("Address of the host."),
            reason: maybe("Code of the reason."),
            additional: maybe("Further information, or its URL."),
          }),
          "The first 100 kinds of failures of the policy.",
        ),
      }),
      "The first 100 policies.",
    ),
  },
  { $id: "TlsReport" },
);

/** TLS report (RFC 8460). Counts are numbers of sessions. */
export type TlsReport = ValueOf<typeof tlsReportSchema>;

/** Schema of a complaint. */
export const feedbackReportSchema = build.object(
  {
    type: orNull(build.string("`abuse`, `fraud`, `virus`, `auth-failure`, `not-spam` or another one.")),
    userAgent: maybe("Program that wrote the report."),
    sourceIp: maybe("Address of the client that sent the mail."),
    arrived: instant("Arrival of the mail."),
    incidents: count("Complaints that the report stands for."),
    mailFrom: maybe("Envelope sender of the mail; null for the empty one."),
    recipients: texts("Envelope recipients of the mail."),
    reportingMta: maybe("Mail server that reports."),
    domains: build.array(text, "Domains that the report names (`Reported-Domain`)."),
    uris: build.array(text, "URIs that the report names (`Reported-URI`)."),
    authenticationFailure: orNull(build.string("`dkim`, `spf`, `dmarc` or another one (RFC 6591).")),
    authenticationResults: texts("Authentication-Results of the mail."),
    deliveryResult: maybe("What the receiver did with the mail."),
    others: build.array(
      build.object({ field: build.string("Name in lower case."), value: build.string("Value of the field.") }),
      "Further fields, at most 50.",
    ),
  },
  { $id: "FeedbackReport" },
);

/** Complaint or report of an authentication failure (RFC 5965, RFC 6591). */
export type FeedbackReport = ValueOf<typeof feedbackReportSchema>;

/** Schema of the delivery to a recipient. */
export const reportedRecipientSchema = build.object(
  {
    recipient: orNull(build.string("Address that the reporting server used.")),
    originalRecipient: orNull(build.string("Address that the sender used.")),
    action: orNull(build.string("`failed`, `delayed`, `delivered`, `relayed` or `expanded`.")),
    status: orNull(build.string("Enhanced status (RFC 3463), such as `5.1.1`.")),
    diagnostic: orNull(build.string("Reply of the server that was tried, or another reason.")),
    remoteMta: maybe("Mail server that was tried."),
    lastAttempt: instant("Last attempt to deliver."),
    retriedUntil: instant("End of the attempts; of delayed mail."),
  },
  { $id: "ReportedRecipient" },
);

/** Delivery to a recipient, as a delivery status notification tells it. */
export type ReportedRecipient = ValueOf<typeof reportedRecipientSchema>;

/** Schema of a delivery status notification. */
export const deliveryReportSchema = build.object(
  {
    form: build.enum(["dsn", "qmail", "exim"], "`dsn` for RFC 3464; the forms of qmail and older Exim are texts."),
    reportingMta: maybe("Mail server that reports."),
    receivedFrom: maybe("Mail server that it had the mail from."),
    envelopeId: maybe("ENVID that the sender gave (RFC 3461)."),
    arrived: instant("Arrival of the mail at this server."),
    recipients: build.array(refer(reportedRecipientSchema), "The first 1,000 recipients."),
  },
  { $id: "DeliveryReport" },
);

/** Delivery status notification. */
export type DeliveryReport = ValueOf<typeof deliveryReportSchema>;

/** Schema of a message disposition notification. */
export const dispositionReportSchema = build.object(
  {
    reportingAgent: maybe("Program that reports."),
    recipient: maybe("Address of the recipient."),
    originalRecipient: maybe("Address that the sender used."),
    disposition: orNull(build.string("`displayed`, `deleted`, `dispatched`, `processed` or another one.")),
    modifiers: texts("Modifiers of the disposition, such as `error`."),
    mode: orNull(build.string("How it was triggered and sent: `manual-action/MDN-sent-manually`.")),
    errors: build.array(text, "Values of Error, Failure and Warning."),
  },
  { $id: "DispositionReport" },
);

/** Message disposition notification (RFC 8098). */
export type DispositionReport = ValueOf<typeof dispositionReportSchema>;

/** Schema of the mail that reports are about. */
export const reportedMailSchema = build.object(
  {
    messageId: orNull(build.string("Message-ID with its angle brackets.")),
    subject: maybe("Subject."),
    from: maybe("Address of the author."),
    to: texts("Addresses of the recipients, at most 50."),
    date: instant("Date of the mail."),
    ids: build.array(text, "Ids of the messages on this server with this Message-ID, at most 10."),
  },
  { $id: "ReportedMail" },
);

/** Mail that reports are about, by what was returned of it. */
export type ReportedMail = ValueOf<typeof reportedMailSchema>;

/** Schema of the reports in a mail. */
export const mailReportsSchema = build.object(
  {
    dmarc: build.array(refer(dmarcReportSchema), "DMARC aggregate reports."),
    tls: build.array(refer(tlsReportSchema), "TLS reports."),
    feedback: build.array(refer(feedbackReportSchema), "Complaints and authentication failures."),
    delivery: build.array(refer(deliveryReportSchema), "Delivery status notifications."),
    disposition: build.array(refer(dispositionReportSchema), "Message disposition notifications."),
    original: orNull(refer(reportedMailSchema), "Mail that the reports are about; null for DMARC and TLS."),
    problems: build.array(
      build.object({ file, problem: build.string("Reason in words.") }),
      "Reports that could not be read, or only in part, with the reason.",
    ),
  },
  { $id: "MailReports" },
);

/** Reports in a mail; all lists are empty in a mail that is none. */
export type MailReports = ValueOf<typeof mailReportsSchema>;
