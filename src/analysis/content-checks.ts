import { fieldValues, hasElement, type MailFacts } from "./mail-facts.ts";
import { isShortLink } from "./link-hosts.ts";

/** What receivers look at in the content of a mail. */
export interface ContentChecks {
  readonly embed: boolean;
  readonly iframe: boolean;
  readonly object: boolean;
  readonly script: boolean;
  /** Whether a link goes through a well-known shortener. */
  readonly shortUrls: boolean;
  /** Whether an image has no `alt`. */
  readonly missingAlt: boolean;
  readonly missingListUnsubscribe: boolean;
  /** Visible text in bytes of UTF-8. */
  readonly textSize: number;
  /** The mail as received, in bytes. */
  readonly totalSize: number;
}

/** Looks at the content of a mail. */
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
