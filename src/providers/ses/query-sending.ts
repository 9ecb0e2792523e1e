/** Version 1: sending mail. */
import { sends } from "../formats/aws-query.ts";
import { memberList } from "../formats/aws-xml.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { mailboxOf } from "./addresses.ts";
import { bulkStatus, sendBulk, simpleEmail, submitOne, type BulkEntry } from "./compose.ts";
import { objectsAt, requiredObject, requiredText, textAt, textsAt } from "../formats/aws-members.ts";
import type { QueryActions, QueryCall } from "./call.ts";
import { rawEmail } from "./raw.ts";
import {
  configurationSetOf,
  readQuerySending,
  readSimple,
  readTags,
  requiredBlob,
  returnPathOf,
  type Sending,
} from "./request.ts";
import { getTemplate, readTemplateData, renderTemplate, templateName, type ChosenTemplate } from "./templates.ts";

/** Most bytes of a raw mail in version 1: 10 MB. */
const queryMessageBytesMax = 10 * 1024 * 1024;

const noFiles = { headers: [], attachments: [] } as const;

/** Actions that send mail. */
export const sendingActions: QueryActions = {
  SendEmail: sends(async (call) => {
    const message = requiredObject(call.request, "Message", "");
    const sending = readQuerySending(call.request);
    const { subject, text, html } = readSimple(message, "message");
    const email = simpleEmail(call, sending, { subject, text, html, ...noFiles });
    return [["MessageId", await submitOne(call, email)]];
  }),
  SendRawEmail: sends(async (call) => {
    const { request } = call;
    const message = requiredObject(request, "RawMessage", "");
    const raw = requiredBlob(message, "Data", "rawMessage");
    const sending = {
      from: textAt(request, "Source"),
      recipients: { to: textsAt(request, "Destinations").map(mailboxOf), cc: [], bcc: [] },
      ...optionsOf(request, "Tags"),
      replyTo: [],
    };
    return [["MessageId", await submitOne(call, rawEmail(call, sending, { raw, bytesMax: queryMessageBytesMax }))]];
  }),
  SendTemplatedEmail: sends(async (call) => {
    const data = readTemplateData(requiredText(call.request, "TemplateData", ""), "templateData");
    const sending = readQuerySending(call.request);
    const rendered = await renderTemplate(call, await chosenTemplate(call), data);
    return [["MessageId", await submitOne(call, simpleEmail(call, sending, { ...rendered, ...noFiles }))]];
  }),
  SendBulkTemplatedEmail: sends(async (call) => {
    const { request } = call;
    const sending = { from: requiredText(request, "Source", ""), ...optionsOf(request, "DefaultTags") };
    const data = readTemplateData(textAt(request, "DefaultTemplateData") || "{}", "defaultTemplateData");
    const entries = objectsAt(request, "Destinations").map(readEntry);
    const results = await sendBulk(call, { sending, template: await chosenTemplate(call), data, ...noFiles }, entries);
    const statuses = results.map((result) =>
      "error" in result
        ? ([
            ["Status", bulkStatus(result.error)[0]],
            ["Error", result.error.message],
          ] as const)
        : ([
            ["Status", "Success"],
            ["MessageId", result.messageId],
          ] as const),
    );
    return [["Status", memberList(statuses)]];
  }),
};

function optionsOf(request: JsonObject, tags: string): Omit<Sending, "from" | "recipients"> {
  return {
    replyTo: textsAt(request, "ReplyToAddresses").map(mailboxOf),
    returnPath: returnPathOf(textAt(request, "ReturnPath")),
    tags: readTags(request, tags),
    configurationSet: configurationSetOf(request),
  };
}

function readEntry(entry: JsonObject, at: number): BulkEntry {
  const path = `destinations.${String(at + 1)}.member`;
  const data = textAt(entry, "ReplacementTemplateData") || "{}";
  return {
    destination: requiredObject(entry, "Destination", path),
    tags: readTags(entry, "ReplacementTags"),
    data: readTemplateData(data, `${path}.replacementTemplateData`),
    headers: [],
  };
}

async function chosenTemplate(call: QueryCall): Promise<ChosenTemplate> {
  const { request } = call;
  const name = templateName(textAt(request, "Template"), textAt(request, "TemplateArn"), "template");
  const { subject, text, html } = await getTemplate(call, name);
  return { name, sources: { subject, text, html } };
}
