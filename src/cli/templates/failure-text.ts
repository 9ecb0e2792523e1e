/** Errors of templates in words. */
import { shownPath, type RenderedCase } from "./rendered-folder.ts";

/** Returns the error of a case, with path, line and column as editors and terminals make links of; "" without an error. */
export function failureText(folder: string, { failure }: Pick<RenderedCase, "failure">): string {
  if (failure === null) return "";
  const { file, line, column, message } = failure;
  const place = [shownPath(folder, file), line, line === null ? null : column].filter((one) => one !== null);
  return `${place.join(":")}: ${message}`;
}
