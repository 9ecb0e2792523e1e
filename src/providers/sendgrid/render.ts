import type { JsonObject } from "../formats/json-body.ts";
import type { ProviderServices } from "../provider.ts";

/** Subject and bodies of a mail. */
export interface Bodies {
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
}

/** Sources of a template version; "" for none. */
export interface StoredTemplate {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface DynamicJob {
  /** Subject and bodies of the request, which fill what the template lacks. */
  readonly own: Bodies;
  readonly data: JsonObject;
  readonly services: ProviderServices;
}

/** Renders a dynamic template with Handlebars; subject and text are not escaped. */
export async function renderDynamic({ subject, text, html }: StoredTemplate, job: DynamicJob): Promise<Bodies> {
  const all = Object.entries({ subject, text, html });
  const sources = Object.fromEntries(all.filter(([, source]) => source !== ""));
  const { own, data, services } = job;
  const rendered = await services.renderTemplates({ language: "handlebars", sources, data });
  return {
    subject: rendered["subject"] ?? own.subject,
    text: rendered["text"] ?? own.text,
    html: rendered["html"] ?? own.html,
  };
}

/** Puts subject and bodies of a request into the `<%subject%>` and `<%body%>` of a legacy template. */
export function renderLegacy({ subject, text, html }: StoredTemplate, own: Bodies): Bodies {
  const fill = (source: string, body: string | null): string | null =>
    source === "" ? body : source.replace(/<%\s*body\s*%>/i, () => body ?? "");
  return {
    subject: subject === "" ? own.subject : subject.replace(/<%\s*subject\s*%>/i, () => own.subject),
    text: fill(text, own.text),
    html: fill(html, own.html),
  };
}
