import type { Code, Image, Link } from "../core/message.ts";

/** What one HTML body holds. Every list is in document order and within the bounds of `bounds.ts`. */
export interface HtmlAnalysis {
  /** Anchors and image-map areas that have an `href`, repeats included. */
  readonly links: readonly Link[];
  /** `img` elements and favicons that have a source, repeats included. */
  readonly images: readonly Image[];
  /** One-time codes of the visible text, each listed once. */
  readonly codes: readonly Code[];
  /**
   * The text that a person sees: white space collapsed, lines apart by one LF, table cells by one TAB, no zero-width
   * characters, neither white space nor separators at its ends. "" when nothing is visible.
   */
  readonly visibleText: string;
}

/** What one plain-text body, or one SMS, holds. Every list is in document order and within the bounds of `bounds.ts`. */
export interface TextAnalysis {
  /** Addresses a mail program would make clickable, repeats included; `text` equals `href`. */
  readonly links: readonly Link[];
  /** One-time codes, each listed once. */
  readonly codes: readonly Code[];
}
