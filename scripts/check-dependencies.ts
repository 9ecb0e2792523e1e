/**
 * Checks the packages of the lock file: their licences, from the installed packages, and known vulnerabilities of those that
 * the published package depends on, from the registry (`npm audit`). Where the registry serves no advisories, says so and
 * passes: an installation behind a mirror must be able to run the tests.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Licences of packages that are shipped or used for development. */
const allowedLicences = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "MIT License",
  "MIT-0",
  "MPL-2.0",
  "PSF-2.0",
  "Python-2.0",
  "Unlicense",
]);

/** Packages whose package.json names no licence or another one, with the reason for which they may be used. */
const licencesByName: Readonly<Record<string, string>> = {
  "@getbrevo/brevo": "the client of Brevo, in tests only; not shipped",
  "@mailchimp/mailchimp_transactional":
    "Mailchimp's client of Mandrill under a licence of its own, in tests only; not shipped",
  "url-template": "of Google's client of Gmail, in tests only, not shipped; its licence file is that of BSD-3-Clause",
  "humanize-number": "of the S3 server of the tests, not shipped; its readme says MIT",
};

/** Vulnerability that is accepted until a day, with the reason. */
export interface Acceptance {
  /** ISO 8601 date; the vulnerability fails the check from the day after it. */
  readonly until: string;
  readonly reason: string;
}

/** Accepted vulnerabilities by the URL of their advisory. */
const acceptedAdvisories: Readonly<Record<string, Acceptance>> = {};

/** Severities that fail the check. */
const failingSeverities: ReadonlySet<string> = new Set(["moderate", "high", "critical"]);
const auditMsMax = 60_000;
/** Start of the line that says that something could not be checked. */
const notChecked = "NOT CHECKED";

/** Package of the lock file. */
export interface InstalledPackage {
  readonly name: string;
  /** Licence as its package.json names it; null for none. */
  readonly licence: string | null;
}

/** Returns a sentence for each package whose licence is not allowed. Of alternatives (`A OR B`), one must be. */
export function licenceProblems(
  packages: readonly InstalledPackage[],
  exempt: Readonly<Record<string, string>> = licencesByName,
): readonly string[] {
  const isAllowed = (licence: string): boolean =>
    licence
      .replaceAll(/^\(|\)$/g, "")
      .split(" OR ")
      .some((one) => one.split(" AND ").every((part) => allowedLicences.has(part)));
  return packages.flatMap(({ name, licence }) =>
    name in exempt || (licence !== null && isAllowed(licence))
      ? []
      : [`${name}: the licence ${licence ?? "(none)"} is not in the list of scripts/check-dependencies.ts`],
  );
}

/** Vulnerability of a package in the report of `npm audit`. */
interface Advisory {
  readonly url: string;
  readonly title: string;
  readonly severity: string;
}

/** Report of `npm audit --json` (version 2); an error without `vulnerabilities`. */
export interface AuditReport {
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, { readonly via: readonly (string | Advisory)[] }>>;
}

/** Returns a sentence for each vulnerability that fails the check; null when the registry served no advisories. */
export function auditProblems(
  { vulnerabilities }: AuditReport,
  today: string,
  accepted: Readonly<Record<string, Acceptance>> = acceptedAdvisories,
): readonly string[] | null {
  if (vulnerabilities === undefined) return null;
  return Object.entries(vulnerabilities).flatMap(([name, { via }]) =>
    via.flatMap((one) => {
      if (typeof one === "string" || !failingSeverities.has(one.severity)) return [];
      const acceptance = accepted[one.url];
      if (acceptance !== undefined && today <= acceptance.until) return [];
      const late = acceptance === undefined ? "" : `; it was accepted until ${acceptance.until}: ${acceptance.reason}`;
      return [`${name}: ${one.severity} vulnerability, ${one.title} (${one.url})${late}`];
    }),
  );
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly link?: boolean }>>;
}

interface Manifest {
  readonly name?: string;
  readonly license?: string | { readonly type?: string };
  readonly licenses?: readonly { readonly type?: string }[];
}

function installedPackages(): readonly InstalledPackage[] {
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lock;
  return Object.entries(lock.packages).flatMap(([path, { link }]) => {
    if (!path.includes("node_modules/") || link === true) return [];
    const manifest = manifestIn(path);
    if (manifest === null) return [];
    const { license, licenses } = manifest;
    const named =
      typeof license === "string" ? license : (license?.type ?? licenses?.map(({ type }) => type).join(" OR "));
    return [{ name: manifest.name ?? path, licence: named ?? null }];
  });
}

/** Returns null for packages of other platforms, which are not installed. */
function manifestIn(path: string): Manifest | null {
  try {
    return JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Manifest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function readAudit(): AuditReport {
  const { stdout, error } = spawnSync("npm", ["audit", "--json", "--omit=dev"], {
    timeout: auditMsMax,
    encoding: "utf8",
  });
  if (error !== undefined) return { message: error.message };
  try {
    return JSON.parse(stdout) as AuditReport;
  } catch {
    return { message: "npm audit wrote no JSON" };
  }
}

if (import.meta.main) {
  const report = readAudit();
  const vulnerable = auditProblems(report, new Date().toISOString().slice(0, 10));
  if (vulnerable === null) {
    const reason = report.message ?? "no reason given";
    process.stdout.write(`${notChecked}: known vulnerabilities; the registry serves no advisories (${reason})\n`);
  }
  const problems = [...licenceProblems(installedPackages()), ...(vulnerable ?? [])];
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
