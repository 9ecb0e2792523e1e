/** Templates, which both versions of the API share, and their rendering. */
import { randomUUID } from "node:crypto";
import { encodeUnstructured } from "../../mime/compose/header-text.ts";
import { readableDate } from "../../mime/compose/original.ts";
import type { EmailSession, ProviderFacts } from "../email.ts";
import { constraintError } from "../formats/aws-members.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import { Collection } from "../kit/objects.ts";
import type { Rejection } from "../kit/rejection.ts";
import { renderBodies, type Bodies } from "../kit/templates.ts";
import type { Caller } from "./compose.ts";
import { rejection } from "./errors.ts";
import type { SimpleContent } from "./request.ts";

/** Sources of a template. */
export type TemplateSources = Bodies;

/** Stored template. */
export interface StoredTemplate extends TemplateSources {
  readonly name: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Template of a request: sources, and its name when it is stored. */
export interface ChosenTemplate {
  readonly name: string | null;
  readonly sources: TemplateSources;
}

const namePattern = /^[\w-]{1,64}$/;
/** Most characters of template data. */
const dataLengthMax = 262_144;
/** Most UTF-8 bytes of the parts of a template: 500 kB. */
const templateBytesMax = 500 * 1024;

/** Error text of `strict-handlebars` for a variable without a value. */
const undefinedVariable = /^"([^"]*)" not defined in /;

function openTemplates(session: EmailSession): Collection<TemplateSources> {
  return new Collection(session, "template");
}

/** Stores a new template; throws `alreadyExists`, `invalid` and `invalidTemplate`. */
export async function createTemplate({ session, services }: Caller, template: NewTemplate): Promise<void> {
  await checkTemplate(services, template);
  const { name, ...sources } = template;
  if (!(await openTemplates(session).create(name, sources))) {
    throw rejection("alreadyExists", `Template ${name} already exists.`, { Name: name });
  }
}

/** Template before it is stored. */
export type NewTemplate = TemplateSources & { readonly name: string };

/** Replaces a template; throws `templateMissing`, `invalid` and `invalidTemplate`. */
export async function updateTemplate({ session, services }: Caller, template: NewTemplate): Promise<void> {
  await checkTemplate(services, template);
  const { name, ...sources } = template;
  if ((await openTemplates(session).find(name)) === undefined) throw unknownTemplate(name);
  await openTemplates(session).put(name, sources);
}

/** Returns a stored template; throws `templateMissing`. */
export async function getTemplate({ session }: Pick<Caller, "session">, name: string): Promise<StoredTemplate> {
  const found = namePattern.test(name) ? await openTemplates(session).get(name) : undefined;
  if (found === undefined) throw unknownTemplate(name);
  return { name, createdAt: found.createdAt, ...found.value };
}

/** Returns stored templates in the order of their creation, at most 1000 after skipping `offset`. */
export async function listTemplates(session: EmailSession, offset: number): Promise<readonly StoredTemplate[]> {
  const found = await openTemplates(session).page(offset);
  return found.map(({ id, createdAt, value }) => ({ name: id, createdAt, ...value }));
}

/** Removes a template; false when there is none. */
export async function deleteTemplate({ session }: Pick<Caller, "session">, name: string): Promise<boolean> {
  return namePattern.test(name) && openTemplates(session).remove(name);
}

/** Returns the error for a template that is not stored. */
export function unknownTemplate(name: string): Rejection {
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
  const value = readJson(new TextEncoder().encode(text));
  if (!isJsonObject(value)) throw rejection("invalidRendering");
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

async function checkTemplate(services: Caller["services"], { name, ...sources }: NewTemplate): Promise<void> {
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
export function renderedMail({ subject, text, html }: RenderedTemplate, now: number): string {
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
