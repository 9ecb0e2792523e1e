import { findCodes } from "./codes.ts";
import type { TextAnalysis } from "./findings.ts";
import { findTextLinks } from "./text-links.ts";

/** Reads a plain-text body or an SMS: links as {@link findTextLinks}, codes as {@link findCodes}. Linear, never throws. */
export function analyseText(text: string): TextAnalysis {
  return { links: findTextLinks(text), codes: findCodes(text) };
}
