/** Version 2: sending mail. */
import type { JsonObject } from "../formats/json-body.ts";
import type { Handler } from "../kit/endpoints.ts";
import { restHandler, type Caller, type RestCall } from "./call.ts";
import { bulkStatus, sendBulk, simpleEmail, submitOne, type BulkEntry } from "./compose.ts";
import { rejection } from "./errors.ts";
import { objectAt, objectsAt, requiredObject, textAt, textsAt } from "../formats/aws-members.ts";
import { rawEmail } from "./raw.ts";
import {
  configurationSetOf,
  readAttachments,
  readHeaders,
  readRestSending,
  readSimple,
  readTags,
  requiredBlob,
  returnPathOf,
} from "./request.ts";
import { mailboxOf } from "./addresses.ts";
import {
  getTemplate,
  readTemplateData,
  renderTemplate,
  templateName,
  type ChosenTemplate,
  type TemplateSources,
} from "./templates.ts";

/** Most bytes of a raw mail in version 2: 40 MB. */
const restMessageBytesMax = 40 * 1024 * 1024;

/** Sends one mail: `POST /v2/email/outbound-emails`. */
export const sendEmail: Handler = restHandler(async (call) => {
  const request = call.body();
  const content = requiredObject(request, "Content", "");
  const sending = readRestSending(request);
  const [simple, raw, template] = ["Simple", "Raw", "Template"].map((name) => objectAt(content, name));
  if ([simple, raw, template].filter((one) => one !== null).length !== 1) {
    throw rejection("invalid", "Content must contain exactly one of Simple, Raw and Template.");
  }
  if (raw !== null && raw !== undefined) {
    const bytes = requiredBlob(raw, "Data", "content.raw");
    const email = rawEmail(call, sending, { raw: bytes, bytesMax: restMessageBytesMax });
    return { MessageId: await submitOne(call, email) };
  }
  if (simple !== null && simple !== undefined) {
    return { MessageId: await submitOne(call, simpleEmail(call, sending, readSimple(simple, "content.simple"))) };
  }
  const { chosen, data, headers, attachments } = await readTemplate(call, template ?? {}, "content.template");
  const rendered = await renderTemplate(call, chosen, data);
  return { MessageId: await submitOne(call, simpleEmail(call, sending, { ...rendered, headers, attachments })) };
});

/** Sends a template to several destinations: `POST /v2/email/outbound-bulk-emails`. */
export const sendBulkEmail: Handler = restHandler(async (call) => {
  const request = call.body();
  const path = "defaultContent.template";
  const template = requiredObject(requiredObject(request, "DefaultContent", ""), "Template", "defaultContent");
  const { chosen, data, headers, attachments } = await readTemplate(call, template, path);
  const sending = {
    from: textAt(request, "FromEmailAddress"),
    replyTo: textsAt(request, "ReplyToAddresses").map(mailboxOf),
    returnPath: returnPathOf(textAt(request, "FeedbackForwardingEmailAddress")),
    tags: readTags(request, "DefaultEmailTags"),
    configurationSet: configurationSetOf(request),
  };
  const entries = objectsAt(request, "BulkEmailEntries").map(readEntry);
  const results = await sendBulk(call, { sending, template: chosen, data, headers, attachments }, entries);
  return {
    BulkEmailEntryResults: results.map((result) =>
      "error" in result
        ? { Status: bulkStatus(result.error)[1], Error: result.error.message }
        : { Status: "SUCCESS", MessageId: result.messageId },
    ),
  };
});

function readEntry(entry: JsonObject, at: number): BulkEntry {
  const path = `bulkEmailEntries.${String(at + 1)}.member`;
  const replacement = objectAt(objectAt(entry, "ReplacementEmailContent") ?? {}, "ReplacementTemplate") ?? {};
  const dataPath = `${path}.replacementEmailContent.replacementTemplate.replacementTemplateData`;
  return {
    destination: requiredObject(entry, "Destination", path),
    tags: readTags(entry, "ReplacementTags"),
    data: readTemplateData(textAt(replacement, "ReplacementTemplateData") || "{}", dataPath),
    headers: readHeaders(entry, "ReplacementHeaders", path),
  };
}

interface TemplateContent {
  readonly chosen: ChosenTemplate;
  readonly data: JsonObject;
  readonly headers: ReturnType<typeof readHeaders>;
  readonly attachments: ReturnType<typeof readAttachments>;
}

async function readTemplate(caller: RestCall, template: JsonObject, path: string): Promise<TemplateContent> {
  const content = objectAt(template, "TemplateContent");
  return {
    chosen: content === null ? await storedTemplate(caller, template, path) : inlineTemplate(template, content),
    data: readTemplateData(textAt(template, "TemplateData") || "{}", `${path}.templateData`),
    headers: readHeaders(template, "Headers", path),
    attachments: readAttachments(template, path),
  };
}

async function storedTemplate(caller: Caller, template: JsonObject, path: string): Promise<ChosenTemplate> {
  const name = templateName(textAt(template, "TemplateName"), textAt(template, "TemplateArn"), `${path}.templateName`);
  return { name, sources: sourcesOf(await getTemplate(caller, name)) };
}

function sourcesOf({ subject, text, html }: TemplateSources): TemplateSources {
  return { subject, text, html };
}

function inlineTemplate(template: JsonObject, content: JsonObject): ChosenTemplate {
  if (textAt(template, "TemplateName") || textAt(template, "TemplateArn")) {
    throw rejection("invalid", "Only one of TemplateName, TemplateArn and TemplateContent can be given.");
  }
  return { name: null, sources: readTemplateContent(content) };
}

/** Returns the sources of an `EmailTemplateContent`. */
export function readTemplateContent(content: JsonObject): TemplateSources {
  return { subject: textAt(content, "Subject"), text: textAt(content, "Text"), html: textAt(content, "Html") };
}
