/** Mails of all templates of a folder. */
import { realpathSync, statSync } from "node:fs";
import { relative } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { composeTemplate } from "../../templates/compose-template.ts";
import type { RenderFailure } from "../../templates/render-job.ts";
import { readTemplateConfig, type TemplateConfig } from "../../templates/template-config.ts";
import { findTemplates, type TemplateCase } from "../../templates/template-files.ts";
import { openTemplateRenderer } from "../../templates/template-renderer.ts";
import { UsageError } from "../command.ts";

/** Mail of a case, or the reason why there is none. */
export interface RenderedCase {
  readonly template: TemplateCase;
  /** Null after an error. */
  readonly mail: { readonly raw: Uint8Array; readonly content: string } | null;
  readonly failure: RenderFailure | null;
  /** Images that the HTML names by a path, and that the folder does not have. */
  readonly missingImages: readonly string[];
}

/** State of a folder. */
export interface RenderedFolder {
  readonly config: TemplateConfig;
  readonly cases: readonly RenderedCase[];
}

/** Options of {@link renderFolder}. */
export interface FolderOptions {
  readonly clock: Clock;
  readonly addressOf: (localPart: string) => string;
  /** Only cases whose id contains this text. */
  readonly filter: string;
}

/** Returns the real path of a folder. Throws {@link UsageError} for another file, and in the single executable, which has no packages. */
export function openFolder(operand: string): string {
  if (process.getBuiltinModule("node:sea").isSea())
    throw new UsageError("Templates need the package: npm install --save-dev restante, then npx restante");
  const folder = realpathSync(operand);
  if (!statSync(folder).isDirectory()) throw new UsageError(`${operand} is a file, not a folder of templates`);
  return folder;
}

/** Renders the templates of a folder. Rejects for the folder and its configuration, not because of a template. */
export async function renderFolder(
  folder: string,
  { clock, addressOf, filter }: FolderOptions,
): Promise<RenderedFolder> {
  const config = readTemplateConfig(folder);
  const { locales = [], engines = {}, functionsFile } = config;
  const { cases, partials } = findTemplates(folder, { locales, engines });
  await using renderer = openTemplateRenderer(clock);
  const rendered: RenderedCase[] = [];
  for (const template of cases.filter(({ id }) => id.includes(filter))) {
    const result = await renderer.render({ folder, template, partials, functionsFile });
    if (result.kind === "failed") {
      rendered.push({ template, mail: null, failure: result, missingImages: [] });
      continue;
    }
    const to = addressOf(localPartOf(template));
    const { raw, missingImages } = await composeTemplate({
      folder,
      template,
      config,
      rendered: result,
      to,
      date: clock.now(),
    });
    rendered.push({ template, mail: { raw, content: JSON.stringify(result) }, failure: null, missingImages });
  }
  return { config, cases: rendered };
}

/** Returns the local part of a case's address, which the page of the mail follows by its plus part. */
export function localPartOf({ id }: TemplateCase): string {
  const plain = id
    .toLowerCase()
    .replaceAll(/[^a-z\d.]+/g, "-")
    .replaceAll(/\.{2,}|^\.|\.$/g, "-");
  return `${plain.slice(0, 50)}+template`;
}

/** Returns the path of a file of the folder for people: relative to the working directory. */
export function shownPath(folder: string, file: string): string {
  const path = relative(process.cwd(), `${folder}/${file}`);
  return path.replaceAll("\\", "/");
}
