/** Error in a template, in the words of its language. */
export class TemplateError extends Error {
  override readonly name: string = "TemplateError";
}
