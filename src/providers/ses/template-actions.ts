/** Actions with templates, which both versions have. */
import { reads, sends } from "../formats/aws-actions.ts";
import { requiredObject, requiredText, textAt } from "../formats/aws-members.ts";
import type { JsonObject } from "../formats/json-body.ts";
import type { SesActions, SesCall } from "./protocols.ts";
import { pageOf } from "./pages.ts";
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  readTemplateData,
  renderedMail,
  renderTemplate,
  unknownTemplate,
  updateTemplate,
  type NewTemplate,
  type TemplateSources,
} from "./templates.ts";

/** Largest page of templates. */
const templatePageSizeMax = 100;

/** Actions with templates. */
export const templateActions: SesActions = {
  CreateTemplate: sends(async (call) => {
    await createTemplate(call, readTemplate(call));
    return {};
  }),
  UpdateTemplate: sends(async (call) => {
    await updateTemplate(call, readTemplate(call));
    return {};
  }),
  GetTemplate: reads(async (call) => {
    const { name, subject, text, html } = await getTemplate(call, requiredText(call.request, "TemplateName", ""));
    const parts = { SubjectPart: subject, TextPart: text, HtmlPart: html };
    if (!call.isRest) return { Template: { TemplateName: name, ...parts } };
    const content = { Subject: subject ?? undefined, Text: text ?? undefined, Html: html ?? undefined };
    return { TemplateName: name, TemplateContent: content, Tags: [] };
  }),
  ListTemplates: reads(async (call) => {
    const { values, NextToken } = await pageOf(call, templatePageSizeMax, async (offset) =>
      listTemplates(call.session, offset),
    );
    const shown = values.map(({ name, createdAt }) =>
      call.isRest
        ? { TemplateName: name, CreatedTimestamp: createdAt / 1000 }
        : { Name: name, CreatedTimestamp: new Date(createdAt).toISOString() },
    );
    return { TemplatesMetadata: shown, NextToken };
  }),
  DeleteTemplate: sends(async (call) => {
    const name = requiredText(call.request, "TemplateName", "");
    // As in Amazon SES, version 1 also succeeds without such a template.
    if (!(await deleteTemplate(call, name)) && call.isRest) throw unknownTemplate(name);
    return {};
  }),
  TestRenderTemplate: reads(async (call) => {
    const templateName = requiredText(call.request, "TemplateName", "");
    const data = readTemplateData(requiredText(call.request, "TemplateData", ""), "templateData");
    const { name, subject, text, html } = await getTemplate(call, templateName);
    const rendered = await renderTemplate(call, { name, sources: { subject, text, html } }, data);
    return { RenderedTemplate: renderedMail(rendered, call.services.now()) };
  }),
};

function readTemplate({ request, isRest }: SesCall): NewTemplate {
  if (isRest) {
    const content = requiredObject(request, "TemplateContent", "");
    return { name: requiredText(request, "TemplateName", ""), ...readTemplateContent(content) };
  }
  const template = requiredObject(request, "Template", "");
  return { name: requiredText(template, "TemplateName", "template"), ...readTemplateContent(template, "Part") };
}

/** Returns the sources of a template; `suffix` ends the names of its members. */
export function readTemplateContent(content: JsonObject, suffix = ""): TemplateSources {
  const [subject, text, html] = ["Subject", "Text", "Html"].map((name) => textAt(content, name + suffix));
  return { subject: subject ?? null, text: text ?? null, html: html ?? null };
}
