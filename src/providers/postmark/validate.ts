import type { JsonObject } from "../formats/json-body.ts";
import type { Handler } from "../kit/endpoints.ts";
import { detailOf, onProblem } from "../kit/rejection.ts";
import { jsonResponse, type ProviderServices } from "../provider.ts";
import { rejection, texts } from "./errors.ts";
import { readFields } from "./fields.ts";
import { suggestModel } from "./suggest-model.ts";
import { checkSources, placeholderError } from "./template-request.ts";
import { contentPlaceholder, findTemplate, inLayout, type PostmarkTemplate } from "./templates.ts";

interface Part {
  readonly name: "subject" | "html" | "text";
  /** Name of the part in the request. */
  readonly field: "Subject" | "HtmlBody" | "TextBody";
}

const parts: readonly Part[] = [
  { name: "html", field: "HtmlBody" },
  { name: "text", field: "TextBody" },
  { name: "subject", field: "Subject" },
];

/** Renders the parts of a template with a model: `POST /templates/validate`. */
export const validateTemplate: Handler = async (call) => {
  const fields = readFields(call.request);
  const type = fields.text("TemplateType") === "Layout" ? "Layout" : "Standard";
  const alias = fields.text("LayoutTemplate");
  const layout = alias === null ? undefined : await findTemplate(call, alias);
  if (alias !== null && layout?.type !== "Layout") throw rejection(1101, texts.templateAlias);
  const own = { subject: fields.text("Subject"), html: fields.text("HtmlBody"), text: fields.text("TextBody") };
  checkSources(own);
  const sources = inLayout(own, layout);
  const present = parts.flatMap(({ name }) => sources[name] ?? []);
  const model = suggestModel(present, fields.object("TestRenderModel") ?? {});
  const shown: Record<string, Result | null> = {};
  for (const { name, field } of parts) {
    const source = sources[name];
    const ownSource = own[name];
    const error = ownSource === null ? undefined : placeholderError({ type, part: field, source: ownSource });
    if (error !== undefined && name !== "subject") shown[field] = invalid(error);
    else shown[field] = source === null ? null : await renderPart({ name, source, model, type }, call.services);
  }
  const isValid = Object.values(shown).every((part) => part === null || part.ContentIsValid);
  return jsonResponse(200, { AllContentIsValid: isValid, ...shown, SuggestedTemplateModel: model });
};

interface Result {
  readonly ContentIsValid: boolean;
}

interface PartSource {
  readonly name: Part["name"];
  readonly source: string;
  readonly model: JsonObject;
  readonly type: PostmarkTemplate["type"];
}

async function renderPart(
  { name, source, model: data, type }: PartSource,
  services: ProviderServices,
): Promise<Result> {
  // A layout is shown with its placeholder.
  const sources = { [name]: type === "Layout" ? source.replaceAll(contentPlaceholder, "") : source };
  const rendered = services.renderTemplates({ language: "mustache", sources, data });
  return onProblem(
    "invalid_request",
    rendered.then((texts) => valid(texts[name] ?? "")),
    (problem) => invalid(detailOf(problem)),
  );
}

function valid(content: string): Result {
  const result = { ContentIsValid: true, ValidationErrors: [], RenderedContent: content };
  return result;
}

function invalid(message: string): Result {
  const errors = [{ Message: message, Line: 1, CharacterPosition: 1 }];
  const result = { ContentIsValid: false, ValidationErrors: errors, RenderedContent: null };
  return result;
}
