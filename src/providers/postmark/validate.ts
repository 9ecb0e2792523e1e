import { isAbsent, type JsonObject } from "../formats/json-body.ts";
import type { Call, Handler } from "../kit/endpoints.ts";
import { detailOf, onProblem } from "../kit/rejection.ts";
import { jsonResponse } from "../provider.ts";
import { texts } from "./errors.ts";
import { readFields } from "./request.ts";
import { checkSources, placeholderError } from "./template-endpoints.ts";
import { contentPlaceholder, findLayout, inLayout } from "./templates.ts";

/** Parts of a template by their names in the request, in the order of the response. */
const parts = [
  ["html", "HtmlBody"],
  ["text", "TextBody"],
  ["subject", "Subject"],
] as const;

/** Renders the parts of a template with a model: `POST /templates/validate`. */
export const validateTemplate: Handler = async (call) => {
  const fields = readFields(call.request);
  const type = fields.text("TemplateType") === "Layout" ? "Layout" : "Standard";
  const layout = await findLayout(call, fields.text("LayoutTemplate"), texts.templateAlias);
  const own = { subject: fields.text("Subject"), html: fields.text("HtmlBody"), text: fields.text("TextBody") };
  checkSources(own);
  const sources = inLayout(own, layout);
  const present = parts.flatMap(([name]) => sources[name] ?? []);
  const model = suggestModel(present, fields.object("TestRenderModel") ?? {});
  const shown: Record<string, Result | null> = {};
  for (const [name, field] of parts) {
    const [source, ownSource] = [sources[name], own[name]];
    const error =
      ownSource === null || name === "subject" ? undefined : placeholderError({ type, part: field, source: ownSource });
    // A layout is shown with its placeholder.
    const shownSource = type === "Layout" ? source?.replaceAll(contentPlaceholder, "") : source;
    if (error !== undefined) shown[field] = resultOf(null, error);
    else shown[field] = isAbsent(shownSource) ? null : await renderPart(name, shownSource, { ...call, model });
  }
  const isValid = Object.values(shown).every((part) => part === null || part.ContentIsValid);
  return jsonResponse(200, { AllContentIsValid: isValid, ...shown, SuggestedTemplateModel: model });
};

interface Result {
  readonly ContentIsValid: boolean;
  readonly ValidationErrors: readonly unknown[];
  readonly RenderedContent: string | null;
}

async function renderPart(
  name: string,
  source: string,
  { services, model: data }: Pick<Call, "services"> & { readonly model: JsonObject },
): Promise<Result> {
  const rendered = services.renderTemplates({ language: "mustache", sources: { [name]: source }, data });
  const result = rendered.then(({ [name]: content = "" }) => resultOf(content));
  return onProblem("invalid_request", result, (problem) => resultOf(null, detailOf(problem)));
}

function resultOf(content: string | null, error?: string): Result {
  const errors = error === undefined ? [] : [{ Message: error, Line: 1, CharacterPosition: 1 }];
  return { ContentIsValid: error === undefined, ValidationErrors: errors, RenderedContent: content };
}

/** Tags of a template that are read. */
const tagCountMax = 1000;
/** Bounded repetitions keep the time linear. */
const tag = /\{\{\{?\s{0,9}([#^/]?)\s{0,9}(each\s{1,9})?([\w.@]{1,200})\s{0,9}\}?\}\}/g;
/** Items of a suggested list; one in lists inside of lists, so that models stay small. */
const listLength = 3;
const depthMax = 20;

type Model = { [name: string]: unknown };
interface Scope {
  readonly model: Model;
  /** Whether names in it are left out, as inside of an inverted section. */
  readonly isIgnored: boolean;
  readonly isInList: boolean;
}

/** Returns a model with a value for each variable of the sources; members of `given` replace suggested ones. */
export function suggestModel(sources: readonly string[], given: JsonObject): JsonObject {
  const model = emptyModel();
  for (const source of sources) suggestFrom(source, model);
  return { ...model, ...given };
}

function emptyModel(): Model {
  return Object.create(null) as Model;
}

function suggestFrom(source: string, root: Model): void {
  const scopes: Scope[] = [{ model: root, isIgnored: false, isInList: false }];
  let count = 0;
  for (const [, sign = "", each, name = ""] of source.matchAll(tag)) {
    count += 1;
    const scope = scopes.at(-1);
    if (scope === undefined || count > tagCountMax || scopes.length > depthMax) return;
    if (sign === "/") {
      if (scopes.length > 1) scopes.pop();
    } else if (sign === "") addValue(scope, name);
    else scopes.push(openSection(scope, { name, isList: each !== undefined, isInverted: sign === "^" }));
  }
}

function addValue({ model, isIgnored }: Scope, path: string): void {
  const names = path.split(".");
  const last = names.pop() ?? "";
  if (isIgnored || last === "" || path.startsWith("@") || path === "this" || names.length > depthMax) return;
  const parent = names.reduce<Model>((inner, name) => objectAt(inner, name), model);
  parent[last] ??= `${last}_Value`;
}

function objectAt(model: Model, name: string): Model {
  const present = model[name];
  if (typeof present === "object" && present !== null && !Array.isArray(present)) return present as Model;
  const created = emptyModel();
  model[name] = created;
  return created;
}

interface Section {
  readonly name: string;
  readonly isList: boolean;
  readonly isInverted: boolean;
}

function openSection({ model, isIgnored, isInList }: Scope, { name, isList, isInverted }: Section): Scope {
  if (isIgnored || isInverted) return { model, isIgnored: true, isInList };
  if (!isList) return { model: objectAt(model, name), isIgnored: false, isInList };
  const item = emptyModel();
  model[name] = Array.from({ length: isInList ? 1 : listLength }, () => item);
  return { model: item, isIgnored: false, isInList: true };
}
