import { analysedText, type TextAnalysis } from "./analysed-text.ts";
import { findCodes } from "./codes/find-codes.ts";
import { findTextLinks } from "./text-links.ts";

/**
 * Analyses a plain-text body or an SMS, up to the limit of {@link analysedText}: links as {@link findTextLinks}, codes
 * as {@link findCodes}. Linear, never throws.
 */
export function analyseText(body: string): TextAnalysis {
  const text = analysedText(body);
  return { links: findTextLinks(text), codes: findCodes(text) };
}
