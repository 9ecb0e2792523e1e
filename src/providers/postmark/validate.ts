import { Problem } from "../../core/errors.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { jsonResponse, type ProviderRequest, type ProviderResponse, type ProviderServices } from "../provider.ts";
import { PostmarkRejection, texts, withRejections } from "./errors.ts";
import { readFields } from "./fields.ts";
import { inLayout } from "./render.ts";
import { suggestModel } from "./suggest-model.ts";
import { checkSources, placeholderError } from "./template-request.ts";
import { findTemplate, type PostmarkTemplate } from "./templates.ts";

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
export async function validateTemplate(
  request: ProviderRequest,
  services: ProviderServices,
): Promise<ProviderResponse> {
  return withRejections(async () => {
    const session = await services.authenticate(request.key, "read");
    const fields = readFields(request);
    const type = fields.text("TemplateType") === "Layout" ? "Layout" : "Standard";
    const alias = fields.text("LayoutTemplate");
    const layout = alias === null ? undefined : await findTemplate(session, alias);
    if (alias !== null && layout?.type !== "Layout") throw new PostmarkRejection(1101, texts.templateAlias);
    const own = { subject: fields.text("Subject"), html: fields.text("HtmlBody"), text: fields.text("TextBody") };
    checkSources(own);
    const sources = inLayout(own, layout);
    const model = suggestModel(Object.values(sources), fields.object("TestRenderModel") ?? {});
    const shown: Record<string, unknown> = {};
    for (const { name, field } of parts) {
      const source = sources[name];
      const ownSource = own[name];
      const error = ownSource === null ? undefined : placeholderError({ type, part: field, source: ownSource });
      if (error !== undefined && name !== "subject") shown[field] = invalid(error);
      else shown[field] = source === undefined ? null : await renderPart({ name, source, model, type }, services);
    }
    const isValid = Object.values(shown).every((part) => part === null || (part as Result).ContentIsValid);
    return jsonResponse(200, { AllContentIsValid: isValid, ...shown, SuggestedTemplateModel: model });
  });
}

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
  const sources = { [name]: type === "Layout" ? source.replaceAll(/\{\{\{\s*@content\s*\}\}\}/g, "") : source };
  try {
    const rendered = await services.renderTemplates({ language: "mustache", sources, data });
    const valid = { ContentIsValid: true, ValidationErrors: [], RenderedContent: rendered[name] ?? "" };
    return valid;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "invalid_request") throw error;
    return invalid(error.fields[0]?.description ?? error.message);
  }
}

function invalid(message: string): Result {
  const errors = [{ Message: message, Line: 1, CharacterPosition: 1 }];
  const result = { ContentIsValid: false, ValidationErrors: errors, RenderedContent: null };
  return result;
}
