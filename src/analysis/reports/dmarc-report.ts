import type { DmarcRecord, DmarcReport } from "../../core/mail-reports.ts";
import { readXml } from "./read-xml.ts";
import { countOf, isoOf, plus, resultOf, textOf } from "./report-fields.ts";
import type { ReportFile } from "./unpack.ts";

/** Records that are shown; all are counted. */
const recordCountMax = 1000;
/** Results, reasons and errors of one record or report. */
const listLengthMax = 20;

type Draft<Value> = { -readonly [Name in keyof Value]: Value[Name] };
type DraftRecord = Omit<Draft<DmarcRecord>, "reasons" | "dkimResults" | "spfResults"> & {
  readonly [Name in "reasons" | "dkimResults" | "spfResults"]: Draft<DmarcRecord[Name][number]>[];
};

/** State of reading: the report, and the objects that values belong to. */
interface Reading {
  readonly report: Omit<Draft<DmarcReport>, "policy" | "counts" | "records" | "errors"> & {
    readonly policy: Draft<DmarcReport["policy"]>;
    readonly counts: Draft<DmarcReport["counts"]>;
    readonly records: DmarcRecord[];
    readonly errors: string[];
  };
  record: DraftRecord;
  /** Containers around the element, which are those of the schema: unknown elements between them have no meaning. */
  readonly path: string[];
}

type Set = (text: string, reading: Reading) => void;

/** Returns a setter of a member of the report; the first value counts. */
const inReport =
  (name: "version" | "organization" | "email" | "contact" | "generator" | "reportId"): Set =>
  (text, { report }) => {
    report[name] ??= textOf(text);
  };
const date =
  (name: "begin" | "end"): Set =>
  (text, { report }) => {
    report[name] ??= /^\d{1,12}$/.test(text) ? isoOf(Number(text) * 1000) : null;
  };
const inPolicy =
  (name: keyof DmarcReport["policy"]): Set =>
  (text, { report }) => {
    report.policy[name] ??= textOf(text);
  };
const inRecord =
  (name: "sourceIp" | "headerFrom" | "envelopeFrom" | "envelopeTo"): Set =>
  (text, { record }) => {
    record[name] ??= textOf(text);
  };
const outcome =
  (name: "disposition" | "dkim" | "spf"): Set =>
  (text, { record }) => {
    record[name] ??= resultOf(text);
  };
const inResult =
  (list: "dkimResults" | "spfResults", name: keyof DmarcRecord["dkimResults"][number]): Set =>
  (text, { record }) => {
    const last = record[list].at(-1);
    if (last !== undefined) last[name] ??= name === "result" ? resultOf(text) : textOf(text);
  };
const inReason =
  (name: "type" | "comment"): Set =>
  (text, { record }) => {
    const last = record.reasons.at(-1);
    if (last !== undefined) last[name] ??= textOf(text);
  };

/** Setters of texts, by the container and the name of the element. */
const setters: Readonly<Record<string, Set>> = {
  "feedback/version": inReport("version"),
  "report_metadata/version": inReport("version"),
  "report_metadata/org_name": inReport("organization"),
  "report_metadata/email": inReport("email"),
  "report_metadata/extra_contact_info": inReport("contact"),
  "report_metadata/report_id": inReport("reportId"),
  "report_metadata/generator": inReport("generator"),
  "feedback/generator": inReport("generator"),
  "report_metadata/error": (text, { report }) => {
    const error = textOf(text);
    if (error !== null && report.errors.length < listLengthMax) report.errors.push(error);
  },
  "date_range/begin": date("begin"),
  "date_range/end": date("end"),
  "policy_published/domain": inPolicy("domain"),
  "policy_published/p": inPolicy("p"),
  "policy_published/sp": inPolicy("sp"),
  "policy_published/np": inPolicy("np"),
  "policy_published/adkim": inPolicy("adkim"),
  "policy_published/aspf": inPolicy("aspf"),
  "policy_published/pct": inPolicy("pct"),
  "policy_published/fo": inPolicy("fo"),
  "policy_published/testing": inPolicy("testing"),
  "policy_published/discovery_method": inPolicy("discoveryMethod"),
  "row/source_ip": inRecord("sourceIp"),
  "row/count": (text, { record }) => {
    record.count ||= countOf(text);
  },
  "policy_evaluated/disposition": outcome("disposition"),
  "policy_evaluated/dkim": outcome("dkim"),
  "policy_evaluated/spf": outcome("spf"),
  "reason/type": inReason("type"),
  "reason/comment": inReason("comment"),
  "identifiers/header_from": inRecord("headerFrom"),
  "identifiers/envelope_from": inRecord("envelopeFrom"),
  "identifiers/envelope_to": inRecord("envelopeTo"),
  "dkim/domain": inResult("dkimResults", "domain"),
  "dkim/selector": inResult("dkimResults", "selector"),
  "dkim/result": inResult("dkimResults", "result"),
  "dkim/human_result": inResult("dkimResults", "explanation"),
  "spf/domain": inResult("spfResults", "domain"),
  "spf/scope": inResult("spfResults", "scope"),
  "spf/result": inResult("spfResults", "result"),
  "spf/human_result": inResult("spfResults", "explanation"),
};

const containers: ReadonlySet<string> = new Set(Object.keys(setters).map((path) => path.slice(0, path.indexOf("/"))));

/** Report that was read, with the first error of its syntax. */
export interface ReadDmarcReport {
  readonly report: DmarcReport;
  readonly problem: string | null;
}

/**
 * Reads a DMARC aggregate report; null for any other document. Elements may be in any namespace and order, and the first of
 * repeated values counts. Never rejects; linear in the file.
 */
export async function readDmarcReport({ name, bytes }: ReportFile): Promise<ReadDmarcReport | null> {
  const reading: Reading = { report: emptyReport(name), record: emptyRecord(), path: [] };
  let isReport: boolean | null = null;
  const problem = await readXml(bytes, {
    open: (element, namespace) => {
      isReport ??= element === "feedback";
      if (!isReport) return;
      if (reading.path.length === 0 && element === "feedback") reading.report.namespace ??= namespace;
      if (isContainer(element, reading)) enter(element, reading);
    },
    close: (element, text) => {
      if (isReport !== true) return;
      if (reading.path.at(-1) === element) leave(element, reading);
      else setters[`${reading.path.at(-1) ?? ""}/${element}`]?.(text, reading);
    },
  });
  if (isReport !== true || !hasContent(reading.report)) return null;
  return { report: reading.report, problem };
}

/** Returns whether an element starts a container: results have the names of values of `policy_evaluated`. */
function isContainer(element: string, { path }: Reading): boolean {
  if (element === "dkim" || element === "spf") return path.at(-1) === "auth_results";
  return element === "record" || element === "auth_results" || containers.has(element);
}

function enter(element: string, { path, record }: Reading): void {
  path.push(element);
  if (element === "reason") addTo(record.reasons, { type: null, comment: null });
  const list = element === "dkim" ? record.dkimResults : element === "spf" ? record.spfResults : null;
  if (list !== null) addTo(list, { domain: null, selector: null, scope: null, result: null, explanation: null });
}

function addTo<Item>(list: Item[], item: Item): void {
  if (list.length < listLengthMax) list.push(item);
}

function leave(element: string, reading: Reading): void {
  reading.path.pop();
  if (element !== "record") return;
  const { report, record } = reading;
  const { counts } = report;
  counts.records += 1;
  counts.messages = plus(counts.messages, record.count);
  if (record.dkim === "pass" || record.spf === "pass") counts.passed = plus(counts.passed, record.count);
  if (record.disposition === "quarantine") counts.quarantined = plus(counts.quarantined, record.count);
  if (record.disposition === "reject") counts.rejected = plus(counts.rejected, record.count);
  if (report.records.length < recordCountMax) report.records.push(shownRecord(record));
  reading.record = emptyRecord();
}

/** Returns a record without the reasons that say nothing. */
function shownRecord(record: DraftRecord): DmarcRecord {
  return { ...record, reasons: record.reasons.filter(({ type, comment }) => type !== null || comment !== null) };
}

function hasContent({ organization, reportId, policy, counts }: DmarcReport): boolean {
  return organization !== null || reportId !== null || policy.domain !== null || counts.records > 0;
}

function emptyRecord(): DraftRecord {
  return {
    sourceIp: null,
    count: 0,
    disposition: null,
    dkim: null,
    spf: null,
    reasons: [],
    headerFrom: null,
    envelopeFrom: null,
    envelopeTo: null,
    dkimResults: [],
    spfResults: [],
  };
}

function emptyReport(file: string | null): Reading["report"] {
  return {
    file,
    namespace: null,
    version: null,
    organization: null,
    email: null,
    contact: null,
    generator: null,
    reportId: null,
    begin: null,
    end: null,
    errors: [],
    policy: {
      domain: null,
      p: null,
      sp: null,
      np: null,
      adkim: null,
      aspf: null,
      pct: null,
      fo: null,
      testing: null,
      discoveryMethod: null,
    },
    counts: { records: 0, messages: 0, passed: 0, quarantined: 0, rejected: 0 },
    records: [],
  };
}
