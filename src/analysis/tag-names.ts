/** Elements of the HTML Standard (§4 and §16) and those that only mail still knows: nearly every tag is one of these. */
const names =
  "a abbr address area article aside audio b base basefont bgsound big blink blockquote body br button canvas caption " +
  "center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure " +
  "font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins kbd keygen " +
  "label legend li link main map mark marquee menu meta nav nobr noembed noframes noscript object ol optgroup option " +
  "output p param picture pre progress q rp rt ruby s samp script search section select slot small source span strike " +
  "strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var " +
  "video wbr xmp";

const byHash: ReadonlyMap<number, string> = new Map(names.split(" ").map((name) => [hashOf(name), name]));

/**
 * The known name that has this hash, in lower case; others may have it too, so compare it with what is written. It is the
 * same text each time, which maps find much faster than one that was cut out just now.
 */
export function knownName(hash: number): string | undefined {
  return byHash.get(hash);
}

/** The hash of a name that goes on with this code unit; that of nothing is 0. Small and capital letters count the same. */
export function addToHash(hash: number, codeUnit: number): number {
  return (Math.imul(hash, 31) + (codeUnit | 0x20)) | 0;
}

function hashOf(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index += 1) hash = addToHash(hash, name.charCodeAt(index));
  return hash;
}
