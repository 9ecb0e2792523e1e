/** Version 2: templates. */
import type { Handler } from "../kit/endpoints.ts";
import { restHandler } from "./call.ts";
import { requiredObject, requiredText } from "../formats/aws-members.ts";
import { pageOf, queryPage } from "./pages.ts";
import { readTemplateContent } from "./rest-sending.ts";
import {
  createTemplate as create,
  deleteTemplate as remove,
  getTemplate as find,
  listTemplates as list,
  readTemplateData,
  renderedMail,
  renderTemplate,
  unknownTemplate,
  updateTemplate as update,
} from "./templates.ts";

/** Largest page of templates. */
const templatePageSizeMax = 100;

/** Stores a template: `POST /v2/email/templates`. */
export const createTemplate: Handler = restHandler(async (call) => {
  const request = call.body();
  const content = requiredObject(request, "TemplateContent", "");
  await create(call, { name: requiredText(request, "TemplateName", ""), ...readTemplateContent(content) });
  return {};
});

/** Replaces a template: `PUT /v2/email/templates/:name`. */
export const updateTemplate: Handler = restHandler(async (call) => {
  const content = requiredObject(call.body(), "TemplateContent", "");
  await update(call, { name: call.param("name"), ...readTemplateContent(content) });
  return {};
});

/** Returns a template: `GET /v2/email/templates/:name`. */
export const getTemplate: Handler = restHandler(async (call) => {
  const { name, subject, text, html } = await find(call, call.param("name"));
  const content = { Subject: subject ?? undefined, Text: text ?? undefined, Html: html ?? undefined };
  return { TemplateName: name, TemplateContent: content, Tags: [] };
});

/** Lists templates: `GET /v2/email/templates`. */
export const listTemplates: Handler = restHandler(async (call) => {
  const page = queryPage(call.request, templatePageSizeMax);
  const { values, nextToken } = await pageOf(page, async (offset) => list(call.session, offset));
  return {
    TemplatesMetadata: values.map(({ name, createdAt }) => ({
      TemplateName: name,
      CreatedTimestamp: createdAt / 1000,
    })),
    NextToken: nextToken ?? undefined,
  };
});

/** Removes a template: `DELETE /v2/email/templates/:name`. */
export const deleteTemplate: Handler = restHandler(async (call) => {
  const name = call.param("name");
  if (!(await remove(call, name))) throw unknownTemplate(name);
  return {};
});

/** Renders a template: `POST /v2/email/templates/:name/render`. */
export const testRenderTemplate: Handler = restHandler(async (call) => {
  const data = readTemplateData(requiredText(call.body(), "TemplateData", ""), "templateData");
  const { name, subject, text, html } = await find(call, call.param("name"));
  const rendered = await renderTemplate(call, { name, sources: { subject, text, html } }, data);
  return { RenderedTemplate: renderedMail(rendered, call.services.now()) };
});
