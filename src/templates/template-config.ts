/** `restante.config.json`: choices of a project for its templates. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Problem } from "../core/errors.ts";
import { build, refusal, type ValueOf, type WireSchema } from "../core/schema.ts";
import { decodeStrictly } from "../core/strict-decoder.ts";
import { engineNames } from "./engines/engine.ts";

/** Name of the file. */
export const configFileName = "restante.config.json";

const localeSchema = build.string({
  pattern: "^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$",
  description: "Language tag (BCP 47).",
  [refusal]: { text: "Must be a language tag such as de or pt-BR" },
});

const configSchema = build.partial({
  from: build.string({
    maxLength: 500,
    description: "Sender: an address, or a name with an address in angle brackets.",
  }),
  headers: build.record(build.string({ maxLength: 1000 }), "Further header fields of every mail, by name."),
  locales: build.array(localeSchema, {
    maxItems: 50,
    uniqueItems: true,
    description: "Locales, the default one first.",
  }),
  engines: build.record(build.enum(engineNames), "Engines of further extensions, without the dot."),
  functions: build.string({
    maxLength: 1000,
    description: "Module with helpers of Handlebars, and filters of Liquid and Nunjucks.",
  }),
  budget: build.record(
    build.anyOf<WireSchema<number | string | Readonly<Record<string, number>>>>([
      build.number(),
      build.string(),
      build.record(build.number()),
    ]),
    "Limits of every mail, as of `toMeetMailBudget`.",
  ),
  snapshot: build.partial({
    mask: build.record(build.string(), "Values that differ from one run to the next, by name."),
    headers: build.array(build.string({ maxLength: 100 }), {
      maxItems: 50,
      description: "Further header fields to show.",
    }),
  }),
  screenshots: build.partial({
    clients: build.array(build.string({ maxLength: 100 }), { maxItems: 20, description: "Email clients of previews." }),
  }),
  localisation: build.partial({
    keep: build.array(build.string({ maxLength: 200 }), {
      maxItems: 200,
      description: "Texts that are equal in all languages.",
    }),
  }),
});

/** Choices of a project; all have defaults. */
export interface TemplateConfig extends ValueOf<typeof configSchema> {
  /** Path of the file; null when there is none. */
  readonly file: string | null;
  /** Absolute path of the module with functions for templates; null for none. */
  readonly functionsFile: string | null;
}

/** Error about the file, for the user. */
export class TemplateConfigError extends Error {
  override readonly name: string = "TemplateConfigError";
}

/**
 * Reads the configuration for a folder: the first file in the folder and in those around it, up to that of the project's
 * `package.json`. Throws {@link TemplateConfigError} that names every wrong member.
 */
export function readTemplateConfig(folder: string): TemplateConfig {
  const file = findConfig(folder);
  if (file === null) return { file, functionsFile: null };
  try {
    const config = decodeStrictly(configSchema, parse(file));
    const functionsFile = config.functions === undefined ? null : join(dirname(file), config.functions);
    return { ...config, file, functionsFile };
  } catch (error) {
    if (!(error instanceof Problem) && !(error instanceof SyntaxError)) throw error;
    const fields = error instanceof Problem ? error.fields : [];
    const reasons = fields.map(({ field, description }) => `${field}: ${description}`);
    throw new TemplateConfigError(`${file}: ${reasons.length > 0 ? reasons.join("; ") : error.message}`, {
      cause: error,
    });
  }
}

function findConfig(folder: string): string | null {
  for (let place = folder; ; place = dirname(place)) {
    const file = join(place, configFileName);
    if (existsSync(file)) return file;
    if (existsSync(join(place, "package.json")) || dirname(place) === place) return null;
  }
}

function parse(file: string): unknown {
  return JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, "")) as unknown;
}
