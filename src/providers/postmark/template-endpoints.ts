import { fieldOf } from "../formats/form.ts";
import {
  jsonResponse,
  type ProviderRequest,
  type ProviderResponse,
  type ProviderServices,
  type ProviderSession,
} from "../provider.ts";
import { PostmarkRejection, texts, withRejections } from "./errors.ts";
import { readFields } from "./fields.ts";
import { readPaging } from "./paging.ts";
import { checkTemplate, readTemplate } from "./template-request.ts";
import {
  createTemplate,
  findTemplate,
  listTemplates,
  putTemplate,
  removeTemplate,
  type PostmarkTemplate,
  type TemplateSummary,
} from "./templates.ts";

type Handler = (request: ProviderRequest, services: ProviderServices) => Promise<ProviderResponse>;

/** Templates and layouts of a server. */
const templateCountMax = 300;

/** Creates a template or layout: `POST /templates`. */
export const postTemplate: Handler = async (request, services) =>
  withRejections(async () => {
    const session = await services.authenticate(request.key, "send");
    const value = readTemplate(readFields(request), null);
    await checkTemplate(session, value);
    if ((await listTemplates(session)).length >= templateCountMax) {
      throw new PostmarkRejection(1105, `A Server may have up to ${templateCountMax} templates.`);
    }
    const created = await createTemplate(session, value);
    if (created === undefined) throw aliasTaken(value);
    return jsonResponse(200, summary(created));
  });

/** Lists templates: `GET /templates`. */
export const getTemplates: Handler = async (request, services) =>
  withRejections(async () => {
    const session = await services.authenticate(request.key, "read");
    const { count, offset } = readPaging(request.fields, 1100);
    const field = (name: string): string => fieldOf(lowerCased(request), name)?.toLowerCase() ?? "";
    const [type, layout] = [field("templatetype") || "all", field("layouttemplate")];
    const all = (await listTemplates(session)).filter(
      (one) =>
        (type === "all" || one.type.toLowerCase() === type) && (layout === "" || one.layout?.toLowerCase() === layout),
    );
    return jsonResponse(200, { TotalCount: all.length, Templates: all.slice(offset, offset + count).map(summary) });
  });

function lowerCased({ fields }: ProviderRequest): ProviderRequest["fields"] {
  return fields.map(([name, value]) => [name.toLowerCase(), value]);
}

/** Returns a template: `GET /templates/:id`. */
export const getTemplate: Handler = async (request, services) =>
  withRejections(async () => {
    const session = await services.authenticate(request.key, "read");
    const template = await known(session, request);
    return jsonResponse(200, {
      ...summary(template),
      Subject: template.subject,
      HtmlBody: template.html,
      TextBody: template.text,
      AssociatedServerId: 1,
    });
  });

/** Changes a template: `PUT /templates/:id`. */
export const editTemplate: Handler = async (request, services) =>
  withRejections(async () => {
    const session = await services.authenticate(request.key, "send");
    const present = await known(session, request);
    const value = { ...readTemplate(readFields(request), present), id: present.id };
    await checkTemplate(session, value);
    if (!(await putTemplate(session, present, value))) throw aliasTaken(value);
    return jsonResponse(200, summary(value));
  });

/** Removes a template: `DELETE /templates/:id`. */
export const deleteTemplate: Handler = async (request, services) =>
  withRejections(async () => {
    const session = await services.authenticate(request.key, "send");
    const template = await known(session, request);
    const alias = template.alias?.toLowerCase();
    const isUsed = (await listTemplates(session)).some(
      ({ layout }) => alias !== undefined && layout?.toLowerCase() === alias,
    );
    if (isUsed) {
      throw new PostmarkRejection(
        1130,
        "The layout template cannot be deleted because it has dependent templates using it.",
      );
    }
    await removeTemplate(session, template);
    return jsonResponse(200, { ErrorCode: 0, Message: `Template ${template.id} removed.` });
  });

async function known(session: ProviderSession, { params }: ProviderRequest): Promise<PostmarkTemplate> {
  const id = params["id"] ?? "";
  const template = await findTemplate(session, id);
  if (template === undefined) {
    throw new PostmarkRejection(1101, /^\d+$/.test(id) ? texts.templateId : texts.templateAlias);
  }
  return template;
}

function aliasTaken({ alias }: Pick<PostmarkTemplate, "alias">): PostmarkRejection {
  return new PostmarkRejection(1122, `The alias '${alias ?? ""}' is already in use.`);
}

function summary({ id, name, alias, type, layout }: TemplateSummary): Readonly<Record<string, unknown>> {
  return { TemplateId: id, Name: name, Active: true, Alias: alias, TemplateType: type, LayoutTemplate: layout };
}
