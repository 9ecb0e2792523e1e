/** Link scanners: gateways and image proxies that open the links of a mail before or after a person sees it. */
import { scannerDelayMsMax, scanRequestCountMax, scanUrlCountMax, scanUrlLengthMax } from "./limits.ts";
import { build, orNull, refer, refusal, type ValueOf } from "./schema.ts";

/**
 * Value of the field CDN-Loop (RFC 8586) of requests of scanners. The HTTP listener rejects requests that carry it: they have
 * come back through a proxy or a port mapping, whose address is not one of this machine.
 */
export const scannerLoopToken = "restante-scanner";

/** Profiles of scanners; `custom` has only the behaviour that its settings name. */
export const scannerProfiles = ["safelinks", "barracuda", "gmail-image-proxy", "custom"] as const;

/** Name of a profile. */
export type ScannerProfile = (typeof scannerProfiles)[number];

/** Methods that scanners use. */
export const scannerMethods = ["HEAD", "GET"] as const;

/** Method of a request. */
export type ScannerMethod = (typeof scannerMethods)[number];

/** Kinds of URLs that a scanner opens: the links of a mail, or the images of its HTML body. */
export const scannerTargets = ["links", "images"] as const;

/** Kind of the URLs that a scanner opens. */
export type ScannerTargets = (typeof scannerTargets)[number];

/** Whether a mail is scanned before or after it becomes visible. */
export const scannerMoments = ["before", "after"] as const;

/** Moment of a scan. */
export type ScannerMoment = (typeof scannerMoments)[number];

/** Schema of the name of a profile. */
export const scannerProfileSchema = build.enum(scannerProfiles, "Gateway whose behaviour is simulated.");

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
    [refusal]: { text: "Must be printable ASCII without outer spaces" },
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

/** Behaviour of a scanner. */
export type ScannerBehaviour = { readonly [Name in keyof typeof members]: ValueOf<(typeof members)[Name]> };

/** Request body that sets a scanner: a profile, and members that replace those of the profile. */
export const scannerSettingsSchema = build.object(
  {
    profile: scannerProfileSchema,
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
export const scannerSchema = build.object({ profile: scannerProfileSchema, ...members }, { $id: "Scanner" });

/** Scanner of a server as it was set. */
export type ScannerSettings = ValueOf<typeof scannerSettingsSchema>;

/** Scanner of a server, with the whole of its behaviour. */
export type ShownScanner = ValueOf<typeof scannerSchema>;

/** Schema of a request of a scan. */
export const scanRequestSchema = build.object(
  {
    method: build.string("Method of the request."),
    resource: orNull(
      build.string(
        "Kind of resource that a rendered page requested, such as `document` or `fetch`; null for requests of the scanner itself.",
      ),
    ),
    url: build.string(`URL, cut at ${String(scanUrlLengthMax)} characters.`),
    status: orNull(build.integer("Status of the response; null without one.")),
    durationMs: build.integer("Milliseconds to the end of the response."),
    redirect: orNull(build.string("URL to which the response redirects; null without a redirect.")),
    error: orNull(build.string("Reason for which the request failed or its redirect was not followed; else null.")),
  },
  { $id: "ScanRequest" },
);

/** Request of a scan and its response; bodies are not stored. */
export type ScanRequest = ValueOf<typeof scanRequestSchema>;

/** Schema of the scan of a message. */
export const scanSchema = build.object(
  {
    profile: scannerProfileSchema,
    when: build.enum(scannerMoments, "Whether the mail was scanned before or after it became visible."),
    result: build.enum(
      ["complete", "partial", "skipped", "quarantined"],
      `\`partial\`: a limit ended the scan, such as ${String(scanUrlCountMax)} URLs, ${String(scanRequestCountMax)} requests, or a minute; \`skipped\`: too many mails waited for their scan; \`quarantined\`: its attempts ended the service, and it is retried by hand only.`,
    ),
    started: build.string({ format: "date-time", description: "Start of the scan, UTC." }),
    finished: build.string({ format: "date-time", description: "End of the scan, UTC." }),
    urlCount: build.integer("Different URLs of the mail."),
    skippedCount: build.integer("URLs that were not requested because of a limit."),
    omittedCount: build.integer("Requests that are not listed, because the list would be too long."),
    requests: build.array(refer(scanRequestSchema), "Requests, in the order in which they ended."),
  },
  { $id: "Scan" },
);

/** Scan of one message. */
export type ScanReport = ValueOf<typeof scanSchema>;
