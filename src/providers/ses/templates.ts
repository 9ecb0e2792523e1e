/** Templates, which both versions of the API share, and their rendering. */
import { constraintError } from "../formats/aws-members.ts";
import { Problem } from "../../core/errors.ts";
import type { EmailSession, ProviderFacts } from "../email.ts";
import { isJsonObject, readJson, type JsonObject } from "../formats/json-body.ts";
import type { Caller } from "./compose.ts";
import { SesError } from "./errors.ts";
import type { SimpleContent } from "./request.ts";

/** Sources of a template; parts that are null are absent. */
export interface TemplateSources {
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
}

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

const kind = "template";
const namePattern = /^[\w-]{1,64}$/;
/** Most characters of template data. */
const dataLengthMax = 262_144;
/** Most UTF-8 bytes of the parts of a template: 500 kB. */
const templateBytesMax = 500 * 1024;

/** Error text of `strict-handlebars` for a variable without a value. */
const undefinedVariable = /^"([^"]*)" not defined in /;

/** Stores a new template; throws `alreadyExists`, `invalid` and `invalidTemplate`. */
export async function createTemplate({ session, services }: Caller, template: NewTemplate): Promise<void> {
  await checkTemplate(services, template);
  const { name, ...sources } = template;
  if (!(await session.objects.put(kind, name, { value: sources, version: 0 }))) {
    throw new SesError("alreadyExists", `Template ${name} already exists.`, ["Name", name]);
  }
}

/** Template before it is stored. */
export type NewTemplate = TemplateSources & { readonly name: string };

/** Replaces a template; throws `templateMissing`, `invalid` and `invalidTemplate`. */
export async function updateTemplate({ session, services }: Caller, template: NewTemplate): Promise<void> {
  await checkTemplate(services, template);
  const { name, ...sources } = template;
  const present = await session.objects.get(kind, name);
  if (present === undefined || !(await session.objects.put(kind, name, { value: sources })))
    throw unknownTemplate(name);
}

/** Returns a stored template; throws `templateMissing`. */
export async function getTemplate({ session }: Pick<Caller, "session">, name: string): Promise<StoredTemplate> {
  const found = namePattern.test(name) ? await session.objects.get(kind, name) : undefined;
  if (found === undefined) throw unknownTemplate(name);
  return { name, createdAt: found.createdAt, ...(found.value as TemplateSources) };
}

/** Returns stored templates in the order of their creation, at most 1000 after skipping `offset`. */
export async function listTemplates(session: EmailSession, offset: number): Promise<readonly StoredTemplate[]> {
  const found = await session.objects.list(kind, offset);
  return found.map(({ id, createdAt, value }) => ({ name: id, createdAt, ...(value as TemplateSources) }));
}

/** Removes a template; false when there is none. */
export async function deleteTemplate({ session }: Pick<Caller, "session">, name: string): Promise<boolean> {
  return namePattern.test(name) && session.objects.remove(kind, name);
}

/** Returns the error for a template that is not stored. */
export function unknownTemplate(name: string): SesError {
  return new SesError("templateMissing", `Template ${name} does not exist.`, ["TemplateName", name]);
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
  if (!isJsonObject(value)) throw new SesError("invalidRendering");
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
  const rendered = await render(services, sources, { data, language: "strict-handlebars", kind: "invalidRendering" });
  return {
    subject: rendered["subject"] ?? "",
    text: sources.text === null ? null : (rendered["text"] ?? ""),
    html: sources.html === null ? null : (rendered["html"] ?? ""),
    template: name === null ? null : { id: name, data },
  };
}

interface Rendering {
  readonly data: JsonObject;
  readonly language: "handlebars" | "strict-handlebars";
  /** Error for templates that cannot be rendered. */
  readonly kind: "invalidRendering" | "invalidTemplate";
}

async function render(
  { renderTemplates }: Pick<Caller["services"], "renderTemplates">,
  sources: TemplateSources,
  { data, language, kind: failure }: Rendering,
): Promise<Readonly<Record<string, string>>> {
  const present = Object.entries(sources).filter((entry): entry is [string, string] => entry[1] !== null);
  try {
    return await renderTemplates({ language, sources: Object.fromEntries(present), data });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "invalid_request") throw error;
    const text = error.fields[0]?.description ?? error.message;
    const missing = undefinedVariable.exec(text)?.[1];
    if (missing === undefined) throw new SesError(failure, text);
    throw new SesError("missingAttribute", `Attribute '${missing}' is not present in the rendering data.`);
  }
}

async function checkTemplate(services: Caller["services"], { name, ...sources }: NewTemplate): Promise<void> {
  if (name === "") throw new SesError("invalid", "The template name must be specified.");
  if (!namePattern.test(name)) {
    throw new SesError("invalid", "The template name must have at most 64 letters, digits, hyphens and underscores.");
  }
  if (sources.subject === null || sources.subject === "") {
    throw new SesError("invalid", "The subject must be specified.");
  }
  const bytes = [sources.subject, sources.text, sources.html].reduce(
    (sum, part) => sum + Buffer.byteLength(part ?? ""),
    0,
  );
  if (bytes > templateBytesMax) throw new SesError("limitExceeded", "The template exceeds 500 KB.");
  await render(services, sources, { data: {}, language: "handlebars", kind: "invalidTemplate" });
}
