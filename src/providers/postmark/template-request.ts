/** Templates in requests: their members and the checks of the API. */
import { randomUUID } from "node:crypto";
import type { Call } from "../kit/endpoints.ts";
import type { Rejection } from "../kit/rejection.ts";
import { rejection } from "./errors.ts";
import type { Fields } from "./fields.ts";
import { contentPlaceholder, findTemplate, isAlias, type PostmarkTemplate } from "./templates.ts";

const nameLengthMax = 255;
const subjectLengthMax = 2000;
/** UTF-8 bytes of HtmlBody or TextBody. */
const bodyBytesMax = 400_000;

type NewTemplate = Omit<PostmarkTemplate, "id">;

const names = ["Name", "Subject", "HtmlBody", "TextBody", "Alias", "LayoutTemplate", "TemplateType"];

/** Template without a name, which every template needs. */
type Draft = Omit<NewTemplate, "name"> & { readonly name: string | null };

const emptyTemplate: Draft = {
  type: "Standard",
  name: null,
  alias: null,
  subject: null,
  html: null,
  text: null,
  layout: null,
};

/** Reads a template; members that are absent keep their present value. Throws a rejection. */
export function readTemplate(fields: Fields, present: PostmarkTemplate | null): NewTemplate {
  if (!names.some((name) => fields.has(name))) throw rejection(1109, "No Template data received.");
  const kept = present ?? { ...emptyTemplate, type: readType(fields) };
  const { type } = kept;
  const name = fields.text("Name") ?? kept.name;
  if (name === null) throw rejection(1120, "The 'Name' of the template is required.");
  const given = (field: string, value: string | null): string | null =>
    fields.has(field) ? fields.text(field) : value;
  const alias = fields.text("Alias") ?? kept.alias;
  const value: NewTemplate = {
    type,
    name,
    alias: alias === null && type === "Layout" ? aliasOf(name) : alias,
    subject: type === "Layout" ? null : (fields.text("Subject") ?? kept.subject),
    html: given("HtmlBody", kept.html),
    text: given("TextBody", kept.text),
    layout: given("LayoutTemplate", kept.layout),
  };
  checkRequired(value);
  checkSizes(value);
  checkPlaceholders(value);
  return value;
}

function readType(fields: Fields): PostmarkTemplate["type"] {
  const type = fields.text("TemplateType") ?? "Standard";
  if (type !== "Standard" && type !== "Layout") {
    throw rejection(1122, "The 'TemplateType' must be 'Standard' or 'Layout'.");
  }
  return type;
}

/** Returns an alias from the name of a layout, which has always one. */
function aliasOf(name: string): string {
  const text = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[^a-z]+|-$/g, "")
    .slice(0, 80);
  return `${text === "" ? "layout" : text}-${randomUUID().slice(0, 8)}`;
}

function checkRequired({ type, alias, subject, html, text }: NewTemplate): void {
  if (html === null && text === null) throw rejection(1120, "An 'HtmlBody' or 'TextBody' is required.");
  if (type === "Standard" && subject === null) throw rejection(1120, "The 'Subject' is required.");
  if (alias === null || isAlias(alias)) return;
  throw rejection(
    1122,
    "The 'Alias' must start with a letter and may only contain letters, numbers, '.', '-' and '_'.",
  );
}

function checkSizes(template: NewTemplate): void {
  if (template.name.length > nameLengthMax) throw tooLarge("Name");
  checkSources(template);
}

/** Throws a rejection with code 1121 for sources that exceed the limits of a template. */
export function checkSources({ subject, html, text }: Pick<NewTemplate, "subject" | "html" | "text">): void {
  if ((subject ?? "").length > subjectLengthMax) throw tooLarge("Subject");
  if (Buffer.byteLength(html ?? "") > bodyBytesMax) throw tooLarge("HtmlBody");
  if (Buffer.byteLength(text ?? "") > bodyBytesMax) throw tooLarge("TextBody");
}

function checkPlaceholders({ type, html, text }: NewTemplate): void {
  for (const [part, source] of Object.entries({ HtmlBody: html, TextBody: text })) {
    const message = source === null ? undefined : placeholderError({ type, part, source });
    if (message !== undefined) throw rejection(1131, message);
  }
}

function tooLarge(name: string): Rejection {
  return rejection(1121, `The '${name}' of the template is too large.`);
}

/** Returns the error of a body that has the wrong number of content placeholders; undefined for none. */
export function placeholderError({
  type,
  part,
  source,
}: {
  readonly type: PostmarkTemplate["type"];
  readonly part: string;
  readonly source: string;
}): string | undefined {
  const count = [...source.matchAll(contentPlaceholder)].length;
  if (type === "Layout" && count !== 1) {
    return `The layout content placeholder must be present exactly once in the ${part}.`;
  }
  return type === "Standard" && count > 0
    ? "The layout content placeholder is only allowed in the body of a layout template."
    : undefined;
}

/** Checks that the layout of a template exists; throws a rejection with code 1101. */
export async function checkTemplate(call: Call, { layout, type }: NewTemplate): Promise<void> {
  if (layout === null) return;
  const found = type === "Layout" ? undefined : await findTemplate(call, layout);
  if (found?.type !== "Layout") {
    throw rejection(1101, "The 'LayoutTemplate' associated with this request is not valid or was not found.");
  }
}
