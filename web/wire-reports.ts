/** Types of reports about mails, derived from the schemas of the service. */
import type { LocalisationReport as WireLocalisationReport } from "../src/core/localisation.ts";
import type {
  DeliveryReport as WireDeliveryReport,
  DispositionReport as WireDispositionReport,
  DmarcRecord as WireDmarcRecord,
  DmarcReport as WireDmarcReport,
  FeedbackReport as WireFeedbackReport,
  MailReports as WireMailReports,
  ReportedMail as WireReportedMail,
  TlsReport as WireTlsReport,
} from "../src/core/mail-reports.ts";
import type { Plain } from "./wire.ts";

/** Result of a comparison of translations. */
export type LocalisationReport = Plain<WireLocalisationReport>;
/** Reports in a message. */
export type MailReports = Plain<WireMailReports>;
/** DMARC aggregate report. */
export type DmarcReport = Plain<WireDmarcReport>;
/** Row of a DMARC report. */
export type DmarcRecord = Plain<WireDmarcRecord>;
/** TLS report. */
export type TlsReport = Plain<WireTlsReport>;
/** Delivery status notification. */
export type DeliveryReport = Plain<WireDeliveryReport>;
/** Complaint or failure of authentication. */
export type FeedbackReport = Plain<WireFeedbackReport>;
/** Message disposition notification. */
export type DispositionReport = Plain<WireDispositionReport>;
/** Mail that reports are about. */
export type ReportedMail = Plain<WireReportedMail>;
