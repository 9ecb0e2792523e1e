import type { Template, TemplateVersion, WithId } from "./templates.ts";

/** Returns an instant as templates show it: `2026-11-20 10:42:07`. */
export function instantText(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19).replace("T", " ");
}

/** Returns the JSON of a template. */
export function templateJson(
  { id, name, generation, updatedAt }: WithId<Template>,
  versions: readonly unknown[],
): Readonly<Record<string, unknown>> {
  return { id, name, generation, updated_at: instantText(updatedAt), versions };
}

/** Returns the JSON of a version as lists show it, without the sources. */
export function leanVersion(
  template: WithId<Template>,
  { id, name, subject, generatesText, editor, updatedAt }: WithId<TemplateVersion>,
): Readonly<Record<string, unknown>> {
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

/** Returns the JSON of a version. */
export function versionJson(
  template: WithId<Template>,
  version: WithId<TemplateVersion>,
): Readonly<Record<string, unknown>> {
  const { html, text, testData } = version;
  return {
    ...leanVersion(template, version),
    user_id: 0,
    html_content: html,
    plain_content: text,
    test_data: testData,
    warnings: [],
  };
}
