/** Engines by the extensions of their files. */

/** Template language, or a form of text that needs no engine. */
export type EngineName =
  | "ejs"
  | "handlebars"
  | "html"
  | "liquid"
  | "mjml"
  | "mustache"
  | "nunjucks"
  | "pug"
  | "react"
  | "text";

/** Names of the engines, for configurations. */
export const engineNames = [
  "ejs",
  "handlebars",
  "html",
  "liquid",
  "mjml",
  "mustache",
  "nunjucks",
  "pug",
  "react",
  "text",
] as const satisfies readonly EngineName[];

/** Engines by extension. */
export const extensions: ReadonlyMap<string, EngineName> = new Map([
  ["ejs", "ejs"],
  ["handlebars", "handlebars"],
  ["hbs", "handlebars"],
  ["htm", "html"],
  ["html", "html"],
  ["jsx", "react"],
  ["liquid", "liquid"],
  ["mjml", "mjml"],
  ["mustache", "mustache"],
  ["njk", "nunjucks"],
  ["pug", "pug"],
  ["tsx", "react"],
  ["txt", "text"],
]);
