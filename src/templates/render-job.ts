/** Messages between the renderer and its process. */
import type { TemplateCase, TemplateSource } from "./template-files.ts";

/** Case that a process renders. */
export interface RenderJob {
  /** Real path of the folder of the templates. */
  readonly folder: string;
  readonly template: TemplateCase;
  readonly partials: readonly TemplateSource[];
  /** Absolute path of a module whose exports are functions for templates; null for none. */
  readonly functionsFile: string | null;
}

/** Members of `$mail` in the data of a case: header fields of its mail. */
export interface MailFields {
  readonly subject?: string;
  /** Address, with a display name or without. */
  readonly from?: string;
  readonly replyTo?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Rendered case. */
export interface RenderedTemplate {
  readonly kind: "rendered";
  readonly html: string | null;
  readonly text: string | null;
  /** Null when neither the data nor the template states one. */
  readonly subject: string | null;
  readonly fields: MailFields;
}

/** Error of a template, at its place as far as the engine states it. */
export interface RenderFailure {
  readonly kind: "failed";
  readonly message: string;
  /** Path in the folder. */
  readonly file: string;
  /** From 1. */
  readonly line: number | null;
  readonly column: number | null;
}

/** Result of a {@link RenderJob}. */
export type RenderResult = RenderedTemplate | RenderFailure;
