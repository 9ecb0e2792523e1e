/** Examples of the OpenAPI document. */
import { quarantineReason } from "../../core/quarantine.ts";
import { defaultProviderName } from "../../providers/registry.ts";

const id = "5a1c2e4f-0b7d-8c31-9e02-4b6f0a8d1c55";
const at = "2026-11-20T10:42:07.975Z";
const contact = { name: "Example App", email: "app@example.com", phone: null };
const recipient = { name: "", email: "anna@abcd1234.restante.example.com", phone: null };
const q = "subject:invoice has:attachment";
const url = "http://127.0.0.1:3000/webhooks";
const emailClient = "iphone-16plus-applemail-lightmode-portrait";
const rule = {
  name: "defer the first three",
  match: { stage: "rcpt", recipient: "*@abcd1234.restante.example.com" },
  when: { first: 3 },
  then: { reply: { code: 451, enhanced: "4.3.0", text: "Try again later" } },
  until: { afterMs: 600_000 },
};

/**
 * Values of properties in examples of responses, by `<schema>.<name>` or by name. Others follow from their schema: the first
 * member of an enum, null where it is allowed, one item of a list.
 */
export const exampleValues: Readonly<Record<string, unknown>> = {
  id,
  message: id,
  server: "abcd1234",
  name: "CI",
  description: "The sender's address may send for the domain.",
  label: emailClient,
  emailClient,
  url,
  q,
  tags: ["invoice"],
  tag: "invoice",
  networks: [],
  from: [contact],
  to: [recipient],
  cc: [],
  bcc: [],
  rcptTo: [recipient],
  subject: "Your code",
  summary: "Your code is 804 219.",
  code: "804219",
  value: "c2VjcmV0LXBhc3N3",
  attachments: 0,
  defects: [],
  mailFrom: contact.email,
  recipients: [recipient.email],
  complete: true,
  failures: [],
  clientAddress: "127.0.0.1",
  protocol: "ESMTP",
  zone: 'example.com. 300 IN TXT "v=spf1 -all"\n',
  engine: "restante",
  rule: "HTML_ONLY",
  rawValue: "v=spf1 -all",
  dnsRecords: { a: ["192.0.2.1"], mx: ["mx.example.com"], ptr: [] },
  blockLists: [],
  findings: [],
  rules: [],
  mailto: [],
  platform: "iOS",
  platformType: "iOS",
  platformVersion: "",
  platformGroup: "Mobile",
  emulates: "Viewport and supported CSS",
  available: true,
  phrases: ["YES", "NO", "STOP"],
  address: "alice@corp.example",
  reason: quarantineReason,
  task: "retention",
  userAgent: "Mozilla/5.0",
  method: "GET",
  pattern: "support@app.example",
  shape: "raw",
  verification: "By the signature in the header fields.",
  faults: ["late"],
  match: rule.match,
  then: rule.then,
  "MailReports.dmarc": [],
  "MailReports.tls": [],
  "MailReports.feedback": [],
  "MailReports.disposition": [],
  "MailReports.problems": [],
  "DeliveryReport.recipients": [
    {
      recipient: "ada@there.example",
      originalRecipient: null,
      action: "failed",
      status: "5.1.1",
      diagnostic: "550 5.1.1 User unknown",
      remoteMta: "mx.there.example",
      lastAttempt: at,
      retriedUntil: null,
    },
  ],
  "DeliveryReport.reportingMta": "mail.shop.example",
  "ReportedMail.messageId": "<order-81@shop.example>",
  "ReportedMail.subject": "Your order 81",
  "ReportedMail.from": "orders@shop.example",
  "ReportedMail.to": ["ada@there.example"],
  "ReportedMail.ids": [id],
  "Message.attachments": [],
  "HtmlContent.body": "<p>Your code is 804 219.</p>",
  "HtmlContent.images": [],
  "TextContent.body": "Your code is 804 219.",
  "Code.value": "804219",
  "HeaderField.field": "Subject",
  "HeaderField.value": "Your code",
  "Link.href": "https://app.example.com/verify?token=42",
  "Link.text": "Verify",
  "Server.users": [],
  "NewServer.users": [],
  "TranscriptEntry.from": "server",
  "TranscriptEntry.text": "220 localhost ESMTP",
  "UnsubscribeCheck.name": "response",
  "UnsubscribeCheck.text": "The target responded with status 200.",
  "EmailClient.images": "shown",
  "FormerEmailClient.name": "Apple Mail, iPhone 16 Plus, light",
  "FormerEmailClient.emailClient": "Apple Mail, iPhone 16 Plus, light",
  "EmailClient.name": "Apple Mail, iPhone 16 Plus, light",
  "Tagging.rules": [{ q, tags: ["billing"] }],
  "HeldMessage.from": contact.email,
  "HeldMessage.to": [recipient.email],
  "HeldMessage.recipients": 1,
  "Verdict.tags": {},
  "Server.id": "abcd1234",
  "NewServer.id": "abcd1234",
  "NewKey.key": "rst_example-of-a-key",
  "PhoneNumber.number": "+15550100",
  "CallbackDelivery.type": "message.received",
  "CallbackDeliveryDetail.type": "message.received",
  "EventWebhook.provider": defaultProviderName,
  "BackgroundTask.failures": 0,
  "CallbackFormat.name": "raw",
  "CallbackFormat.label": "Raw MIME",
  "UsageTransaction.email": 120,
  "UsageLimit.limit": 100,
  "UsageLimit.current": 3,
  "VerifiedAddress.status": "Verified",
  "Member.role": "tester",
  "Member.source": "manual",
  "TeamMember.role": "tester",
  "TeamMember.source": "manual",
  "Metadata.ehlo": "app.example.com",
  "BackgroundTask.state": "ok",
  "BackgroundTask.lastSuccess": at,
  "UnsubscribeReport.ok": true,
};

/** JSON object of a document. */
type Json = Readonly<Record<string, unknown>>;

/** Returns the example of a schema of the document; `path` is its name, or that of the schema around it with the property. */
export function exampleOf(schema: Json, components: Json, path = ""): unknown {
  const { $ref: reference, enum: members, type, items } = schema;
  if (typeof reference === "string") {
    const name = reference.slice(reference.lastIndexOf("/") + 1);
    return exampleOf(components[name] as Json, components, name);
  }
  const choices = schema["anyOf"] as readonly Json[] | undefined;
  if (choices !== undefined) {
    const isNullable = choices.some((choice) => choice["type"] === "null");
    return isNullable ? null : exampleOf(choices[0] ?? {}, components, path);
  }
  if (Array.isArray(members)) return members[0];
  if (type === "object") return objectExample(schema, components, path);
  if (type === "array") return [exampleOf(items as Json, components, path)];
  return plainExamples[String(type)]?.(schema);
}

const number = ({ minimum = 1 }: Json): unknown => minimum;
const plainExamples: Readonly<Record<string, (schema: Json) => unknown>> = {
  integer: number,
  number,
  boolean: () => false,
  string: ({ format }) => (format === "date-time" ? at : format === "uuid" ? id : "text"),
};

function objectExample(schema: Json, components: Json, path: string): Json {
  const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Json>>);
  const required = (schema["required"] ?? []) as readonly string[];
  const members = properties.map(([name, property]) => {
    const at = `${path}.${name}`;
    const known = [at, name].find((one) => Object.hasOwn(exampleValues, one));
    return [name, known === undefined ? exampleOf(property, components, at) : exampleValues[known]] as const;
  });
  return Object.fromEntries(members.filter(([name]) => required.includes(name)));
}

const phoneNumber = { number: "+15550100", server: "abcd1234", webhook: "http://127.0.0.1:3000/sms", secret: "s3cret" };

/** Example of each request body, by the id of the operation. */
export const requestExamples: Readonly<Record<string, unknown>> = {
  createWebhook: { url, events: ["message.received"], type: "Email" },
  updateWebhook: { state: "paused" },
  rotateWebhookSecret: {},
  putEventWebhook: { url, events: ["delivered", "bounced"] },
  rotateEventWebhookSecret: {},
  createInboundRoute: { pattern: "support@app.example", shape: "raw", url },
  updateInboundRoute: { pattern: "*@app.example" },
  rotateInboundRouteSecret: {},
  replayDeliveries: { status: "Failed", since: at },
  emitEvents: { type: "bounced", reason: "550 5.1.1 No such user", variants: ["duplicate"] },
  handInbound: { shape: "raw", url },
  putFaults: { items: [rule] },
  putServiceFaults: {
    items: [{ name: "slow", match: { stage: "after-data" }, when: { every: 10 }, then: { delayMs: 5000 } }],
  },
  judgeBudget: { maxHtmlKb: 102, maxImages: 10, support: [{ client: "outlook", percentMin: 95 }], lint: "error" },
  matchScreenshot: { client: "outlook-2021", dark: true, mask: [{ name: "order", value: "A-1234" }] },
  compareLocalisations: {
    messages: [
      { id, locale: "en" },
      { id, locale: "de" },
    ],
    keep: ["Acme"],
  },
  snapshotMessage: { mask: [{ name: "order", value: "A-1234" }], headers: ["X-Campaign"] },
  markMessages: { ids: [id], addFlags: ["seen"], addTags: ["invoice"] },
  putMarks: { flags: ["seen"], tags: ["invoice"] },
  putScanner: { profile: "safelinks" },
  putTagRules: { plusAddresses: true, rules: [{ q, tags: ["billing"] }] },
  putSavedSearch: { q },
  releaseMessage: { to: ["alice@corp.example"] },
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
  createUser: { email: "alice@corp.example", name: "Alice" },
  updateUser: { isActive: false },
  createTeam: { name: "Payments" },
  updateTeam: { externalId: "payments-testers", role: "tester" },
  updateTeamLimits: { bytesMax: 1_073_741_824, ageSecondsMax: 2_592_000 },
  putMember: { role: "tester" },
  rotateKey: { graceSeconds: 3600 },
  addVerifiedAddress: { address: "alice@corp.example" },
  verifyAddress: { token: "token-from-the-mail" },
  addPhoneNumber: phoneNumber,
  updatePhoneNumber: { webhook: "http://127.0.0.1:3000/sms", secret: "s3cret-2" },
  receiveSms: { from: "+15550123", to: "+15550100", text: "Your code is 804 219." },
  setApprovedPhrases: { phrases: ["YES", "NO", "STOP"] },
};
