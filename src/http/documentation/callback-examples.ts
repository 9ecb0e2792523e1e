/** Examples of webhooks, event webhooks, inbound routes and deliveries. */
const id = "5a1c2e4f-0b7d-8c31-9e02-4b6f0a8d1c55";
const at = "2026-11-20T10:42:07.975Z";
const target = {
  id,
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
  id,
  server: "abcd1234",
  target: id,
  message: id,
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
