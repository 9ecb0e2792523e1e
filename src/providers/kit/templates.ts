/** Templates of mail: rendering in a language of the service, and mail whose template is not stored here. */
import type { ProviderServices } from "../provider.ts";
import type { TemplateJob } from "../template-job.ts";
import { detailOf, onProblem } from "./rejection.ts";

/** Subject and bodies of a mail or template; null for absent ones. */
export interface Bodies {
  readonly subject: string | null;
  readonly text: string | null;
  readonly html: string | null;
}

/** Rendering of the parts of a template, by their names; null for absent ones. */
export interface Rendering<Name extends string> extends Pick<TemplateJob, "language" | "data"> {
  readonly sources: Readonly<Record<Name, string | null>>;
}

/**
 * Renders the parts of a template; absent ones stay absent. For a template that cannot be rendered, rejects with the error
 * that `failed` returns for the description of the template's error; by default as `renderTemplates` does.
 */
export async function renderBodies<Name extends string>(
  { renderTemplates }: Pick<ProviderServices, "renderTemplates">,
  { sources, language, data }: Rendering<Name>,
  failed?: (detail: string) => Error,
): Promise<Readonly<Record<Name, string | null>>> {
  const parts = Object.entries<string | null>(sources);
  const present = parts.flatMap(([name, source]) => (source === null ? [] : [[name, source] as const]));
  const rendering = renderTemplates({ language, sources: Object.fromEntries(present), data });
  const rendered = await onProblem("invalid_request", rendering, (problem) => {
    throw failed?.(detailOf(problem)) ?? problem;
  });
  return Object.fromEntries(parts.map(([name]) => [name, rendered[name] ?? null])) as Record<Name, string | null>;
}

/** Returns what a mail shows instead of a template that is not stored: its id and its data as JSON, which tests can compare. */
export function showUnstoredTemplate(
  id: string,
  data: unknown,
): { readonly subject: string; readonly text: string; readonly html: null } {
  const subject = `Template ${id}`;
  return { subject, text: `${subject}\n\n${JSON.stringify(data, null, 2)}\n`, html: null };
}
