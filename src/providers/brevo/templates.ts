/** Templates: https://developers.brevo.com/reference/createsmtptemplate */
import { Problem } from "../../core/errors.ts";
import type { DraftMailbox, ProviderObjects } from "../email.ts";
import { fieldOf } from "../formats/form.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse, type ProviderServices } from "../provider.ts";
import { showUnstoredTemplate } from "../unstored-template.ts";
import { answered, BrevoRejection, invalid, missing } from "./errors.ts";
import { isAbsent, readBrevoBody, type MailVersion } from "./request.ts";
import { instantText } from "./response.ts";

const kind = "template";
/** Object that holds the last id of a template. */
const counter = { kind: "counter", id: "template" } as const;
const textLengthMax = 200;
const htmlLengthMin = 10;

/** Template as it is stored. */
interface Template {
  readonly id: number;
  readonly name: string;
  readonly subject: string;
  readonly htmlContent: string;
  readonly sender: DraftMailbox;
  readonly replyTo: string;
  readonly toField: string;
  readonly tag: string;
  readonly isActive: boolean;
  readonly createdAt: number;
  readonly modifiedAt: number;
}

interface Caller {
  readonly session: { readonly objects: ProviderObjects };
  readonly services: Pick<ProviderServices, "renderTemplates">;
}

/** Subject, bodies and addresses of a mail after its template was applied. */
export interface RenderedVersion extends Pick<MailVersion, "text" | "html" | "replyTo"> {
  readonly subject: string;
  /** Sender of the template; null without one. */
  readonly sender: DraftMailbox | null;
}

/**
 * Renders a version: a stored template, or the version's own subject and bodies when it has `params`. A template that is
 * not stored is shown with its id and data. Throws {@link BrevoRejection} for an inactive template and one that cannot be rendered.
 */
export async function renderVersion(version: MailVersion, { session, services }: Caller): Promise<RenderedVersion> {
  const { subject, text, html, replyTo, templateId, params } = version;
  if (templateId === null) {
    const own = { subject, text, html };
    return {
      replyTo,
      sender: null,
      ...(params === null ? { ...own, subject: subject ?? "" } : await render(own, version, services)),
    };
  }
  const template = await findTemplate(session.objects, String(templateId));
  if (template === undefined) {
    const shown = showUnstoredTemplate(String(templateId), params ?? {});
    return { subject: subject ?? shown.subject, text: shown.text, html: null, replyTo, sender: null };
  }
  if (!template.isActive) throw invalid("Template is inactive");
  const own = { subject: subject ?? template.subject, text: null, html: template.htmlContent };
  const ownReplyTo = template.replyTo === "" ? [] : [{ name: "", address: template.replyTo }];
  return {
    ...(await render(own, version, services)),
    replyTo: replyTo.length > 0 ? replyTo : ownReplyTo,
    sender: template.sender,
  };
}

type Sources = Pick<MailVersion, "subject" | "text" | "html">;

async function render(
  { subject, text, html }: Sources,
  { to, params }: MailVersion,
  { renderTemplates }: Caller["services"],
): Promise<Pick<RenderedVersion, "subject" | "text" | "html">> {
  const all = Object.entries({ subject, text, html });
  const sources = Object.fromEntries(all.flatMap(([name, source]) => (source === null ? [] : [[name, source]])));
  const contact = { EMAIL: to[0]?.address ?? "" };
  try {
    const done = await renderTemplates({ language: "jinja", sources, data: { params: params ?? {}, contact } });
    return { subject: done["subject"] ?? "", text: done["text"] ?? null, html: done["html"] ?? null };
  } catch (error) {
    if (error instanceof Problem && error.code === "invalid_request") {
      throw invalid(`The template cannot be rendered: ${error.fields[0]?.description ?? error.message}`);
    }
    throw error;
  }
}

/** Creates a template: `POST /v3/smtp/templates`. */
export async function createTemplate(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const { objects } = await services.authenticate(request.key, "send");
  return answered(async () => {
    const body = readBrevoBody(request.body);
    if (isAbsent(body["sender"])) throw missing("sender");
    if (isAbsent(body["templateName"])) throw missing("templateName");
    if (isAbsent(body["subject"])) throw missing("subject");
    if (isAbsent(body["htmlContent"])) throw missing("htmlContent");
    const now = services.now();
    const empty = { name: "", subject: "", htmlContent: "", sender: { name: "", address: "" }, replyTo: "" };
    const blank = { ...empty, toField: "", tag: "", isActive: false, createdAt: now, modifiedAt: now };
    const template = changedTemplate({ id: 0, ...blank }, body, now);
    const id = await nextId(objects);
    await objects.put(kind, String(id), { value: { ...template, id } });
    return jsonResponse(201, { id });
  });
}

/** Returns a template: `GET /v3/smtp/templates/:id`. */
export async function getTemplate(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const { objects } = await services.authenticate(request.key, "read");
  return answered(async () =>
    jsonResponse(200, { ...resource(await openTemplate(objects, request)), doiTemplate: false }),
  );
}

/** Lists templates, newest first: `GET /v3/smtp/templates`. */
export async function listTemplates(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const { objects } = await services.authenticate(request.key, "read");
  return answered(async () => {
    const status = fieldOf(request.fields, "templateStatus");
    const all = (await objects.list(kind)).map(({ value }) => value as Template);
    const matching = all.filter(({ isActive }) => status === undefined || String(isActive) === status);
    const number = (name: string, absent: number): number => {
      const text = fieldOf(request.fields, name) ?? "";
      return /^\d{1,4}$/.test(text) ? Number(text) : absent;
    };
    const start = number("offset", 0);
    const page = matching.toReversed().slice(start, start + number("limit", 50));
    return jsonResponse(200, { count: matching.length, templates: page.map(resource) });
  });
}

/** Changes a template: `PUT /v3/smtp/templates/:id`. */
export async function updateTemplate(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const { objects } = await services.authenticate(request.key, "send");
  return answered(async () => {
    const template = await openTemplate(objects, request);
    const value = changedTemplate(template, readBrevoBody(request.body), services.now());
    await objects.put(kind, String(template.id), { value });
    return { status: 204, body: null };
  });
}

/** Removes an inactive template: `DELETE /v3/smtp/templates/:id`. */
export async function deleteTemplate(request: ProviderRequest, services: ProviderServices): Promise<ProviderResponse> {
  const { objects } = await services.authenticate(request.key, "send");
  return answered(async () => {
    const { id, isActive } = await openTemplate(objects, request);
    if (isActive) throw new BrevoRejection("bad_request", "Active template can not be deleted");
    await objects.remove(kind, String(id));
    return { status: 204, body: null };
  });
}

async function openTemplate(objects: ProviderObjects, { params }: ProviderRequest): Promise<Template> {
  const template = await findTemplate(objects, params["id"] ?? "");
  if (template === undefined) throw new BrevoRejection("document_not_found", "Template ID does not exist");
  return template;
}

async function findTemplate(objects: ProviderObjects, id: string): Promise<Template | undefined> {
  if (!/^[1-9]\d{0,15}$/.test(id)) return undefined;
  return (await objects.get(kind, id))?.value as Template | undefined;
}

async function nextId(objects: ProviderObjects): Promise<number> {
  for (;;) {
    const present = await objects.get(counter.kind, counter.id);
    const id = ((present?.value as number | undefined) ?? 0) + 1;
    if (await objects.put(counter.kind, counter.id, { value: id, version: present?.version ?? 0 })) return id;
  }
}

/** Returns the template with the fields of a body; absent ones stay as they are. */
function changedTemplate(template: Template, body: JsonObject, now: number): Template {
  const text = (field: string, present: string, lengthMax = textLengthMax): string => {
    const value = body[field];
    if (isAbsent(value)) return present;
    if (typeof value !== "string" || value.length > lengthMax) throw invalid(`${field} is not valid`);
    return value;
  };
  const isActive = body["isActive"];
  if (!isAbsent(isActive) && typeof isActive !== "boolean") throw invalid("isActive is not valid");
  const replyTo = text("replyTo", template.replyTo);
  if (replyTo !== "" && !isEmailAddress(replyTo)) throw invalid("replyTo is not valid");
  const htmlContent = text("htmlContent", template.htmlContent, Number.POSITIVE_INFINITY);
  if (htmlContent.length <= htmlLengthMin) throw invalid("htmlContent should have more than 10 characters");
  return {
    ...template,
    name: text("templateName", template.name),
    subject: text("subject", template.subject, 1000),
    htmlContent,
    sender: isAbsent(body["sender"]) ? template.sender : readSender(body["sender"]),
    replyTo,
    toField: text("toField", template.toField),
    tag: text("tag", template.tag),
    isActive: isActive ?? template.isActive,
    modifiedAt: now,
  };
}

function readSender(value: unknown): DraftMailbox {
  const { email, id, name } = isJsonObject(value) ? value : {};
  const address = isAbsent(email) && Number.isSafeInteger(id) ? `sender-${id as number}@brevo.invalid` : email;
  if (typeof address !== "string" || !isEmailAddress(address)) throw invalid("valid sender email required");
  return { name: typeof name === "string" ? name : "", address };
}

function resource(template: Template): Readonly<Record<string, unknown>> {
  const { sender, createdAt, modifiedAt, ...shown } = template;
  return {
    ...shown,
    testSent: false,
    sender: { name: sender.name, email: sender.address },
    createdAt: instantText(createdAt),
    modifiedAt: instantText(modifiedAt),
  };
}
