/** Templates of mail: rendering in a language of the service, and mail whose template is not stored here. */
import type { ProviderServices, TemplateJob } from "../provider.ts";
import { detailOf, onProblem } from "./rejection.ts";

/** Subject and bodies of a mail or template; null for absent ones. */
export interface Bodies {
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
}

/** Rendering of a template. */
export interface Rendering extends Pick<TemplateJob, "language" | "data"> {
  readonly sources: Bodies;
}

/**
 * Renders the parts of a template; absent ones stay absent. For a template that cannot be rendered, rejects with the error
 * that `failed` returns for the description of the template's error; by default as `renderTemplates` does.
 */
export async function renderBodies(
  { renderTemplates }: Pick<ProviderServices, "renderTemplates">,
  { sources, language, data }: Rendering,
  failed?: (detail: string) => Error,
): Promise<Bodies> {
  const present = Object.entries(sources).flatMap(([name, source]) => (source === null ? [] : [[name, source]]));
  const job = { language, sources: Object.fromEntries(present) as Readonly<Record<string, string>>, data };
  const {
    subject = null,
    text = null,
    html = null,
  } = await onProblem("invalid_request", renderTemplates(job), (problem) => {
    throw failed?.(detailOf(problem)) ?? problem;
  });
  return { subject, text, html };
}

/** Returns what a mail shows instead of a template that is not stored: its id and its data as JSON, which tests can compare. */
export function showUnstoredTemplate(
  id: string,
  data: unknown,
): { readonly subject: string; readonly text: string; readonly html: null } {
  const subject = `Template ${id}`;
  return { subject, text: `${subject}\n\n${JSON.stringify(data, null, 2)}\n`, html: null };
}
