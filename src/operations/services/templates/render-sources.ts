/** Renders the sources of one job. */
import type { TemplateJob } from "../../../providers/template-job.ts";
import { RenderBudget, type RenderLimits, type RenderTemplate } from "./render-budget.ts";

/** Job as the worker receives it; the data as JSON. */
export interface RenderRequest extends Omit<TemplateJob, "data"> {
  readonly data: string;
}

/** Rendered sources by name, or the error of the first source that has one. */
export type RenderResult =
  | { readonly rendered: Readonly<Record<string, string>>; readonly error?: undefined }
  | { readonly rendered?: undefined; readonly error: { readonly source: string; readonly text: string } };

/** Loads a language on first use. */
const languages: Readonly<Record<TemplateJob["language"], () => Promise<RenderTemplate>>> = {
  handlebars: async () => (await import("./handlebars-templates.ts")).renderHandlebars,
  "strict-handlebars": async () => (await import("./handlebars-templates.ts")).renderStrictHandlebars,
  "filter-handlebars": async () => (await import("./filter-handlebars.ts")).renderFilterHandlebars,
  "merge-tags": async () => (await import("./tag-dialects.ts")).renderMergeTags,
  mustache: async () => (await import("./mustache-templates.ts")).renderMustache,
  jinja: async () => (await import("./jinja-templates.ts")).renderJinja,
  twig: async () => (await import("./jinja-templates.ts")).renderTwig,
  mjtl: async () => (await import("./tag-dialects.ts")).renderMjtl,
  substitutions: async () => (await import("./tag-dialects.ts")).renderSubstitutions,
  variables: async () => (await import("./tag-dialects.ts")).renderVariables,
};

/** Names of all languages. */
export const languageNames: readonly TemplateJob["language"][] = Object.keys(languages) as TemplateJob["language"][];

const errorLengthMax = 500;

/** Renders the sources within the limits. Errors of any kind are reported: the data and the sources are the caller's. */
export async function renderSources(request: RenderRequest, limits: RenderLimits): Promise<RenderResult> {
  const render = await languages[request.language]();
  const budget = new RenderBudget(limits);
  const data: unknown = JSON.parse(request.data);
  const rendered: [string, string][] = [];
  for (const [name, source] of Object.entries(request.sources)) {
    try {
      rendered.push([name, render(source, data, { budget, isHtml: name.startsWith("html") })]);
    } catch (error) {
      return { error: { source: name, text: textOfError(error) } };
    }
  }
  return { rendered: Object.fromEntries(rendered) };
}

function textOfError(error: unknown): string {
  if (error instanceof RangeError) return "The template is nested too deeply or its output is too long";
  return (error instanceof Error ? error.message : String(error)).slice(0, errorLengthMax);
}
