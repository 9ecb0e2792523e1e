/** Subject and text of a mail whose template is not stored here. */
export interface UnstoredTemplate {
  readonly subject: string;
  readonly text: string;
}

/** Returns what a mail shows instead of a template that is not stored: its id and its data as JSON, which tests can compare. */
export function showUnstoredTemplate(id: string, data: unknown): UnstoredTemplate {
  const subject = `Template ${id}`;
  return { subject, text: `${subject}\n\n${JSON.stringify(data, null, 2)}\n` };
}
