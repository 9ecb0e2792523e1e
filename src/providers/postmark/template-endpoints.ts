import { fieldOf } from "../formats/form.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import type { Rejection } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { rejection, texts } from "./errors.ts";
import { readFields } from "./fields.ts";
import { readPaging } from "./response.ts";
import { checkTemplate, readTemplate } from "./template-request.ts";
import { createTemplate, findTemplate, listTemplates, putTemplate, removeTemplate } from "./templates.ts";
import type { PostmarkTemplate, TemplateSummary } from "./templates.ts";

/** Templates and layouts of a server. */
const templateCountMax = 300;

/** Creates a template or layout: `POST /templates`. */
export const postTemplate: Handler = async (call) => {
  const value = readTemplate(readFields(call.request), null);
  await checkTemplate(call, value);
  if ((await listTemplates(call)).length >= templateCountMax) {
    throw rejection(1105, `A Server may have up to ${templateCountMax} templates.`);
  }
  const created = await createTemplate(call, value);
  if (created === undefined) throw aliasTaken(value);
  return jsonResponse(200, summary(created));
};

/** Lists templates: `GET /templates`. */
export const getTemplates: Handler = async (call) => {
  const fields = call.request.fields.map(([name, value]) => [name.toLowerCase(), value] as const);
  const { count, offset } = readPaging(fields, 1100);
  const field = (name: string): string => fieldOf(fields, name)?.toLowerCase() ?? "";
  const [type, layout] = [field("templatetype") || "all", field("layouttemplate")];
  const all = (await listTemplates(call)).filter(
    (one) =>
      (type === "all" || one.type.toLowerCase() === type) && (layout === "" || one.layout?.toLowerCase() === layout),
  );
  return jsonResponse(200, { TotalCount: all.length, Templates: all.slice(offset, offset + count).map(summary) });
};

/** Returns a template: `GET /templates/:id`. */
export const getTemplate: Handler = async (call) => {
  const template = await known(call);
  const { subject, html, text } = template;
  const bodies = { Subject: subject, HtmlBody: html, TextBody: text };
  return jsonResponse(200, { ...summary(template), ...bodies, AssociatedServerId: 1 });
};

/** Changes a template: `PUT /templates/:id`. */
export const editTemplate: Handler = async (call) => {
  const present = await known(call);
  const value = { ...readTemplate(readFields(call.request), present), id: present.id };
  await checkTemplate(call, value);
  if (!(await putTemplate(call, present, value))) throw aliasTaken(value);
  return jsonResponse(200, summary(value));
};

/** Removes a template: `DELETE /templates/:id`. */
export const deleteTemplate: Handler = async (call) => {
  const template = await known(call);
  const alias = template.alias?.toLowerCase();
  const isUsed = (await listTemplates(call)).some(
    ({ layout }) => alias !== undefined && layout?.toLowerCase() === alias,
  );
  if (isUsed) {
    throw rejection(1130, "The layout template cannot be deleted because it has dependent templates using it.");
  }
  await removeTemplate(call, template);
  return jsonResponse(200, { ErrorCode: 0, Message: `Template ${template.id} removed.` });
};

async function known(call: Call): Promise<PostmarkTemplate> {
  const { id = "" } = call.request.params;
  const template = await findTemplate(call, id);
  if (template === undefined) throw rejection(1101, /^\d+$/.test(id) ? texts.templateId : texts.templateAlias);
  return template;
}

function aliasTaken({ alias }: Pick<PostmarkTemplate, "alias">): Rejection {
  return rejection(1122, `The alias '${alias ?? ""}' is already in use.`);
}

function summary({ id, name, alias, type, layout }: TemplateSummary): Readonly<Record<string, unknown>> {
  return { TemplateId: id, Name: name, Active: true, Alias: alias, TemplateType: type, LayoutTemplate: layout };
}
