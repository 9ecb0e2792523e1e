/** Version 1: templates. */
import { reads, sends } from "../formats/aws-query.ts";
import { memberList, type XmlElement } from "../formats/aws-xml.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { requiredObject, requiredText, textAt } from "../formats/aws-members.ts";
import { pageOf } from "./pages.ts";
import type { QueryActions } from "./call.ts";
import {
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  readTemplateData,
  renderedMail,
  renderTemplate,
  updateTemplate,
  type NewTemplate,
} from "./templates.ts";

/** Largest page of templates. */
const templatePageSizeMax = 100;

/** Actions with templates. */
export const templateActions: QueryActions = {
  CreateTemplate: sends(async (call) => {
    await createTemplate(call, readTemplate(call.request));
    return [];
  }),
  UpdateTemplate: sends(async (call) => {
    await updateTemplate(call, readTemplate(call.request));
    return [];
  }),
  GetTemplate: reads(async (call) => {
    const { name, subject, text, html } = await getTemplate(call, requiredText(call.request, "TemplateName", ""));
    const parts = { SubjectPart: subject, TextPart: text, HtmlPart: html };
    const shown = Object.entries(parts).flatMap(([member, part]): XmlElement[] =>
      part === null ? [] : [[member, part]],
    );
    return [["Template", [["TemplateName", name], ...shown]]];
  }),
  ListTemplates: reads(async ({ request, session }) => {
    const page = {
      token: textAt(request, "NextToken"),
      size: textAt(request, "MaxItems"),
      sizeMax: templatePageSizeMax,
    };
    const { values, nextToken } = await pageOf(page, async (offset) => listTemplates(session, offset));
    const members = values.map(({ name, createdAt }): XmlElement[] => [
      ["Name", name],
      ["CreatedTimestamp", new Date(createdAt).toISOString()],
    ]);
    return [["TemplatesMetadata", memberList(members)], ...tokenElement(nextToken)];
  }),
  DeleteTemplate: sends(async (call) => {
    // As in Amazon SES, also succeeds without such a template.
    await deleteTemplate(call, requiredText(call.request, "TemplateName", ""));
    return [];
  }),
  TestRenderTemplate: reads(async (call) => {
    const name = requiredText(call.request, "TemplateName", "");
    const data = readTemplateData(requiredText(call.request, "TemplateData", ""), "templateData");
    const { subject, text, html } = await getTemplate(call, name);
    const rendered = await renderTemplate(call, { name, sources: { subject, text, html } }, data);
    return [["RenderedTemplate", renderedMail(rendered, call.services.now())]];
  }),
};

/** Returns the element of the token of the next page; none on the last page. */
export function tokenElement(nextToken: string | null): readonly XmlElement[] {
  return nextToken === null ? [] : [["NextToken", nextToken]];
}

function readTemplate(request: JsonObject): NewTemplate {
  const template = requiredObject(request, "Template", "");
  return {
    name: requiredText(template, "TemplateName", "template"),
    subject: textAt(template, "SubjectPart"),
    text: textAt(template, "TextPart"),
    html: textAt(template, "HtmlPart"),
  };
}
