/** Templates: https://developers.brevo.com/reference/createsmtptemplate */
import type { DraftMailbox } from "../email.ts";
import { countOf, fieldOf } from "../formats/form.ts";
import { isAbsent, isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { isEmailAddress } from "../formats/mailbox.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { changeObject, collectionOf } from "../kit/objects.ts";
import { renderBodies, showUnstoredTemplate, type Bodies } from "../kit/templates.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { invalid, missing, notFound, rejection } from "./errors.ts";
import { readBrevoBody, senderOf, type MailVersion } from "./request.ts";
import { instantText } from "./response.ts";

/** Object that holds the last id of a template. */
const counter = { kind: "counter", id: "template" } as const;
/** Texts of a template, and their largest lengths; in requests, the name is `templateName`. */
const lengthsMax = { name: 200, subject: 1000, htmlContent: Infinity, replyTo: 200, toField: 200, tag: 200 };
const htmlLengthMin = 10;

/** Template as it is stored. */
interface Template extends Readonly<Record<keyof typeof lengthsMax, string>> {
  readonly id: number;
  readonly sender: DraftMailbox;
  readonly isActive: boolean;
  readonly createdAt: number;
  readonly modifiedAt: number;
}

/** Subject, bodies and addresses of a mail after its template was applied. */
export interface RenderedVersion extends Pick<MailVersion, "text" | "html" | "replyTo"> {
  readonly subject: string;
  /** Sender of the template; null without one. */
  readonly sender: DraftMailbox | null;
}

/**
 * Renders a version: a stored template, or the version's own subject and bodies when it has `params`. A template that is
 * not stored is shown with its id and data. Rejects for an inactive template and one that cannot be rendered.
 */
export async function renderVersion(version: MailVersion, call: Call): Promise<RenderedVersion> {
  const { text, html, replyTo, templateId, params } = version;
  const own = { subject: version.subject ?? "", text, html };
  if (templateId === null) {
    return { replyTo, sender: null, ...(params === null ? own : await render(own, version, call)) };
  }
  const template = await findTemplate(call, String(templateId));
  if (template === undefined) {
    // The sender of the template is known to Brevo only.
    const sender = { name: "", address: `template-${templateId}@brevo.invalid` };
    const shown = showUnstoredTemplate(String(templateId), params ?? {});
    return { ...shown, subject: own.subject || shown.subject, replyTo, sender };
  }
  if (!template.isActive) throw invalid("Template is inactive");
  const sources = { subject: own.subject || template.subject, text: null, html: template.htmlContent };
  const ownReplyTo = template.replyTo === "" ? [] : [{ name: "", address: template.replyTo }];
  return {
    ...(await render(sources, version, call)),
    replyTo: replyTo.length > 0 ? replyTo : ownReplyTo,
    sender: template.sender,
  };
}

async function render(
  sources: Bodies,
  { to, params }: MailVersion,
  { services }: Call,
): Promise<Pick<RenderedVersion, "subject" | "text" | "html">> {
  const data = { params: params ?? {}, contact: { EMAIL: to[0]?.address ?? "" } };
  const { subject, ...bodies } = await renderBodies(services, { language: "jinja", sources, data }, (detail) =>
    invalid(`The template cannot be rendered: ${detail}`),
  );
  return { subject: subject ?? "", ...bodies };
}

/** Creates a template: `POST /v3/smtp/templates`. */
export const createTemplate: Handler = async (call) => {
  const body = readBrevoBody(call.request.body);
  for (const name of ["sender", "templateName", "subject", "htmlContent"])
    if (isAbsent(body[name])) throw missing(name);
  const template = { isActive: false, createdAt: call.services.now(), ...readTemplate(body, call) };
  const id = await changeObject(call.session.objects, counter, (last) => {
    const next = ((last as number | undefined) ?? 0) + 1;
    return { result: next, change: { value: next } };
  });
  await openTemplates(call).put(String(id), { ...template, id });
  return jsonResponse(201, { id });
};

/** Returns a template: `GET /v3/smtp/templates/:id`. */
export const getTemplate: Handler = async (call) =>
  jsonResponse(200, { ...resource(await openTemplate(call)), doiTemplate: false });

/** Lists templates, newest first: `GET /v3/smtp/templates`. */
export const listTemplates: Handler = async (call) => {
  const { fields } = call.request;
  const status = fieldOf(fields, "templateStatus");
  const all = await openTemplates(call).all();
  const matching = all.filter(({ isActive }) => status === undefined || String(isActive) === status);
  const start = countOf(fields, "offset", 0);
  const page = matching.toReversed().slice(start, start + countOf(fields, "limit", 50));
  return jsonResponse(200, { count: matching.length, templates: page.map(resource) });
};

/** Changes a template: `PUT /v3/smtp/templates/:id`. */
export const updateTemplate: Handler = async (call) => {
  const template = await openTemplate(call);
  const changes = readTemplate(readBrevoBody(call.request.body), call, template);
  await openTemplates(call).put(String(template.id), { ...template, ...changes });
  return noContent;
};

/** Removes an inactive template: `DELETE /v3/smtp/templates/:id`. */
export const deleteTemplate: Handler = async (call) => {
  const { id, isActive } = await openTemplate(call);
  if (isActive) throw rejection("bad_request", "Active template can not be deleted");
  await openTemplates(call).remove(String(id));
  return noContent;
};

const openTemplates = collectionOf<Template>("template");

async function openTemplate(call: Call): Promise<Template> {
  const template = await findTemplate(call, call.request.params["id"] ?? "");
  if (template === undefined) throw notFound("Template ID does not exist");
  return template;
}

async function findTemplate(call: Call, id: string): Promise<Template | undefined> {
  return /^[1-9]\d{0,15}$/.test(id) ? openTemplates(call).find(id) : undefined;
}

/** Reads the fields of a template; absent ones keep their value in `present`. */
function readTemplate(body: JsonObject, { services }: Call, present?: Template) {
  const { isActive, sender } = body;
  if (!isAbsent(isActive) && typeof isActive !== "boolean") throw invalid("isActive is not valid");
  const texts = Object.entries(lengthsMax).map(([name, lengthMax]) => {
    const field = name === "name" ? "templateName" : name;
    const value = body[field] ?? present?.[name as keyof typeof lengthsMax] ?? "";
    const isText = typeof value === "string" && value.length <= lengthMax;
    if (!isText || (field === "replyTo" && value !== "" && !isEmailAddress(value)))
      throw invalid(`${field} is not valid`);
    if (field === "htmlContent" && value.length <= htmlLengthMin) {
      throw invalid("htmlContent should have more than 10 characters");
    }
    return [name, value];
  });
  return {
    ...(Object.fromEntries(texts) as Record<keyof typeof lengthsMax, string>),
    sender: isAbsent(sender) && present !== undefined ? present.sender : senderOf(isJsonObject(sender) ? sender : {}),
    ...(!isAbsent(isActive) && { isActive }),
    modifiedAt: services.now(),
  };
}

function resource({ id, isActive, sender, createdAt, modifiedAt, ...texts }: Template): JsonObject {
  return {
    id,
    ...texts,
    isActive,
    testSent: false,
    sender: { name: sender.name, email: sender.address },
    createdAt: instantText(createdAt),
    modifiedAt: instantText(modifiedAt),
  };
}
