/** Templates, which both versions of the API share: actions with them, and their rendering. */
import { randomUUID } from "node:crypto";
import { encodeUnstructured } from "../../mime/compose/header-text.ts";
import { readableDate } from "../../mime/compose/original.ts";
import type { ProviderFacts } from "../email.ts";
import { reads, sends } from "../formats/aws-actions.ts";
import { constraintError, requiredObject, requiredText, textAt } from "../formats/aws-members.ts";
import type { SesActions, SesCall } from "./protocols.ts";
import { readJsonObject, type JsonObject } from "../formats/json-body.ts";
import { type CollectedObject, type Collection, collectionOf } from "../kit/objects.ts";
import type { Rejection } from "../kit/rejection.ts";
import { renderBodies, type Bodies } from "../kit/templates.ts";
import type { Caller } from "./compose.ts";
import { rejection } from "./errors.ts";
import type { SimpleContent } from "./request.ts";

/** Template of a request: sources, and its name when it is stored. */
export interface ChosenTemplate {
  readonly name: string | null;
  readonly sources: Bodies;
}

const namePattern = /^[\w-]{1,64}$/;
/** Most characters of template data. */
const dataLengthMax = 262_144;
/** Most UTF-8 bytes of the parts of a template: 500 kB. */
const templateBytesMax = 500 * 1024;

/** Error text of `strict-handlebars` for a variable without a value. */
const undefinedVariable = /^"([^"]*)" not defined in /;

const templatesOf = collectionOf<Bodies>("template");

/** Returns a stored template; rejects with `templateMissing`. */
export async function storedTemplate(caller: Pick<Caller, "session">, name: string): Promise<ChosenTemplate> {
  return { name, sources: await templatesOf(caller).open(name, () => unknownTemplate(name)) };
}

/** Returns the error for a template that is not stored. */
function unknownTemplate(name: string): Rejection {
  return rejection("templateMissing", `Template ${name} does not exist.`, { TemplateName: name });
}

/** Returns the name of a template by its name or ARN (`…:template/<name>`); throws `validation` without either. */
export function templateName(name: string | null, arn: string | null, path: string): string {
  const found = name || /:template\/([^/]+)$/.exec(arn ?? "")?.[1];
  if (found === undefined) throw constraintError(path, "Member must not be null", "null");
  return found;
}

/** Returns the object in template data; throws `invalidRendering` for anything but a JSON object. */
export function readTemplateData(text: string, path: string): JsonObject {
  if (text.length > dataLengthMax) {
    throw constraintError(path, `Member must have length less than or equal to ${String(dataLengthMax)}`);
  }
  const value = readJsonObject(text);
  if (value === undefined) throw rejection("invalidRendering");
  return value;
}

/** Content of a rendered template, with its name and data as facts. */
export type RenderedTemplate = Pick<SimpleContent, "subject" | "text" | "html"> & {
  readonly template: ProviderFacts["template"];
};

/** Renders a template; throws `missingAttribute` for a variable without a value, `invalidRendering` for other failures. */
export async function renderTemplate(
  { services }: Pick<Caller, "services">,
  { name, sources }: ChosenTemplate,
  data: JsonObject,
): Promise<RenderedTemplate> {
  const job = { language: "strict-handlebars", sources, data } as const;
  const { subject, text, html } = await renderBodies(services, job, (detail) => {
    const missing = undefinedVariable.exec(detail)?.[1];
    if (missing === undefined) return rejection("invalidRendering", detail);
    return rejection("missingAttribute", `Attribute '${missing}' is not present in the rendering data.`);
  });
  return { subject: subject ?? "", text, html, template: name === null ? null : { id: name, data } };
}

async function checkTemplate(services: Caller["services"], name: string, sources: Bodies): Promise<void> {
  if (name === "") throw rejection("invalid", "The template name must be specified.");
  if (!namePattern.test(name)) {
    throw rejection("invalid", "The template name must have at most 64 letters, digits, hyphens and underscores.");
  }
  if (sources.subject === null || sources.subject === "") {
    throw rejection("invalid", "The subject must be specified.");
  }
  const bytes = [sources.subject, sources.text, sources.html].reduce(
    (sum, part) => sum + Buffer.byteLength(part ?? ""),
    0,
  );
  if (bytes > templateBytesMax) throw rejection("limitExceeded", "The template exceeds 500 KB.");
  const failed = (detail: string): Rejection => rejection("invalidTemplate", detail);
  await renderBodies(services, { language: "handlebars", sources, data: {} }, failed);
}

/** Returns the mail that `TestRenderTemplate` shows: header fields, then the rendered parts unencoded. */
function renderedMail({ subject, text, html }: RenderedTemplate, now: number): string {
  const boundary = `----=_Part_${randomUUID()}`;
  const part = (type: string, content: string | null): readonly string[] =>
    content === null
      ? []
      : [`--${boundary}`, `Content-Type: text/${type}; charset=UTF-8`, "Content-Transfer-Encoding: 8bit", "", content];
  return [
    `Date: ${readableDate(now)}`,
    `Message-ID: <${randomUUID()}@email.amazonses.com>`,
    `Subject: ${encodeUnstructured(subject)}`,
    "MIME-Version: 1.0",
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    "",
    ...part("plain", text),
    ...part("html", html),
    `--${boundary}--`,
  ].join("\r\n");
}

/** Largest page of templates. */
const templatePageSizeMax = 100;

/** Actions with templates. */
export const templateActions: SesActions = {
  CreateTemplate: sends(async (call) => {
    const { name, sources } = await readTemplate(call);
    if (await templatesOf(call).create(name, sources)) return {};
    throw rejection("alreadyExists", `Template ${name} already exists.`, { Name: name });
  }),
  UpdateTemplate: sends(async (call) => {
    const { name, sources } = await readTemplate(call);
    if ((await templatesOf(call).get(name)) === undefined) throw unknownTemplate(name);
    await templatesOf(call).put(name, sources);
    return {};
  }),
  GetTemplate: reads(async (call) => {
    const name = requiredText(call.request, "TemplateName", "");
    const { subject, text, html } = (await storedTemplate(call, name)).sources;
    const parts = { SubjectPart: subject, TextPart: text, HtmlPart: html };
    if (!call.isRest) return { Template: { TemplateName: name, ...parts } };
    const content = { Subject: subject ?? undefined, Text: text ?? undefined, Html: html ?? undefined };
    return { TemplateName: name, TemplateContent: content, Tags: [] };
  }),
  ListTemplates: reads(async (call) => {
    const { objects, NextToken } = await pageOf(call, templatesOf(call), templatePageSizeMax);
    const shown = objects.map(({ id, createdAt }) =>
      call.isRest
        ? { TemplateName: id, CreatedTimestamp: createdAt / 1000 }
        : { Name: id, CreatedTimestamp: new Date(createdAt).toISOString() },
    );
    return { TemplatesMetadata: shown, NextToken };
  }),
  DeleteTemplate: sends(async (call) => {
    const name = requiredText(call.request, "TemplateName", "");
    // As in Amazon SES, version 1 also succeeds without such a template.
    if (!(await templatesOf(call).remove(name)) && call.isRest) throw unknownTemplate(name);
    return {};
  }),
  TestRenderTemplate: reads(async (call) => {
    const name = requiredText(call.request, "TemplateName", "");
    const data = readTemplateData(requiredText(call.request, "TemplateData", ""), "templateData");
    const rendered = await renderTemplate(call, await storedTemplate(call, name), data);
    return { RenderedTemplate: renderedMail(rendered, call.services.now()) };
  }),
};

/** Returns the template of a request; rejects with `invalid` and `invalidTemplate`. */
async function readTemplate({ request, services, isRest }: SesCall): Promise<{ name: string; sources: Bodies }> {
  const content = requiredObject(request, isRest ? "TemplateContent" : "Template", "");
  const name = isRest ? requiredText(request, "TemplateName", "") : requiredText(content, "TemplateName", "template");
  const sources = readTemplateContent(content, isRest ? "" : "Part");
  await checkTemplate(services, name, sources);
  return { name, sources };
}

/** Returns the sources of a template; `suffix` ends the names of its members. */
export function readTemplateContent(content: JsonObject, suffix = ""): Bodies {
  const [subject, text, html] = ["Subject", "Text", "Html"].map((name) => textAt(content, name + suffix));
  return { subject: subject ?? null, text: text ?? null, html: html ?? null };
}

/** Page of a list. */
interface Page<Value> {
  readonly objects: readonly CollectedObject<Value>[];
  /** Undefined on the last page. */
  readonly NextToken: string | undefined;
}

/** Largest page of identities and of configuration sets; one less than a list has, so that a further page is noticed. */
const pageSizeMax = 999;

/** Returns the page that a request names. Throws `invalid` for a token or size that Amazon SES would reject. */
export async function pageOf<Value>(
  call: Pick<SesCall, "request" | "isRest">,
  collection: Collection<Value>,
  sizeMax = pageSizeMax,
): Promise<Page<Value>> {
  const size = sizeOf(call);
  const token = textAt(call.request, "NextToken");
  const offset = token === null || token === "" ? 0 : offsetOf(token);
  if (size !== null && (!Number.isSafeInteger(size) || size < 0)) throw rejection("invalid", "Invalid page size.");
  const shown = Math.min(size || sizeMax, sizeMax);
  const objects = await collection.page(offset);
  return { objects: objects.slice(0, shown), NextToken: objects.length > shown ? tokenOf(offset + shown) : undefined };
}

/** Returns the wanted number of values, a text in version 1; null or 0 for the largest page. */
function sizeOf({ request, isRest }: Pick<SesCall, "request" | "isRest">): number | null {
  if (!isRest) return Number(textAt(request, "MaxItems") ?? "");
  const size = request["PageSize"] ?? null;
  if (size !== null && typeof size !== "number") throw rejection("malformed");
  return size;
}

function tokenOf(offset: number): string {
  return Buffer.from(`page-${String(offset)}`).toString("base64url");
}

function offsetOf(token: string): number {
  const digits = /^page-(\d{1,7})$/.exec(Buffer.from(token, "base64url").toString("latin1"))?.[1];
  if (digits === undefined) throw rejection("invalid", "Invalid NextToken.");
  return Number(digits);
}
