/** The only importer of entities, which knows the 2,231 named character references of the HTML Standard. */
import { decodeHTML, decodeHTMLAttribute } from "entities";

/** Place of a reference: in attributes, legacy names without a semicolon are not decoded before `=` and letters. */
export type ReferencePlace = "text" | "attribute";

/** Decodes all character references (HTML Standard §13.2.5.72 and following); linear, never throws. */
export function decodeReferences(text: string, place: ReferencePlace): string {
  return place === "text" ? decodeHTML(text) : decodeHTMLAttribute(text);
}
