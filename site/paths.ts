/** Paths of the site. */
import { join } from "node:path";

/** Root of the checkout. */
export const root: string = join(import.meta.dirname, "..");
/** Generated Markdown. */
export const contentFolder: string = join(import.meta.dirname, "src", "content", "docs");
/** Generated OpenAPI document. */
export const openApiFile: string = join(import.meta.dirname, ".generated", "openapi.json");
/** Path of the site on its host, with slashes at both ends. */
export const base: string = process.env["DOCS_BASE"] ?? "/";
