import { fieldValues, hasElement, type MailFacts } from "./mail-facts.ts";
import { isShortLink } from "./link-hosts.ts";

/** Properties of a mail's content that receivers check. */
export interface ContentChecks {
  readonly embed: boolean;
  readonly iframe: boolean;
  readonly object: boolean;
  readonly script: boolean;
  /** Whether a link uses a well-known URL shortener. */
  readonly shortUrls: boolean;
  /** Whether an image has no `alt`. */
  readonly missingAlt: boolean;
  readonly missingListUnsubscribe: boolean;
  /** Visible text in bytes of UTF-8. */
  readonly textSize: number;
  /** Bytes of the mail as received. */
  readonly totalSize: number;
}

/** Returns the properties of a mail's content. */
export function checkContent(facts: MailFacts): ContentChecks {
  return {
    embed: hasElement(facts, "embed"),
    iframe: hasElement(facts, "iframe", "frame"),
    object: hasElement(facts, "object", "applet"),
    script: hasElement(facts, "script"),
    shortUrls: facts.links.some(({ href }) => isShortLink(href)),
    missingAlt: facts.hasImageWithoutAlt,
    missingListUnsubscribe: fieldValues(facts, "list-unsubscribe").length === 0,
    textSize: Buffer.byteLength(facts.visibleText),
    totalSize: facts.raw.byteLength,
  };
}
