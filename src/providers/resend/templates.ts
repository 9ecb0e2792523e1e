/** Templates: https://resend.com/docs/api-reference/templates/create-template */
import { randomUUID } from "node:crypto";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { parseMailbox } from "../formats/mailbox.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { aliasedCollectionOf } from "../kit/objects.ts";
import { renderBodies, showUnstoredTemplate, type Bodies } from "../kit/templates.ts";
import { jsonResponse, type ProviderResponse } from "../provider.ts";
import { invalid, missing, rejection } from "./errors.ts";
import { instantText, objectResponse, readResendBody, type ResendSend, type TemplateChoice } from "./request.ts";

/** Texts of a template, and their largest lengths. */
const lengthsMax = { name: 200, alias: 200, from: 200, subject: 200, reply_to: 200, text: Infinity, html: Infinity };
const variableCountMax = 50;

interface TemplateVariable {
  readonly key: string;
  readonly type: "string" | "number";
  readonly fallback_value: string | number | null;
}

interface TemplateContent extends Readonly<Record<keyof typeof lengthsMax, string | null>> {
  readonly variables: readonly TemplateVariable[];
}

/** Template as it is stored; a published one is used until the next version is published. */
interface Template {
  readonly id: string;
  readonly draft: TemplateContent;
  readonly published: TemplateContent | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly publishedAt: number | null;
}

const openTemplates = aliasedCollectionOf<Template>("template", ({ draft }) => draft.alias);

/** Subject, bodies and sender of a mail with a template. */
type RenderedTemplate = Pick<ResendSend["draft"], "subject" | "text" | "html" | "from">;

/**
 * Renders a template; one that is not stored is shown with its id and variables. The mail's own subject and sender take
 * precedence. Rejects for a template that is not published and for a variable without a value.
 */
export async function renderTemplate(
  { id, data }: TemplateChoice,
  own: Pick<ResendSend["draft"], "subject" | "from">,
  call: Pick<Call, "session" | "services">,
): Promise<RenderedTemplate> {
  const content = (await openTemplates(call).findAny(id))?.published;
  if (content === null) throw invalid("The template is not published.");
  const rendered = content === undefined ? showUnstoredTemplate(id, data) : await render(content, data, call);
  return {
    ...rendered,
    subject: own.subject || (rendered.subject ?? ""),
    from: own.from ?? parseMailbox(content?.from ?? "") ?? null,
  };
}

async function render(
  content: TemplateContent,
  given: TemplateChoice["data"],
  { services }: Pick<Call, "services">,
): Promise<Bodies> {
  const { subject, text, html, variables } = content;
  const data = { ...Object.fromEntries(variables.map((one) => [one.key, one.fallback_value])), ...given };
  const absent = Object.keys(data).filter((key) => data[key] === null);
  if (absent.length > 0) throw invalid(`Missing values of template variables: ${absent.join(", ")}`);
  return renderBodies(services, { language: "variables", sources: { subject, text, html }, data }, invalid);
}

/** Creates a template: `POST /templates`. */
export const createTemplate: Handler = async (call) => {
  const draft = readContent(readResendBody(call.request.body), null);
  if (draft.name === null) throw missing("name");
  if (draft.html === null) throw missing("html");
  return createDraft(call, draft);
};

/** Changes the draft of a template: `PATCH /templates/:id`. */
export const updateTemplate: Handler = async (call) =>
  change(call, ({ draft }) => ({ draft: readContent(readResendBody(call.request.body), draft) }));

/** Publishes the draft of a template: `POST /templates/:id/publish`. */
export const publishTemplate: Handler = async (call) =>
  change(call, ({ draft }) => ({ published: draft, publishedAt: call.services.now() }));

/** Copies a template as a draft: `POST /templates/:id/duplicate`. */
export const duplicateTemplate: Handler = async (call) => {
  const { draft } = await openTemplate(call);
  return createDraft(call, { ...draft, name: `${draft.name ?? ""} (Copy)`, alias: null });
};

/** Returns a template: `GET /templates/:id`. */
export const getTemplate: Handler = async (call) =>
  jsonResponse(200, { object: "template", ...resource(await openTemplate(call)) });

/** Lists templates, oldest first: `GET /templates`. */
export const listTemplates: Handler = async (call) => {
  const data = (await openTemplates(call).all()).map((template) => {
    const { subject: _subject, text: _text, html: _html, variables: _variables, ...shown } = resource(template);
    return shown;
  });
  return jsonResponse(200, { object: "list", data, has_more: false });
};

/** Removes a template: `DELETE /templates/:id`. */
export const deleteTemplate: Handler = async (call) => {
  const template = await openTemplate(call);
  await openTemplates(call).discard(template.id, template);
  return jsonResponse(200, { object: "template", id: template.id, deleted: true });
};

async function createDraft(call: Call, draft: TemplateContent): Promise<ProviderResponse> {
  const now = call.services.now();
  return store(call, { id: randomUUID(), draft, published: null, createdAt: now, updatedAt: now, publishedAt: null });
}

async function change(call: Call, changed: (template: Template) => Partial<Template>): Promise<ProviderResponse> {
  const template = await openTemplate(call);
  return store(call, { ...template, ...changed(template), updatedAt: call.services.now() }, template);
}

async function store(call: Call, template: Template, before?: Template): Promise<ProviderResponse> {
  const isStored = await openTemplates(call).store(template.id, template, before);
  if (!isStored) throw invalid("The template alias is already in use.");
  return objectResponse("template", template.id);
}

/** Returns the template with the id or alias of the path. */
async function openTemplate(call: Call): Promise<Template> {
  const missing = (): Error => rejection("not_found", "Template not found");
  return openTemplates(call).openAny(call.request.params["id"] ?? "", missing);
}

/** Reads the fields of a template; absent ones keep their value in `present`. */
function readContent(body: unknown, present: TemplateContent | null): TemplateContent {
  if (!isJsonObject(body)) throw invalid("The request body must be a JSON object.");
  const kept: JsonObject = { ...present };
  const texts = Object.entries(lengthsMax).map(([name, lengthMax]) => {
    const { [name]: given = kept[name] ?? null } = body;
    const text: unknown = Array.isArray(given) ? given.join(", ") : given;
    const isText = typeof text === "string" && text.length <= lengthMax;
    const isValid = name === "from" && isText ? parseMailbox(text) !== undefined : isText || text === null;
    if (!isValid) throw invalid(`Invalid \`${name}\` field.`);
    return [name, text];
  });
  const { variables } = body;
  return {
    ...(Object.fromEntries(texts) as Record<keyof typeof lengthsMax, string | null>),
    variables: variables === undefined ? (present?.variables ?? []) : readVariables(variables),
  };
}

function readVariables(value: unknown): readonly TemplateVariable[] {
  const failed = invalid("Invalid `variables` field.");
  if (!Array.isArray(value) || value.length > variableCountMax) throw failed;
  return value.map((one: unknown) => {
    const { key, type, fallback_value: fallback = null } = isJsonObject(one) ? one : {};
    if (typeof key !== "string" || !/^\w{1,50}$/.test(key) || (type !== "string" && type !== "number")) throw failed;
    if (fallback !== null && typeof fallback !== type) throw failed;
    return { key, type, fallback_value: fallback as TemplateVariable["fallback_value"] };
  });
}

function resource(template: Template): JsonObject {
  const { id, draft, published, createdAt, updatedAt, publishedAt } = template;
  return {
    id,
    ...draft,
    created_at: instantText(createdAt),
    updated_at: instantText(updatedAt),
    status: published === null ? "draft" : "published",
    published_at: publishedAt === null ? null : instantText(publishedAt),
    has_unpublished_versions: published === null || JSON.stringify(published) !== JSON.stringify(draft),
  };
}
