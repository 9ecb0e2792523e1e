/** Widths that declare a layout: attributes and declarations, in CSS pixels; not those of media queries. */
const widths = /(?<![\w-])(?:min-)?width\s{0,9}[=:]\s{0,9}["']?(\d{3,4})(?:px)?(?![\d%])/gi;
/** Signs of a layout that follows the width of the window. */
const responsive = /@media[^{]{0,200}max-(?:device-)?width/i;
/** Wider elements are images and spacers rather than the layout. */
const widthMax = 1200;
/** Left and right margin that browsers give a page. */
const marginsWidth = 16;
/** Text that is searched, in characters. */
const searchedLengthMax = 200_000;

/** Returns the width that a fixed layout of an email needs with its margins, in CSS pixels; null for one that follows the window. */
export function fixedWidthOf(html: string): number | null {
  const searched = html.slice(0, searchedLengthMax);
  if (responsive.test(searched)) return null;
  let found = 0;
  for (const [, digits = "0"] of searched.matchAll(widths)) {
    const width = Number(digits);
    if (width <= widthMax) found = Math.max(found, width);
  }
  return found === 0 ? null : found + marginsWidth;
}
