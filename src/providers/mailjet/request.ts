/** Messages of Send API v3.1. */
import type { DraftMailbox, EmailDraft } from "../email.ts";
import { isAbsent, isJsonObject, readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { collectIssues, invalid, rejection, texts, type Issue } from "./errors.ts";
import { checkFileBytes, Property } from "./fields.ts";

/** Most recipients of a message, and most messages of a request. */
export const recipientCountMax = 50;
/** Most messages of a request. */
export const messageCountMax = 50;
/** Longest subject. */
export const subjectLengthMax = 255;
const urlTagsLengthMax = 256;
const trackingValues = ["account_default", "disabled", "enabled"];

/** Message of either version of the API. */
export interface MailjetMessage extends Omit<EmailDraft, "from" | "subject"> {
  /** Null when the template determines it. */
  readonly from: DraftMailbox | null;
  readonly sender: DraftMailbox | null;
  readonly subject: string | null;
  /** Id, in version 3 also a name; null without a template. */
  readonly template: string | null;
  /** Whether the template language is interpreted. */
  readonly hasLanguage: boolean;
  /** Whether a message with an error in the template language is delivered as it is. */
  readonly deliversErrors: boolean;
  readonly variables: JsonObject;
  readonly customId: string;
  readonly eventPayload: string;
  readonly campaign: string;
}

/** Request of Send API v3.1. */
export interface SendRequest {
  /** Issues of the request as a whole; no message is processed then. */
  readonly issues: readonly Issue[];
  readonly messages: readonly unknown[];
  /** Properties of all messages that do not have them. */
  readonly globals: JsonObject;
  readonly isSandbox: boolean;
}

/** Returns the JSON object of a body; throws Mailjet's error for anything else. */
export function readBody(body: Uint8Array): JsonObject {
  const value = readJsonObject(body);
  if (value === undefined) throw invalid(texts.malformedJson);
  return value;
}

/** Decodes a request; throws Mailjet's error for a body that is no JSON object. */
export function readSendRequest(body: Uint8Array): SendRequest {
  const { Messages: messages, Globals: given, SandboxMode: sandbox } = readBody(body);
  const { issues, report } = collectIssues();
  const globals = new Property(given, "Globals", report).object();
  const isSandbox = new Property(sandbox, "SandboxMode", report).flag();
  if (!Array.isArray(messages)) {
    if (messages !== undefined && messages !== null) report("mj-0004", texts.typeMismatch("Messages"), "Messages");
    report("mj-0003", texts.missing, "Messages");
  } else if (messages.length === 0) report("mj-0007", texts.emptyArray, "Messages");
  else if (messages.length > messageCountMax) report("mj-0008", texts.tooMany(messageCountMax), "Messages");
  return { issues, isSandbox, globals, messages: Array.isArray(messages) ? messages : [] };
}

const fileNames = ["ContentType", "Filename", "Base64Content"] as const;

/** Reads a message; throws the rejection with its issues. */
export function readMessage(value: unknown, globals: JsonObject): MailjetMessage {
  const { check, report } = collectIssues();
  if (!isJsonObject(value)) {
    throw rejection([{ code: "mj-0004", text: texts.typeMismatch("Message"), relatedTo: ["Messages"] }]);
  }
  const properties: JsonObject = { ...globals, ...value };
  const at = (path: string): Property => new Property(properties[path], path, report);
  const text = (path: string, lengthMax?: number): string | null => at(path).text(lengthMax);
  const files = [...at("Attachments").files(false, fileNames), ...at("InlinedAttachments").files(true, fileNames)];
  checkFileBytes(files, report);
  checkOptions(at);
  const message: MailjetMessage = {
    from: at("From").mailbox(),
    sender: at("Sender").mailbox(),
    ...readRecipients(at),
    replyTo: [at("ReplyTo").mailbox()].filter((one) => one !== null),
    subject: text("Subject", subjectLengthMax),
    text: text("TextPart"),
    html: text("HTMLPart"),
    template: readTemplateId(at("TemplateID")),
    hasLanguage: at("TemplateLanguage").flag(),
    deliversErrors: at("TemplateErrorDeliver").flag(),
    variables: at("Variables").object(),
    headers: at("Headers").headers(),
    attachments: files,
    customId: text("CustomID") ?? "",
    eventPayload: text("EventPayload") ?? "",
    campaign: text("CustomCampaign") ?? "",
  };
  if (isAbsent(at("TemplateID").value)) checkWithoutTemplate(message, at("From"));
  check();
  return message;
}

/** Reports what only a template can replace. */
function checkWithoutTemplate({ text, html }: MailjetMessage, from: Property): void {
  if (isAbsent(from.value)) from.report("mj-0003", texts.missing, "From");
  if ([text, html].every((part) => part === null || part === "")) {
    from.report("send-0003", texts.noBody, "HTMLPart", "TextPart");
  }
}

function readRecipients(at: (path: string) => Property): Pick<MailjetMessage, "to" | "cc" | "bcc"> {
  const { value, report } = at("To");
  if (isAbsent(at("To").value)) report("mj-0003", texts.missing, "To");
  else if (Array.isArray(value) && value.length === 0) report("mj-0007", texts.emptyArray, "To");
  const [to, cc, bcc] = [at("To").mailboxes(), at("Cc").mailboxes(), at("Bcc").mailboxes()];
  const addresses = new Set([...to, ...cc, ...bcc].map(({ address }) => address.toLowerCase()));
  if (addresses.size > recipientCountMax) report("send-0015", texts.tooManyRecipients, "To", "CC", "BCC");
  return { to, cc, bcc };
}

function readTemplateId(property: Property): string | null {
  const { value } = property;
  if (!isAbsent(value) && !Number.isSafeInteger(value)) property.reportType("integer");
  return Number.isSafeInteger(value) ? String(value) : null;
}

/** Checks the properties that have no effect here. */
function checkOptions(at: (path: string) => Property): void {
  const { report } = at("CustomCampaign");
  at("TrackOpens").checkChoice(trackingValues);
  at("TrackClicks").checkChoice(trackingValues);
  at("URLTags").text(urlTagsLengthMax);
  at("MonitoringCategory").text();
  const priority = at("Priority");
  if (!isAbsent(priority.value) && !Number.isInteger(priority.value)) priority.reportType("integer");
  if (at("DeduplicateCampaign").flag() && isAbsent(at("CustomCampaign").value)) {
    report("send-0012", texts.noCampaign, "CustomCampaign", "DeduplicateCampaign");
  }
  at("TemplateErrorReporting").mailbox();
  const needsLanguage = !isAbsent(at("TemplateErrorReporting").value) || !isAbsent(at("TemplateErrorDeliver").value);
  if (needsLanguage && isAbsent(at("TemplateLanguage").value)) {
    report("send-0016", texts.noTemplateLanguage, "TemplateLanguage");
  }
}
