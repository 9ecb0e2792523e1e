import type { Image, Link } from "../core/message.ts";
import { joinTexts } from "../mime/body-content.ts";
import { type Mail, parseMail } from "../mime/parse-mail.ts";
import type { MimeLimits } from "../mime/source.ts";
import { analyseHtml } from "./analyse-html.ts";
import { analyseText } from "./analysed-text.ts";
import { visibleTextLengthMax } from "./bounds.ts";
import { scanHtml } from "./html-scanner.ts";

/** Properties of a mail that checks use, parsed once. */
export interface MailFacts {
  readonly raw: Uint8Array;
  readonly mail: Mail;
  /** Source of the HTML body; null if there is none. */
  readonly html: string | null;
  /** Plain-text body; null if there is none. */
  readonly text: string | null;
  /** Visible text of the HTML, else the plain text; at most `visibleTextLengthMax` of either. */
  readonly visibleText: string;
  /** Links of the HTML, or of the plain text if there is no HTML. */
  readonly links: readonly Link[];
  readonly images: readonly Image[];
  /** Number of start tags of each element in the HTML, by lower-case name. */
  readonly elements: ReadonlyMap<string, number>;
  /** Whether an image of the HTML has no `alt` attribute; an empty one marks a decoration. */
  readonly hasImageWithoutAlt: boolean;
}

/** Returns the properties of a mail. Never throws; linear in the bytes. */
export function readFacts(raw: Uint8Array, limits: MimeLimits): MailFacts {
  const mail = parseMail(raw, limits);
  const html = joinTexts(raw, mail.htmlParts);
  const text = joinTexts(raw, mail.textParts);
  const ofHtml = html === null ? null : analyseHtml(html);
  return {
    raw,
    mail,
    html,
    text,
    visibleText: ofHtml?.visibleText ?? text?.slice(0, visibleTextLengthMax) ?? "",
    links: ofHtml?.links ?? (text === null ? [] : analyseText(text).links),
    images: ofHtml?.images ?? [],
    ...countElements(html ?? ""),
  };
}

/** Whether any of the elements occurs in the HTML. */
export function hasElement({ elements }: Pick<MailFacts, "elements">, ...names: readonly string[]): boolean {
  return names.some((name) => elements.has(name));
}

/** Values of a header field, unfolded and decoded, in order. */
export function fieldValues({ mail }: Pick<MailFacts, "mail">, name: string): readonly string[] {
  return mail.headers.filter(({ field }) => field.toLowerCase() === name).map(({ value }) => value.trim());
}

/** Whether a Message-ID has the form `<left@right>` (RFC 5322 §3.6.4). */
export function hasMessageIdForm(messageId: string): boolean {
  return /^<[^<>@\s]+@[^<>@\s]+>$/.test(messageId.trim());
}

/** Whether a mail has no text, image or attachment. */
export function isEmpty({ visibleText, images, mail }: Pick<MailFacts, "visibleText" | "images" | "mail">): boolean {
  return visibleText.trim() === "" && images.length === 0 && mail.attachments.length === 0;
}

function countElements(html: string): Pick<MailFacts, "elements" | "hasImageWithoutAlt"> {
  const elements = new Map<string, number>();
  let hasImageWithoutAlt = false;
  scanHtml(html, {
    open: (tag) => {
      elements.set(tag.name, (elements.get(tag.name) ?? 0) + 1);
      if (tag.name === "img" && tag.attribute("alt") === undefined) hasImageWithoutAlt = true;
    },
    close: () => undefined,
    text: () => undefined,
  });
  return { elements, hasImageWithoutAlt };
}
