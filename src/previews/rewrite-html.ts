import { decodeReferences } from "../analysis/character-references.ts";
import { scanHtml, type HtmlEvents, type StartTag, type WrittenAttribute } from "../analysis/html-scanner.ts";
import type { Lacks } from "./lacks.ts";
import { rewriteInline, rewriteSheet, type CssRules } from "./rewrite-css.ts";

/** What happens to HTML on its way to a preview. */
export interface HtmlRules extends CssRules {
  readonly lacks: Lacks;
}

/** Elements that no mail program shows, or that lead elsewhere. Those whose content is no markup go with it. */
const never: ReadonlySet<string> = new Set(
  "script iframe noembed noframes frame frameset object embed applet param portal base link".split(" "),
);
/** The scanner passes over their content, so they are left out, or rewritten, as a whole. */
const raw: ReadonlySet<string> = new Set("script iframe noembed noframes style".split(" "));
const imageAttributes: ReadonlySet<string> = new Set(["src", "background", "poster", "lowsrc", "dynsrc"]);
const leftOutAttributes: ReadonlySet<string> = new Set(["srcset", "imagesrcset", "ping", "srcdoc", "manifest"]);

/** HTML without what the program lacks, and with addresses of images of our own. Linear; never throws. */
export function rewriteHtml(html: string, rules: HtmlRules): string {
  const rewriter = new Rewriter(html, rules);
  scanHtml(html, rewriter);
  return rewriter.finish();
}

class Rewriter implements HtmlEvents {
  readonly #html: string;
  readonly #rules: HtmlRules;
  readonly #kept: string[] = [];
  #keptTo = 0;
  /** Behind the last thing that was seen whole: a tag that never ends shows nothing (§13.2.5), and is not to begin one. */
  #seenTo = 0;
  /** The raw element that is open; `from` is where its content begins. */
  #open: { readonly name: string; readonly from: number; readonly isShown: boolean } | null = null;

  constructor(html: string, rules: HtmlRules) {
    this.#html = html;
    this.#rules = rules;
  }

  text(_start: number, end: number): void {
    this.#seenTo = end;
  }

  open(tag: StartTag): void {
    const { name, start, end } = tag;
    this.#seenTo = end;
    const type = name === "input" || name === "button" ? (tag.attribute("type") ?? "").toLowerCase() : "";
    const isRefresh = name === "meta" && tag.attribute("http-equiv") !== undefined;
    const isShown = !never.has(name) && !isRefresh && !this.#rules.lacks.element(name, type);
    if (!isShown) this.#replace(start, end, "");
    else {
      const written = tag.listAttributes();
      const kept = written.flatMap((attribute) => this.#attribute(attribute));
      if (kept.some((text, at) => text !== verbatim(written[at])) || kept.length !== written.length) {
        const slash = this.#html[end - 2] === "/" ? " /" : "";
        this.#replace(start, end, `<${name}${kept.join("")}${slash}>`);
      }
    }
    if (raw.has(name)) this.#open = { name, from: end, isShown };
  }

  close(name: string, start: number, end: number): void {
    this.#seenTo = end;
    if (this.#open !== null) this.#closeRaw(start);
    if (never.has(name) || this.#rules.lacks.element(name, "")) this.#replace(start, end, "");
  }

  finish(): string {
    if (this.#open !== null) this.#closeRaw(this.#html.length);
    return this.#kept.join("") + this.#html.slice(this.#keptTo, this.#seenTo);
  }

  #closeRaw(to: number): void {
    if (this.#open === null) return;
    const { from, isShown } = this.#open;
    this.#open = null;
    // What a style sheet becomes cannot end the element: no `</` survives that did not stand there.
    this.#replace(from, to, isShown ? rewriteSheet(this.#html.slice(from, to), this.#rules) : "");
  }

  /** The attribute as it is to be written, a blank in front; nothing where it is left out. */
  #attribute(attribute: WrittenAttribute): readonly string[] {
    const { name, value } = attribute;
    if (leftOutAttributes.has(name) || this.#rules.lacks.attribute(name)) return [];
    if (name === "style") return [write(name, rewriteInline(decode(value), this.#rules))];
    if (imageAttributes.has(name)) return [write(name, this.#rules.imageUrl(decode(value).trim()))];
    return [verbatim(attribute)];
  }

  #replace(start: number, end: number, text: string): void {
    this.#kept.push(this.#html.slice(this.#keptTo, start), text);
    this.#keptTo = end;
  }
}

function decode(value: string): string {
  return decodeReferences(value, "attribute");
}

function write(name: string, value: string): string {
  return ` ${name}="${value.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`;
}

/** As it was written, but for its quotes. */
function verbatim(attribute: WrittenAttribute | undefined): string {
  return attribute === undefined ? "" : ` ${attribute.name}="${attribute.value.replaceAll('"', "&quot;")}"`;
}
