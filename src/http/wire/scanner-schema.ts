/** Schemas of link scanners and scans. The operation reads request bodies strictly; these describe them. */
import { scannerDelayMsMax, scanRequestCountMax, scanUrlCountMax, scanUrlLengthMax } from "../../core/limits.ts";
import {
  scannerMethods,
  scannerMoments,
  scannerProfiles,
  scannerTargets,
  type ScannerSettings,
  type ScanReport,
  type ScanRequest,
} from "../../core/scanner.ts";
import type { ShownScanner } from "../../operations/scanner/scanner-settings.ts";
import { build, orNull, refer, schemaOf, type WireSchema } from "../../core/schema.ts";

const profile = build.enum(scannerProfiles, { description: "Gateway whose behaviour is simulated." });
const members = {
  targets: build.enum(scannerTargets, {
    description: "URLs that are opened: links of both bodies, or images of the HTML body.",
  }),
  methods: build.array(build.enum(scannerMethods), {
    minItems: 1,
    maxItems: scannerMethods.length,
    uniqueItems: true,
    description: "Methods with which each URL is requested, in their order.",
  }),
  userAgent: build.string({
    pattern: "^[!-~](?:[ -~]*[!-~])?$",
    maxLength: 500,
    description: "User agent, in printable ASCII.",
  }),
  renders: build.boolean({
    description: "Whether GET opens links in a browser, which runs the scripts of the pages.",
  }),
  when: build.enum(scannerMoments, { description: "Whether a mail is scanned before or after it becomes visible." }),
  delayMs: build.integer({
    minimum: 0,
    maximum: scannerDelayMsMax,
    description: "Milliseconds from the arrival of a mail to the first request.",
  }),
};

/** Request body that sets a scanner. */
export const scannerSettingsSchema: WireSchema<ScannerSettings> = build.object(
  {
    profile,
    targets: build.optional(members.targets),
    methods: build.optional(members.methods),
    userAgent: build.optional(members.userAgent),
    renders: build.optional(members.renders),
    when: build.optional(members.when),
    delayMs: build.optional(members.delayMs),
  },
  { description: "Absent members are those of the profile." },
);

/** Schema of the scanner of a server. */
export const scannerSchema: WireSchema<ShownScanner> = schemaOf<ShownScanner>()(
  build.object({ profile, ...members }, { $id: "Scanner" }),
);

/** Schema of a request of a scan. */
export const scanRequestSchema: WireSchema<ScanRequest> = schemaOf<ScanRequest>()(
  build.object(
    {
      method: build.string({ description: "Method of the request." }),
      resource: orNull(
        build.string({
          description:
            "Kind of resource that a rendered page requested, such as `document` or `fetch`; null for requests of the scanner itself.",
        }),
      ),
      url: build.string({ description: `URL, cut at ${String(scanUrlLengthMax)} characters.` }),
      status: orNull(build.integer({ description: "Status of the response; null without one." })),
      durationMs: build.integer({ description: "Milliseconds to the end of the response." }),
      redirect: orNull(build.string({ description: "URL to which the response redirects; null without a redirect." })),
      error: orNull(
        build.string({
          description: "Reason for which the request failed or its redirect was not followed; else null.",
        }),
      ),
    },
    { $id: "ScanRequest" },
  ),
);

/** Schema of the scan of a message. */
export const scanSchema: WireSchema<ScanReport> = schemaOf<ScanReport>()(
  build.object(
    {
      profile,
      when: build.enum(scannerMoments, {
        description: "Whether the mail was scanned before or after it became visible.",
      }),
      result: build.enum(["complete", "partial", "skipped", "quarantined"], {
        description: `\`partial\`: a limit ended the scan, such as ${String(scanUrlCountMax)} URLs, ${String(scanRequestCountMax)} requests, or a minute; \`skipped\`: too many mails waited for their scan; \`quarantined\`: its attempts ended the service, and it is retried by hand only.`,
      }),
      started: build.string({ format: "date-time", description: "Start of the scan, UTC." }),
      finished: build.string({ format: "date-time", description: "End of the scan, UTC." }),
      urlCount: build.integer({ description: "Different URLs of the mail." }),
      skippedCount: build.integer({ description: "URLs that were not requested because of a limit." }),
      omittedCount: build.integer({ description: "Requests that are not listed, because the list would be too long." }),
      requests: build.array(refer(scanRequestSchema), { description: "Requests, in the order in which they ended." }),
    },
    { $id: "Scan" },
  ),
);
