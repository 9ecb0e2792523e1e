/**
 * Inbound webhooks of Mandrill (Mailchimp Transactional):
 * https://mailchimp.com/developer/transactional/docs/inbound/, and authenticating-webhook-requests there.
 */
import type { InboundAddress, InboundAttachment, InboundMail, InboundShape } from "../callbacks.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { eventsRequest, mandrillCredentials } from "./webhook.ts";

/** Inbound webhooks of Mandrill. */
export const mandrillInboundShape: InboundShape = {
  name: "mandrill",
  label: "Mandrill inbound",
  ...mandrillCredentials,
  render: (mail, _options, signing) => {
    const wire = { event: "inbound", ts: Math.floor(mail.receivedAt / 1000), msg: messageWire(mail) };
    return eventsRequest([wire], signing);
  },
};

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
