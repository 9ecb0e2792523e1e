/** Examples of link scanners and scans. */
const url = "http://127.0.0.1:3000/sign-in?token=1";
const scanRequest = { method: "GET", resource: null, url, status: 200, durationMs: 8, redirect: null, error: null };
const scanner = {
  profile: "safelinks",
  targets: "links",
  methods: ["HEAD", "GET"],
  userAgent: "Mozilla/5.0",
  renders: false,
  when: "before",
  delayMs: 0,
};
const scan = {
  profile: "safelinks",
  when: "before",
  result: "complete",
  started: "2026-11-20T10:42:07.975Z",
  finished: "2026-11-20T10:42:07.999Z",
  urlCount: 1,
  skippedCount: 0,
  omittedCount: 0,
  requests: [{ ...scanRequest, method: "HEAD" }, scanRequest],
};

/** Examples of responses, by the name of the schema. */
export const scannerResponses: Readonly<Record<string, unknown>> = {
  Scanner: scanner,
  ScanRequest: scanRequest,
  Scan: scan,
};

/** Examples of request bodies, by operation id. */
export const scannerRequests: Readonly<Record<string, unknown>> = { putScanner: { profile: "safelinks" } };
