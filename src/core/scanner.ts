/** Link scanners: gateways and image proxies that open the links of a mail before or after a person sees it. */

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

/** Behaviour of a scanner. */
export interface ScannerBehaviour {
  readonly targets: ScannerTargets;
  /** Methods in the order in which each URL is requested; at least one. */
  readonly methods: readonly ScannerMethod[];
  readonly userAgent: string;
  /** Whether GET opens links in a browser, which runs the scripts of the pages. */
  readonly renders: boolean;
  readonly when: ScannerMoment;
  /** Milliseconds from the arrival of a mail to the first request. */
  readonly delayMs: number;
}

/** Scanner of a server as it was set: a profile, and members that replace those of the profile. */
export type ScannerSettings = { readonly profile: ScannerProfile } & Partial<ScannerBehaviour>;

/** Request of a scan and its response; bodies are not stored. */
export interface ScanRequest {
  /** One of the scanner's methods; any other one for requests of rendered pages. */
  readonly method: string;
  /** Kind of resource that a rendered page requested, such as `document` or `fetch`; null for requests of the scanner itself. */
  readonly resource: string | null;
  /** URL, cut at `scanUrlLengthMax` characters. */
  readonly url: string;
  /** Status of the response; null without one. */
  readonly status: number | null;
  /** Milliseconds from the look-up of the host to the end of the body. */
  readonly durationMs: number;
  /** Absolute URL of the Location field of a redirect; null for other responses. The next request is that to it. */
  readonly redirect: string | null;
  /** Reason for which the request was not sent or failed, or its redirect was not followed; null for a complete one. */
  readonly error: string | null;
}

/** Scan of one message. */
export interface ScanReport {
  readonly profile: ScannerProfile;
  readonly when: ScannerMoment;
  /**
   * `complete`: every URL was requested; `partial`: a limit ended the scan before; `skipped`: too many mails waited for
   * their scan, so that nothing was requested and the mail became visible without; `quarantined`: its attempts ended the
   * process or worker, and it is repeated by hand only.
   */
  readonly result: "complete" | "partial" | "skipped" | "quarantined";
  /** Instants in ISO 8601, UTC, with milliseconds. */
  readonly started: string;
  readonly finished: string;
  /** Different URLs of the mail. */
  readonly urlCount: number;
  /** URLs that were not requested because of a limit. */
  readonly skippedCount: number;
  /** Requests that were made and are not listed, because the report would be too large. */
  readonly omittedCount: number;
  /** In the order in which they ended. */
  readonly requests: readonly ScanRequest[];
}
