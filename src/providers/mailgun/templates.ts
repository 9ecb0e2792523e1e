/** Templates of a domain: stored as the API shows them, the content of each version as an object of its own. */
import { createHash } from "node:crypto";
import type { EmailSession } from "../email.ts";
import type { JsonObject } from "../formats/json-body.ts";
import { Collection } from "../kit/objects.ts";
import type { ProviderServices } from "../provider.ts";

/** Version of a template without its content. */
export interface TemplateVersion {
  readonly tag: string;
  readonly engine: "handlebars";
  /** `Fri, 20 Nov 2026 10:42:07 UTC`, also of templates. */
  readonly createdAt: string;
  readonly comment: string;
  readonly active: boolean;
  readonly id: string;
  /** Header fields that the version sets. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Template with its versions, in the order of their creation. */
export interface Template {
  readonly name: string;
  readonly description: string;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly id: string;
  readonly versions: readonly TemplateVersion[];
}

/** Templates of one domain by name, and the contents of versions by the version's id. */
export interface TemplateStore {
  readonly templates: Collection<Template>;
  readonly contents: Collection<string>;
}

/** Opens the templates of a domain; names are compared in lower case. */
export function openTemplates(session: EmailSession, domain: string): TemplateStore {
  const hash = createHash("sha256").update(domain.toLowerCase()).digest("hex").slice(0, 24);
  return {
    templates: new Collection(session, `template:${hash}`),
    contents: new Collection(session, `content:${hash}`),
  };
}

/** Parts of a rendered template: `html`, and `header:` with the name of each header field in lower case. */
export type RenderedTemplate = Readonly<Record<string, string>>;

/** Renders a stored template; undefined when the template or the version is not stored. */
export async function renderStored(
  { templates, contents }: TemplateStore,
  services: ProviderServices,
  choice: { readonly id: string; readonly version: string | null; readonly data: JsonObject },
): Promise<RenderedTemplate | undefined> {
  const template = isTemplateName(choice.id) ? await templates.find(choice.id.toLowerCase()) : undefined;
  const version = template?.versions.find(({ tag, active }) =>
    choice.version === null ? active : tag === choice.version.toLowerCase(),
  );
  if (version === undefined) return undefined;
  const headers = Object.entries(version.headers).map(
    ([name, value]) => [`header:${name.toLowerCase()}`, value] as const,
  );
  const sources = { ...Object.fromEntries(headers), html: (await contents.find(version.id)) ?? "" };
  return services.renderTemplates({ language: "handlebars", sources, data: choice.data });
}

/** Returns whether a text can be the name of a template or the tag of a version. */
export function isTemplateName(text: string): boolean {
  return /^[\w.~-]{1,99}$/.test(text);
}
