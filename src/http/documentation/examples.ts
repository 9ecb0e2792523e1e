/** Examples of the OpenAPI document. */
import { quarantineReason } from "../../core/quarantine.ts";
import { defaultProviderName } from "../../providers/registry.ts";
import { callbackRequests, callbackResponses } from "./callback-examples.ts";
import { faultRequests, faultResponses } from "./fault-examples.ts";
import { markRequests, markResponses } from "./mark-examples.ts";
import { scannerRequests, scannerResponses } from "./scanner-examples.ts";
import { taggingRequests, taggingResponses } from "./tagging-examples.ts";

const id = "5a1c2e4f-0b7d-8c31-9e02-4b6f0a8d1c55";
const at = "2026-11-20T10:42:07.975Z";
const contact = { name: "Example App", email: "app@example.com", phone: null };
const recipient = { name: "", email: "anna@abcd1234.restante.example.com", phone: null };
const envelope = { from: [contact], to: [recipient], cc: [], bcc: [] };
const link = { href: "https://app.example.com/verify?token=42", text: "Verify" };
const server = {
  id: "abcd1234",
  name: "CI",
  users: [],
  messages: 12,
  retention: { ageSecondsMax: 604_800, messageCountMax: null },
  quota: { messages: null, bytes: null },
  usage: { messages: 12, bytes: 36_480 },
  readerDeletion: "delete",
  retired: 0,
  createdAt: at,
  expiresAt: null,
};
const key = {
  id,
  name: "CI",
  server: "abcd1234",
  createdAt: at,
  scope: "read",
  expires: null,
  requestsPerMinute: null,
  networks: [],
  lastUsed: at,
  formerUntil: null,
};
const message = {
  id,
  type: "Email",
  ...envelope,
  received: at,
  subject: "Your code",
  html: { links: [link], codes: [{ value: "804219" }], images: [], body: "<p>Your code is 804 219.</p>" },
  text: { links: [], codes: [{ value: "804219" }], body: "Your code is 804 219." },
  attachments: [],
  metadata: {
    headers: [{ field: "Subject", value: "Your code" }],
    ehlo: "app.example.com",
    mailFrom: "app@example.com",
    rcptTo: [recipient],
  },
  server: "abcd1234",
  defects: [],
};
const verdict = {
  result: "Pass",
  description: "The sender's address may send for the domain.",
  rawValue: "",
  tags: {},
};
const duplicateGroup = {
  type: "Email",
  subject: "Your code",
  recipients: ["anna@abcd1234.restante.example.com"],
  count: 2,
  messages: [
    { id, received: at, messageId: "<b@app.example.com>", delayMs: 1000 },
    {
      id: "5a1c2e4f-0b7d-8c31-9e02-4b6f0a8d1c54",
      received: "2026-11-20T10:42:06.975Z",
      messageId: null,
      delayMs: null,
    },
  ],
  differences: [{ field: "code", values: ["117204", "804219"] }],
};
const unsubscribeReport = {
  ok: true,
  url: "https://app.example.com/unsubscribe?u=42",
  mailto: [],
  dkim: "pass",
  checks: [{ name: "response", result: "pass", text: "The target responded with status 200." }],
  response: { status: 200, durationMs: 84 },
};
const spamRule = { score: 0.5, rule: "HTML_ONLY", description: "The mail has no text part" };

const summary = {
  id,
  type: "Email",
  server: "abcd1234",
  subject: "Your code",
  ...envelope,
  received: at,
  summary: "Your code is 804 219.",
  attachments: 0,
};

/** Example of each schema that answers a request on its own or as the item of a list, by the name of the schema. */
export const responseExamples: Readonly<Record<string, unknown>> = {
  ...callbackResponses,
  ...faultResponses,
  ...markResponses,
  ...scannerResponses,
  ...taggingResponses,
  Message: message,
  Summary: summary,
  JourneyResult: { complete: true, cursor: 7, steps: [{ name: "code", messages: [summary] }], failures: [] },
  Transcript: {
    message: id,
    protocol: "ESMTP",
    clientAddress: "127.0.0.1",
    tls: null,
    startedAt: at,
    entries: [{ at: 0, from: "server", text: "220 localhost ESMTP", pipelined: false }],
  },
  Server: server,
  NewServer: server,
  Password: { value: "c2VjcmV0LXBhc3N3" },
  DnsZone: { zone: 'example.com. 300 IN TXT "v=spf1 -all"\n', records: 1 },
  SpamAnalysis: {
    spamFilterResults: { spamAssassin: [spamRule] },
    score: 0.5,
    engine: "restante",
    engineProblem: null,
  },
  DeliverabilityReport: {
    spf: verdict,
    dkim: [verdict],
    dmarc: verdict,
    arc: verdict,
    bimi: verdict,
    blockLists: [],
    content: {
      embed: false,
      iframe: false,
      object: false,
      script: false,
      shortUrls: false,
      missingAlt: false,
      missingListUnsubscribe: true,
      textSize: 21,
      totalSize: 980,
    },
    dnsRecords: { a: ["192.0.2.1"], mx: ["mx.example.com"], ptr: [] },
    spamAssassin: { score: 1, result: "Pass", rules: [spamRule], engine: "restante", engineProblem: null },
    dns: "system",
  },
  DuplicateGroup: duplicateGroup,
  UnsubscribeReport: unsubscribeReport,
  LintReport: {
    findings: [],
    counts: { error: 0, warning: 0, info: 0 },
    accessibility: { engine: "restante", engineProblem: null },
    rules: [],
  },
  EmailClient: {
    label: "iphone-16plus-applemail-lightmode-portrait",
    name: "Apple Mail, iPhone 16 Plus, light",
    group: "Mobile",
    platform: "iOS",
    viewport: { width: 390, height: 844 },
    pixelRatio: 3,
    dark: "no",
    images: "shown",
    emulates: "Viewport and supported CSS",
    available: true,
  },
  FormerEmailClient: {
    id: "iphone-16plus-applemail-lightmode-portrait",
    name: "Apple Mail, iPhone 16 Plus, light",
    emailClient: "Apple Mail, iPhone 16 Plus, light",
    platformGroup: "Mobile",
    platformType: "iOS",
    platformVersion: "",
    canDisableImages: true,
    status: "Available",
  },
  Preview: { id: "5a1c2e4f0b7d8c31", emailClient: "iphone-16plus-applemail-lightmode-portrait", disableImages: false },
  Device: { id, name: "anna" },
  OneTimePassword: { code: "804219", expires: at },
  UsageLimits: {
    servers: { limit: 100, current: 3 },
    users: { limit: 100, current: 1 },
    email: { limit: 10_000, current: 120 },
    sms: { limit: 1000, current: 4 },
  },
  UsageTransaction: { timestamp: "2026-11-20T00:00:00.000Z", email: 120, sms: 4 },
  Key: key,
  NewKey: { ...key, key: "rst_example-of-a-key" },
  AuditEntry: {
    id: "019aa0c5a3e7-00000007-5d0f6a1e",
    at,
    by: "key",
    key: id,
    name: "CI",
    clientAddress: "192.0.2.7",
    action: "server.empty",
    target: "abcd1234",
    server: "abcd1234",
    details: {},
  },
  VerifiedAddress: { id, address: "alice@corp.example", status: "Verified", createdAt: at },
  PhoneNumber: {
    id,
    number: "+15550100",
    server: "abcd1234",
    provider: defaultProviderName,
    webhook: "http://127.0.0.1:3000/sms",
    signed: true,
    sends: false,
    createdAt: at,
  },
  ApprovedPhrases: { phrases: ["YES", "NO", "STOP"] },
  QuarantinedWork: {
    queue: "deliveries",
    id: "0b2f6c1e-5d0c-4a54-9d7e-3c1f1a2b4c5d",
    message: id,
    server: "abcd1234",
    attempts: 2,
    reason: quarantineReason,
    quarantined: at,
  },
  ServiceStatus: {
    status: "ok",
    tasks: [
      {
        task: "retention",
        state: "ok",
        lastSuccess: at,
        lastFailure: null,
        failures: 0,
        backlog: 0,
        oldestWaitingMs: null,
        degrades: null,
      },
    ],
  },
};

const phoneNumber = { number: "+15550100", server: "abcd1234", webhook: "http://127.0.0.1:3000/sms", secret: "s3cret" };

/** Example of each request body, by the id of the operation. */
export const requestExamples: Readonly<Record<string, unknown>> = {
  ...callbackRequests,
  ...faultRequests,
  ...markRequests,
  ...scannerRequests,
  ...taggingRequests,
  createEmail: { to: "anna@abcd1234.restante.example.com", subject: "Hello", text: "Hello, Anna", send: true },
  unsubscribeMessage: { requireDkim: true },
  searchMessages: { sentTo: "anna@abcd1234.restante.example.com", subject: "code", match: "ALL" },
  awaitJourney: { order: "given", steps: [{ subject: "Your order" }, { sentTo: "+15550100" }, { quiet: 2000 }] },
  forwardMessage: { to: "ben@abcd1234.restante.example.com", text: "See below." },
  replyToMessage: { text: "Thank you" },
  retryQuarantine: { queue: "deliveries" },
  bounceMessage: { action: "failed", status: "5.1.1", diagnostic: "550 5.1.1 User unknown" },
  complainAboutMessage: { feedbackType: "abuse" },
  autoreplyToMessage: { text: "I am out of the office." },
  createServer: { name: "CI", ttlSeconds: 3600, withKey: true },
  updateServer: { name: "CI", retention: { ageSecondsMax: 604_800 } },
  putDnsZone: { zone: 'example.com. 300 IN TXT "v=spf1 -all"\n' },
  generatePreviews: { emailClients: ["iphone-16plus-applemail-lightmode-portrait"] },
  generateFormerPreviews: { previews: [{ emailClient: "OL2021" }] },
  createDevice: { name: "anna", sharedSecret: "JBSWY3DPEHPK3PXP" },
  computePassword: { sharedSecret: "JBSWY3DPEHPK3PXP" },
  createKey: { name: "CI", server: "abcd1234", scope: "read" },
  rotateKey: { graceSeconds: 3600 },
  addVerifiedAddress: { address: "alice@corp.example" },
  verifyAddress: { token: "token-from-the-mail" },
  addPhoneNumber: phoneNumber,
  updatePhoneNumber: { webhook: "http://127.0.0.1:3000/sms", secret: "s3cret-2" },
  receiveSms: { from: "+15550123", to: "+15550100", text: "Your code is 804 219." },
  setApprovedPhrases: { phrases: ["YES", "NO", "STOP"] },
};
