/**
 * Inbound webhooks of Mandrill (Mailchimp Transactional):
 * https://mailchimp.com/developer/transactional/docs/inbound/, and authenticating-webhook-requests there.
 */
import { createHmac, randomBytes } from "node:crypto";
import type { CallbackSigning, InboundAddress, InboundAttachment, InboundMail, InboundShape } from "../callbacks.ts";
import {
  alterEncoded,
  basicAuthHeaders,
  basicAuthSetting,
  givenBasicAuth,
  givenSecret,
  jsonBody,
} from "../formats/callback-values.ts";
import type { JsonObject } from "../formats/json-body.ts";

const field = "mandrill_events";
const keyBytes = 16;
const keyForm = { pattern: /^[!-~]{1,200}$/, form: "1 to 200 printable ASCII characters without spaces" };

/** Inbound webhooks of Mandrill. */
export const mandrillInboundShape: InboundShape = {
  name: "mandrill",
  label: "Mandrill inbound",
  settings: [{ name: "key", description: "Webhook key; a new one by default", isSecret: true }, basicAuthSetting],
  verification: "Compare X-Mandrill-Signature with the HMAC-SHA1 of the URL and the sorted form fields, in base64.",
  createSecrets: (given) => {
    const key = givenSecret(given, "key", keyForm) ?? randomBytes(keyBytes).toString("base64url");
    return { secrets: { key, ...givenBasicAuth(given) }, publicKey: null, secret: key };
  },
  render: (mail, _options, signing) => {
    const wire = { event: "inbound", ts: Math.floor(mail.receivedAt / 1000), msg: messageWire(mail) };
    const events = Buffer.from(jsonBody([wire])).toString("utf8");
    return {
      headers: { ...basicAuthHeaders(signing), "x-mandrill-signature": signatureOf(events, signing) },
      contentType: "application/x-www-form-urlencoded",
      body: Buffer.from(`${field}=${encodeURIComponent(events)}`, "utf8"),
    };
  },
  forge: (request) => {
    const signature = alterEncoded(request.headers["x-mandrill-signature"] ?? "");
    return { ...request, headers: { ...request.headers, "x-mandrill-signature": signature } };
  },
};

/** The URL is signed as Mandrill's users configure it, with credentials and query string, then each field's name and value. */
function signatureOf(events: string, { url, secrets }: CallbackSigning): string {
  const { key = "", basicAuth } = secrets;
  const signedUrl = basicAuth === undefined ? url : url.replace("//", () => `//${basicAuth}@`);
  return createHmac("sha1", key)
    .update(signedUrl + field + events)
    .digest("base64");
}

function messageWire(mail: InboundMail): JsonObject {
  const [from] = mail.from;
  const { attachments } = mail;
  const images = attachments.filter((one) => one.isInline && one.contentType.startsWith("image/"));
  const files = attachments.filter((one) => !images.includes(one));
  return {
    raw_msg: Buffer.from(mail.raw).toString("utf8"),
    headers: headersWire(mail.headers),
    text: mail.text,
    text_flowed: false,
    html: mail.html,
    from_email: from?.address ?? mail.envelope.from,
    from_name: from?.name ?? "",
    to: mail.to.map(pairOf),
    ...(mail.cc.length > 0 && { cc: mail.cc.map(pairOf) }),
    email: mail.recipient,
    subject: mail.subject,
    tags: [],
    sender: null,
    ...(files.length > 0 && { attachments: byName(files, (one) => one.fileName) }),
    ...(images.length > 0 && { images: byName(images, (one) => one.contentId ?? one.fileName) }),
    spam_report: spamWire(mail),
    spf: { result: mail.verdicts.spf, detail: "" },
    dkim: { signed: mail.verdicts.dkim !== "none" && mail.verdicts.dkim !== "", valid: mail.verdicts.dkim === "pass" },
    template: null,
  };
}

function pairOf({ address, name }: InboundAddress): readonly [string, string | null] {
  return [address, name === "" ? null : name];
}

/** A field that repeats has an array of its values. */
function headersWire(headers: InboundMail["headers"]): JsonObject {
  const found = new Map<string, string[]>();
  for (const [name, value] of headers) found.set(name, [...(found.get(name) ?? []), value]);
  return Object.fromEntries([...found].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

/** Returns the files by name; a name that repeats gets a number. */
function byName(files: readonly InboundAttachment[], nameOf: (file: InboundAttachment) => string): JsonObject {
  const found = new Map<string, JsonObject>();
  for (const file of files) {
    const name = nameOf(file);
    let key = name;
    for (let number = 2; found.has(key); number += 1) key = `${name} (${String(number)})`;
    const content = Buffer.from(file.content).toString("base64");
    found.set(key, { name: file.fileName, type: file.contentType, content, base64: true });
  }
  return Object.fromEntries(found);
}

/** Reads the rules from the lines of SpamAssassin's report: points, name and description. */
function spamWire({ spam }: InboundMail): JsonObject {
  const rules = spam.report.split("\n").flatMap((line) => {
    const [, score, name, description = ""] = /^\s*(-?\d+(?:\.\d+)?)\s+([A-Z][A-Z0-9_]*)\s*(.*)$/s.exec(line) ?? [];
    return name === undefined ? [] : [{ name, score: Number(score), description }];
  });
  return { score: spam.score, matched_rules: rules };
}
