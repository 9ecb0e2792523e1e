/** Examples of fault rules. */
const rule = {
  name: "defer the first three",
  match: { stage: "rcpt", recipient: "*@abcd1234.restante.example.com" },
  when: { first: 3 },
  then: { reply: { code: 451, enhanced: "4.3.0", text: "Try again later" } },
  until: { afterMs: 600_000 },
};
const hit = {
  received: "2026-11-20T10:42:07.975Z",
  stage: "rcpt",
  clientAddress: "127.0.0.1",
  sender: "app@example.com",
  recipient: "anna@abcd1234.restante.example.com",
  provider: null,
  action: "reply",
};
const fault = { ...rule, state: "active", seen: 1, hits: 1, skipped: 0, lastHits: [hit] };

const held = {
  id: "6f1c2a9e-1a2b-8c3d-9e4f-5a6b7c8d9e0f",
  type: "Email",
  accepted: "2026-11-20T10:42:07.975Z",
  visibleAt: "2026-11-20T10:42:37.975Z",
  scanAt: null,
  from: "app@example.com",
  to: ["anna@abcd1234.restante.example.com"],
  recipients: 1,
  sizeBytes: 2381,
  provider: null,
  faults: ["late"],
  error: null,
};

/** Examples of responses, by the name of the schema. */
export const faultResponses: Readonly<Record<string, unknown>> = { Fault: fault, HeldMessage: held };

/** Examples of request bodies, by operation id. */
export const faultRequests: Readonly<Record<string, unknown>> = {
  putFaults: { items: [rule] },
  putServiceFaults: {
    items: [{ name: "slow", match: { stage: "after-data" }, when: { every: 10 }, then: { delayMs: 5000 } }],
  },
};

/** Examples of flags and tags of messages. */
const marks = { flags: ["seen"], tags: ["invoice"] };
const id = "6f1c2a9e-0b7d-4c3e-8f21-5a6b7c8d9e0f";

/** Examples of responses, by the name of the schema. */
export const markResponses: Readonly<Record<string, unknown>> = {
  Marks: marks,
  MarkedMessage: { id, ...marks, sequence: 118 },
  MarkResult: { changed: 1 },
  Tag: { tag: "invoice", count: 3 },
};

/** Examples of request bodies, by operation id. */
export const markRequests: Readonly<Record<string, unknown>> = {
  markMessages: { ids: [id], addFlags: ["seen"], addTags: ["invoice"] },
  putMarks: marks,
};

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

/** Examples: tag rules, saved searches, deletions by a query, and releases. */
const tagRule = { q: "subject:invoice has:attachment", tags: ["billing"] };
const tagging = { plusAddresses: true, rules: [tagRule] };

/** Examples of responses, by the name of the schema. */
export const taggingResponses: Readonly<Record<string, unknown>> = {
  TagRule: tagRule,
  Tagging: tagging,
  SavedSearch: { name: "Unpaid", q: "subject:invoice -tag:paid" },
  SearchSuggestion: {
    kind: "replace",
    q: "from:alice",
    server: "abcd1234",
    dir: "Received",
    term: "to:alice",
    replacement: "from:alice",
    count: 12,
    isExact: true,
  },
  DeletionResult: { deleted: 17, hasMore: false },
};

/** Examples of request bodies, by operation id. */
export const taggingRequests: Readonly<Record<string, unknown>> = {
  putTagRules: tagging,
  putSavedSearch: { q: "subject:invoice -tag:paid" },
  releaseMessage: { to: ["alice@corp.example"] },
};

/** Examples of webhooks, event webhooks, inbound routes and deliveries. */
const targetId = "5a1c2e4f-0b7d-8c31-9e02-4b6f0a8d1c55";
const at = "2026-11-20T10:42:07.975Z";
const target = {
  id: targetId,
  server: "abcd1234",
  url: "http://127.0.0.1:3000/webhooks",
  state: "active",
  stateReason: null,
  createdAt: at,
  secret: null,
};
const shapedTarget = { ...target, settings: {}, publicKey: null, confirmed: null };
const attempt = {
  number: 1,
  startedAt: at,
  durationMs: 12,
  url: target.url,
  headers: { "content-type": "application/json" },
  responseStatus: 204,
  error: null,
};
const callback = {
  id: targetId,
  server: "abcd1234",
  target: targetId,
  message: targetId,
  type: "message.received",
  status: "Delivered",
  attemptCount: 1,
  createdAt: at,
  nextAttemptAt: null,
  lastAttempt: attempt,
};
const format = {
  name: "raw",
  label: "Raw MIME",
  events: [],
  settings: [{ name: "secret", description: "Secret that signs requests.", isSecret: true }],
  verification: "By the signature in the header fields.",
};

/** Examples of responses, by the name of the schema. */
export const callbackResponses: Readonly<Record<string, unknown>> = {
  Webhook: {
    ...target,
    description: "Staging",
    events: ["message.received"],
    type: "Email",
    direction: null,
    criteria: { subject: "Invoice", match: "ALL" },
  },
  EventWebhook: { ...shapedTarget, provider: "raw", events: ["delivered", "bounced"] },
  InboundRoute: { ...shapedTarget, pattern: "support@app.example", shape: "raw" },
  CallbackFormats: { events: [format], inbound: [format] },
  CallbackDelivery: callback,
  CallbackDeliveryDetail: {
    ...callback,
    request: { url: target.url, headers: attempt.headers, body: "{}", encoding: "text", bodyBytes: 2 },
    attempts: [attempt],
  },
  MadeDeliveries: { deliveries: [callback] },
  Replayed: { replayed: 3 },
};

/** Examples of requests, by operation id. */
export const callbackRequests: Readonly<Record<string, unknown>> = {
  createWebhook: { url: target.url, events: ["message.received"], type: "Email" },
  updateWebhook: { state: "paused" },
  rotateWebhookSecret: {},
  putEventWebhook: { url: target.url, events: ["delivered", "bounced"] },
  rotateEventWebhookSecret: {},
  createInboundRoute: { pattern: "support@app.example", shape: "raw", url: target.url },
  updateInboundRoute: { pattern: "*@app.example" },
  rotateInboundRouteSecret: {},
  replayDeliveries: { status: "Failed", since: at },
  emitEvents: { type: "bounced", reason: "550 5.1.1 No such user", variants: ["duplicate"] },
  handInbound: { shape: "raw", url: target.url },
};
