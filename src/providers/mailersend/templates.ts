/** Templates: https://developers.mailersend.com/api/v1/templates */
import { randomBytes } from "node:crypto";
import type { JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { collectionOf } from "../kit/objects.ts";
import { renderBodies, showUnstoredTemplate, type Bodies } from "../kit/templates.ts";
import { jsonResponse, noContent } from "../provider.ts";
import { invalid, notFound, throwIssues, type Issue } from "./errors.ts";
import { readMailerSendObject, requiredText } from "./request.ts";
import { domainOf, instantText, pageOf } from "./response.ts";

/** Fields of a template that has none. */
const empty = {
  name: "",
  html: "",
  text: "",
  domain_id: "",
  categories: [] as readonly string[],
  tags: [] as readonly string[],
};

type TemplateFields = Readonly<typeof empty>;

/** Template as it is stored. */
interface Template extends TemplateFields {
  readonly id: string;
  readonly createdAt: number;
}

const openTemplates = collectionOf<Template>("template");

/** Subject and bodies of a mail, its template, and the data of its recipients; null data leaves everything as it is. */
export interface MailContent extends Omit<Bodies, "subject"> {
  readonly subject: string;
  readonly templateId: string | null;
  readonly data: JsonObject | null;
}

/**
 * Returns the subject and bodies of a mail, rendered if it has data. A template that is not stored is shown with its id and
 * data. Rejects for a template that cannot be rendered, and for a stored one without a subject in the mail.
 */
export async function renderContent(
  content: MailContent,
  call: Pick<Call, "session" | "services">,
): Promise<MailContent> {
  const { templateId, data, subject } = content;
  const template = templateId === null ? content : await openTemplates(call).find(templateId);
  if (template === undefined) {
    const shown = showUnstoredTemplate(templateId ?? "", data ?? {});
    return { ...content, ...shown, subject: subject || shown.subject };
  }
  if (subject === "") throw invalid(["subject", requiredText("subject")]);
  const sources = { subject, text: template.text || null, html: template.html || null };
  if (data === null) return { ...content, ...sources };
  const rendered = await renderBodies(call.services, { language: "twig", sources, data }, (detail) =>
    invalid(["html", `The value you provided in html failed to compile. ${detail} #MS42213`]),
  );
  return { ...content, ...rendered, subject: rendered.subject ?? "" };
}

/** Creates a template: `POST /templates`. */
export const createTemplate: Handler = async (call) => {
  const createdAt = call.services.now();
  const template = { ...readTemplate(call, empty), id: randomBytes(8).toString("hex"), createdAt };
  await openTemplates(call).put(template.id, template);
  return jsonResponse(201, { data: resourceOf(template) });
};

/** Changes a template: `PUT /templates/:id`. */
export const updateTemplate: Handler = async (call) => {
  const { id, createdAt, ...present } = await openTemplate(call);
  const template = { ...readTemplate(call, present), id, createdAt };
  await openTemplates(call).put(id, template);
  return jsonResponse(200, { data: resourceOf(template) });
};

/** Lists templates, oldest first: `GET /templates`. */
export const listTemplates: Handler = async (call) =>
  pageOf(call.request, (await openTemplates(call).all()).map(itemOf));

/** Returns a template: `GET /templates/:id`. */
export const getTemplate: Handler = async (call) => jsonResponse(200, { data: resourceOf(await openTemplate(call)) });

/** Removes a template: `DELETE /templates/:id`. */
export const deleteTemplate: Handler = async (call) => {
  if (!(await openTemplates(call).remove(call.request.params["id"] ?? ""))) throw notFound();
  return noContent;
};

async function openTemplate(call: Call): Promise<Template> {
  return openTemplates(call).open(call.request.params["id"] ?? "", notFound);
}

/** Reads the fields of a template; absent ones keep their value in `present`. */
function readTemplate({ request }: Call, present: TemplateFields): TemplateFields {
  const body = readMailerSendObject(request.body);
  const issues: Issue[] = [];
  const fields = Object.keys(empty).map((field) => {
    const absent = present[field as keyof TemplateFields];
    const value = body[field] ?? absent;
    if (typeof absent === "string" ? isString(value) : isStrings(value)) return [field, value] as const;
    issues.push([field, `The ${field} is invalid.`]);
    return [field, absent] as const;
  });
  const template = Object.fromEntries(fields) as unknown as TemplateFields;
  for (const field of ["name", "html"] as const) {
    if (template[field] === "") issues.push([field, requiredText(field)]);
  }
  throwIssues(issues);
  return template;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= 100 && value.every(isString);
}

function itemOf({ id, name, categories, createdAt }: Template): JsonObject {
  const created_at = instantText(createdAt);
  const variables = { variables: [], personalization: [] };
  return {
    id,
    name,
    description: null,
    type: "html",
    image_path: null,
    variables,
    created_at,
    category: null,
    categories,
  };
}

function resourceOf(template: Template): JsonObject {
  const { domain_id: domainId, tags, createdAt } = template;
  const domain = domainId === "" ? null : { ...domainOf("", createdAt), id: domainId };
  const counts = { total: 0, queued: 0, sent: 0, rejected: 0, delivered: 0, last_email_sent_at: null };
  return { ...itemOf(template), tags, domain, template_stats: counts };
}
