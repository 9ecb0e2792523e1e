/** Schemas of link scanners and scans. The operation reads request bodies strictly; these describe them. */
import { scannerDelayMsMax } from "../../core/limits.ts";
import {
  scannerMethods,
  scannerMoments,
  scannerProfileSchema as profile,
  scannerTargets,
  type ScannerSettings,
} from "../../core/scanner.ts";
import type { ShownScanner } from "../../operations/scanner/scanner-settings.ts";
import { build, schemaOf, type WireSchema } from "../../core/schema.ts";

const members = {
  targets: build.enum(scannerTargets, "URLs that are opened: links of both bodies, or images of the HTML body."),
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
  renders: build.boolean("Whether GET opens links in a browser, which runs the scripts of the pages."),
  when: build.enum(scannerMoments, "Whether a mail is scanned before or after it becomes visible."),
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
  "Absent members are those of the profile.",
);

/** Schema of the scanner of a server. */
export const scannerSchema: WireSchema<ShownScanner> = schemaOf<ShownScanner>()(
  build.object({ profile, ...members }, { $id: "Scanner" }),
);
