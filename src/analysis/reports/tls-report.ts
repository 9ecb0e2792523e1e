import type { TlsReport } from "../../core/mail-reports.ts";
import { readJson } from "../../core/read-json.ts";
import { countOf, isoOf, plus, textOf } from "./report-fields.ts";
import type { ReportFile } from "./unpack.ts";

const policyCountMax = 100;
const failureCountMax = 100;
const lineCountMax = 50;

type Members = Readonly<Record<string, unknown>>;

/** Reads a TLS report (RFC 8460 §4); null for any other JSON. Never throws. */
export function readTlsReport({ name, bytes }: ReportFile): TlsReport | null {
  const reading = readJson(bytes, { replacesInvalid: true });
  if (!("value" in reading)) return null;
  const report = membersOf(reading.value);
  const range = membersOf(report["date-range"]);
  if (!Array.isArray(report["policies"]) || textOf(report["report-id"] ?? report["organization-name"]) === null) {
    return null;
  }
  const policies = (report["policies"] as readonly unknown[]).map(membersOf);
  const total = (member: string): number =>
    policies.reduce((sum, { summary }) => plus(sum, countOf(membersOf(summary)[member])), 0);
  return {
    file: name,
    organization: textOf(report["organization-name"]),
    contact: textOf(report["contact-info"]),
    reportId: textOf(report["report-id"]),
    begin: dateOf(range["start-datetime"]),
    end: dateOf(range["end-datetime"]),
    counts: {
      policies: policies.length,
      successful: total("total-successful-session-count"),
      failed: total("total-failure-session-count"),
    },
    policies: policies.slice(0, policyCountMax).map(policyOf),
  };
}

function policyOf({ policy: given, summary, ...rest }: Members): TlsReport["policies"][number] {
  const policy = membersOf(given);
  return {
    type: textOf(policy["policy-type"]),
    domain: textOf(policy["policy-domain"]),
    lines: textsOf(policy["policy-string"]),
    // RFC 8460 has both spellings, in its text and in its example.
    mxHosts: textsOf(policy["mx-host"] ?? policy["mx-host-pattern"]),
    successful: countOf(membersOf(summary)["total-successful-session-count"]),
    failed: countOf(membersOf(summary)["total-failure-session-count"]),
    failures: listOf(rest["failure-details"]).slice(0, failureCountMax).map(membersOf).map(failureOf),
  };
}

function failureOf(failure: Members): TlsReport["policies"][number]["failures"][number] {
  return {
    result: textOf(failure["result-type"]),
    count: countOf(failure["failed-session-count"]),
    sendingIp: textOf(failure["sending-mta-ip"]),
    receivingHost: textOf(failure["receiving-mx-hostname"]),
    receivingHelo: textOf(failure["receiving-mx-helo"]),
    receivingIp: textOf(failure["receiving-ip"]),
    reason: textOf(failure["failure-reason-code"]),
    additional: textOf(failure["additional-information"] ?? failure["additional-info-uri"]),
  };
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** Returns the items of a list; a single value is a list of one, as some reporters write it. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value)
    .slice(0, lineCountMax)
    .flatMap((one) => textOf(one) ?? []);
}

function dateOf(value: unknown): string | null {
  const text = textOf(value);
  return text === null || text.length > 40 ? null : isoOf(Date.parse(text));
}
