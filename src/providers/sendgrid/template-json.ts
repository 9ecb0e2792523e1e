import type { ProviderSession } from "../provider.ts";
import { readSource, type IdentifiedTemplate, type TemplateVersion } from "./templates.ts";

type Json = Readonly<Record<string, unknown>>;

/** Returns an instant as templates show it: `2026-11-20 10:42:07`. */
function instantText(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19).replace("T", " ");
}

/** Returns the JSON of a template as lists show it: versions without their sources. */
export function leanTemplate(template: IdentifiedTemplate): Json {
  return templateJson(
    template,
    template.versions.map((version) => leanVersion(template, version)),
  );
}

/** Returns the JSON of a template with the sources of its versions. */
export async function fullTemplate(session: ProviderSession, template: IdentifiedTemplate): Promise<Json> {
  const versions: Json[] = [];
  for (const version of template.versions) versions.push(await versionJson(session, template, version));
  return templateJson(template, versions);
}

function templateJson({ id, name, generation, updatedAt }: IdentifiedTemplate, versions: readonly Json[]): Json {
  return { id, name, generation, updated_at: instantText(updatedAt), versions };
}

function leanVersion(
  template: IdentifiedTemplate,
  { id, name, subject, generatesText, editor, updatedAt }: TemplateVersion,
): Json {
  return {
    id,
    template_id: template.id,
    active: template.activeVersion === id ? 1 : 0,
    name,
    generate_plain_content: generatesText,
    subject,
    updated_at: instantText(updatedAt),
    editor,
    thumbnail_url: "",
  };
}

/** Returns the JSON of a version with its sources. */
export async function versionJson(
  session: ProviderSession,
  template: IdentifiedTemplate,
  version: TemplateVersion,
): Promise<Json> {
  const { html, text, testData } = await readSource(session, template.id, version.id);
  return {
    ...leanVersion(template, version),
    user_id: 0,
    html_content: html,
    plain_content: text,
    test_data: testData,
    warnings: [],
  };
}
