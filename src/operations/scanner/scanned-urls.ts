import type { Message } from "../../core/message.ts";
import type { ScannerTargets } from "../../core/scanner.ts";

/**
 * Returns the http and https URLs of a mail that a scanner opens, each once and without its fragment, which is not part of a
 * request: links of the HTML body before those of the text, or images of the HTML body.
 */
export function scannedUrls(
  { html, text }: Pick<Message, "html" | "text">,
  targets: ScannerTargets,
): readonly string[] {
  const found =
    targets === "images" ? html.images.map(({ src }) => src) : [...html.links, ...text.links].map(({ href }) => href);
  const urls = new Set<string>();
  for (const one of found) {
    const url = URL.parse(one);
    if (url === null || !/^https?:$/.test(url.protocol)) continue;
    url.hash = "";
    urls.add(url.href);
  }
  return [...urls];
}
