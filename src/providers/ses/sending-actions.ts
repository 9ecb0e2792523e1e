/** Actions that send mail. */
import { sends } from "../formats/aws-actions.ts";
import { objectAt, objectsAt, requiredObject, requiredText, textAt, textsAt } from "../formats/aws-members.ts";
import type { XmlObject } from "../formats/aws-xml.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { Rejection } from "../kit/rejection.ts";
import { bulkStatus, rawEmail, sendBulk, simpleEmail, submitOne } from "./compose.ts";
import type { BulkDefaults, BulkEntry } from "./compose.ts";
import { rejection } from "./errors.ts";
import type { SesActions, SesCall } from "./protocols.ts";
import { mailboxOf, readAttachments, readHeaders, readOptions, readRecipients } from "./request.ts";
import { readSimple, readTags, requiredBlob, type Sending } from "./request.ts";
import { readTemplateContent, readTemplateData, renderTemplate, storedTemplate, templateName } from "./templates.ts";
import type { ChosenTemplate } from "./templates.ts";

/** Most bytes of a raw mail in version 1, 10 MB, and in version 2, 40 MB. */
const queryMessageBytesMax = 10 * 1024 * 1024;
const restMessageBytesMax = 40 * 1024 * 1024;

const noFiles = { headers: [], attachments: [] } as const;

/** Actions of version 1. */
export const querySendingActions: SesActions = {
  SendEmail: sends(async (call) => {
    const message = requiredObject(call.request, "Message", "");
    const sending = readQuerySending(call.request);
    const { subject, text, html } = readSimple(message, "message");
    return submitOne(call, simpleEmail(call, sending, { subject, text, html, ...noFiles }));
  }),
  SendRawEmail: sends(async (call) => {
    const { request } = call;
    const raw = requiredBlob(requiredObject(request, "RawMessage", ""), "Data", "rawMessage");
    const from = textAt(request, "Source");
    const recipients = { to: textsAt(request, "Destinations").map(mailboxOf), cc: [], bcc: [] };
    const sending = { from, recipients, ...readOptions(request, "ReturnPath", "Tags"), replyTo: [] };
    return submitOne(call, rawEmail(call, sending, { raw, bytesMax: queryMessageBytesMax }));
  }),
  SendTemplatedEmail: sends(async (call) => {
    const data = readTemplateData(requiredText(call.request, "TemplateData", ""), "templateData");
    const sending = readQuerySending(call.request);
    const rendered = await renderTemplate(call, await queryTemplate(call), data);
    return submitOne(call, simpleEmail(call, sending, { ...rendered, ...noFiles }));
  }),
  SendBulkTemplatedEmail: sends(async (call) => {
    const { request } = call;
    const options = readOptions(request, "ReturnPath", "DefaultTags");
    const sending = { from: requiredText(request, "Source", ""), ...options };
    const data = readTemplateData(textAt(request, "DefaultTemplateData") || "{}", "defaultTemplateData");
    const entries = objectsAt(request, "Destinations").map((entry, at) => {
      const path = `destinations.${String(at + 1)}.member`;
      return { ...readEntry(entry, path, { of: entry, path }), headers: [] };
    });
    return {
      Status: await bulkResults(call, { sending, template: await queryTemplate(call), data, ...noFiles }, entries),
    };
  }),
};

function readQuerySending(request: JsonObject): Sending {
  return {
    from: requiredText(request, "Source", ""),
    recipients: readRecipients(requiredObject(request, "Destination", "")),
    ...readOptions(request, "ReturnPath", "Tags"),
  };
}

async function queryTemplate(call: SesCall): Promise<ChosenTemplate> {
  const { request } = call;
  return storedTemplate(call, templateName(textAt(request, "Template"), textAt(request, "TemplateArn"), "template"));
}

/** Actions of version 2. */
export const restSendingActions: SesActions = {
  SendEmail: sends(async (call) => {
    const { request } = call;
    const content = requiredObject(request, "Content", "");
    const sending: Sending = {
      from: textAt(request, "FromEmailAddress"),
      recipients: readRecipients(objectAt(request, "Destination") ?? {}),
      ...readOptions(request, "FeedbackForwardingEmailAddress", "EmailTags"),
    };
    const [simple = null, raw = null, template = null] = ["Simple", "Raw", "Template"].map((name) =>
      objectAt(content, name),
    );
    if ([simple, raw, template].filter((one) => one !== null).length !== 1) {
      throw rejection("invalid", "Content must contain exactly one of Simple, Raw and Template.");
    }
    if (raw !== null) {
      const bytes = requiredBlob(raw, "Data", "content.raw");
      return submitOne(call, rawEmail(call, sending, { raw: bytes, bytesMax: restMessageBytesMax }));
    }
    if (simple !== null) return submitOne(call, simpleEmail(call, sending, readSimple(simple, "content.simple")));
    const { template: chosen, data, ...files } = await readTemplate(call, template ?? {}, "content.template");
    const rendered = await renderTemplate(call, chosen, data);
    return submitOne(call, simpleEmail(call, sending, { ...rendered, ...files }));
  }),
  SendBulkEmail: sends(async (call) => {
    const { request } = call;
    const path = "defaultContent.template";
    const template = requiredObject(requiredObject(request, "DefaultContent", ""), "Template", "defaultContent");
    const content = await readTemplate(call, template, path);
    const options = readOptions(request, "FeedbackForwardingEmailAddress", "DefaultEmailTags");
    const sending = { from: textAt(request, "FromEmailAddress"), ...options };
    const entries = objectsAt(request, "BulkEmailEntries").map(readRestEntry);
    return { BulkEmailEntryResults: await bulkResults(call, { sending, ...content }, entries) };
  }),
};

function readRestEntry(entry: JsonObject, at: number): BulkEntry {
  const path = `bulkEmailEntries.${String(at + 1)}.member`;
  const replacement = objectAt(objectAt(entry, "ReplacementEmailContent") ?? {}, "ReplacementTemplate") ?? {};
  const replaced = { of: replacement, path: `${path}.replacementEmailContent.replacementTemplate` };
  return { ...readEntry(entry, path, replaced), headers: readHeaders(entry, "ReplacementHeaders", path) };
}

/** Returns an entry without header fields; `replacement` is the object with its data, and the path of that. */
function readEntry(
  entry: JsonObject,
  path: string,
  replacement: { readonly of: JsonObject; readonly path: string },
): Omit<BulkEntry, "headers"> {
  const data = textAt(replacement.of, "ReplacementTemplateData") || "{}";
  return {
    destination: requiredObject(entry, "Destination", path),
    tags: readTags(entry, "ReplacementTags"),
    data: readTemplateData(data, `${replacement.path}.replacementTemplateData`),
  };
}

/** Template of version 2 with its data and files. */
type TemplateContent = Omit<BulkDefaults, "sending">;

async function readTemplate(call: SesCall, template: JsonObject, path: string): Promise<TemplateContent> {
  const content = objectAt(template, "TemplateContent");
  const [name, arn] = [textAt(template, "TemplateName"), textAt(template, "TemplateArn")];
  if (content !== null && (name || arn)) {
    throw rejection("invalid", "Only one of TemplateName, TemplateArn and TemplateContent can be given.");
  }
  return {
    template:
      content === null
        ? await storedTemplate(call, templateName(name, arn, `${path}.templateName`))
        : { name: null, sources: readTemplateContent(content) },
    data: readTemplateData(textAt(template, "TemplateData") || "{}", `${path}.templateData`),
    headers: readHeaders(template, "Headers", path),
    attachments: readAttachments(template, path),
  };
}

async function bulkResults(
  call: SesCall,
  defaults: BulkDefaults,
  entries: readonly BulkEntry[],
): Promise<readonly XmlObject[]> {
  const results = await sendBulk(call, defaults, entries);
  return results.map((result) =>
    result instanceof Rejection
      ? { Status: bulkStatus(result)[call.isRest ? 1 : 0], Error: result.message }
      : { Status: call.isRest ? "SUCCESS" : "Success", MessageId: result.providerId },
  );
}
