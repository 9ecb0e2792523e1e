import { analysedLengthMax } from "../core/limits.ts";
import type { Code, Image, Link } from "../core/message.ts";
import { findCodes } from "./codes/find-codes.ts";
import { findTextLinks } from "./text-links.ts";

/**
 * Returns the analysed part of a body: its first {@link analysedLengthMax} UTF-16 code units, without splitting a
 * character.
 */
export function analysedText(body: string): string {
  if (body.length <= analysedLengthMax) return body;
  const last = body.charCodeAt(analysedLengthMax - 1);
  return body.slice(0, last >= 0xd800 && last < 0xdc00 ? analysedLengthMax - 1 : analysedLengthMax);
}

/** Findings in one HTML body. Every list is in document order and within the limits of `bounds.ts`. */
export interface HtmlAnalysis {
  /** Anchors and image-map areas that have an `href`, including repetitions. */
  readonly links: readonly Link[];
  /** `img` elements and favicons that have a source, including repetitions. */
  readonly images: readonly Image[];
  /** One-time codes of the visible text, each listed once. */
  readonly codes: readonly Code[];
  /**
   * Visible text: white space collapsed, lines separated by one LF, table cells by one TAB, no zero-width characters,
   * neither white space nor separators at its ends. "" if nothing is visible.
   */
  readonly visibleText: string;
}

/** Findings in one plain-text body or SMS. Every list is in document order and within the limits of `bounds.ts`. */
interface TextAnalysis {
  /** Addresses that an email client would make clickable, including repetitions; `text` equals `href`. */
  readonly links: readonly Link[];
  /** One-time codes, each listed once. */
  readonly codes: readonly Code[];
}

/**
 * Analyses a plain-text body or an SMS, up to the limit of {@link analysedText}: links as {@link findTextLinks}, codes
 * as {@link findCodes}. Linear; throws as that does.
 */
export function analyseText(body: string, candidateMax: number = Infinity): TextAnalysis {
  const text = analysedText(body);
  return { links: findTextLinks(text), codes: findCodes(text, candidateMax) };
}
