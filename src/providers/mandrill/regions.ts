/** Editable regions of templates: the elements with an attribute `mc:edit="name"`, whose content a request replaces. */

const tagForm = /<(\/?)([a-z][a-z0-9]{0,30})\b([^<>]*)>/gi;
const attribute = /\smc:edit\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')/i;

/** Start tag, and the offset of its end tag; null without one. */
interface StartTag {
  readonly text: string;
  readonly start: number;
  end: number | null;
}

/** Replaces the content of the regions that have a new one, and removes the attributes of all regions. Takes linear time. */
export function fillRegions(html: string, contents: ReadonlyMap<string, string>): string {
  const chunks: string[] = [];
  let done = 0;
  for (const { text, start, end } of startTags(html)) {
    const [whole, double, single = ""] = attribute.exec(text) ?? [];
    // A region inside of one that was replaced has gone.
    if (whole === undefined || start < done) continue;
    chunks.push(html.slice(done, start), text.replace(whole, ""));
    done = start + text.length;
    const content = contents.get(double ?? single);
    if (content === undefined || end === null) continue;
    chunks.push(content);
    done = end;
  }
  return [...chunks, html.slice(done)].join("");
}

function startTags(html: string): readonly StartTag[] {
  const tags: StartTag[] = [];
  const open = new Map<string, StartTag[]>();
  for (const { 0: text, 1: slash, 2: name = "", index } of html.matchAll(tagForm)) {
    const own = open.get(name.toLowerCase()) ?? [];
    open.set(name.toLowerCase(), own);
    if (slash === "/") {
      const started = own.pop();
      if (started !== undefined) started.end = index;
      continue;
    }
    const tag: StartTag = { text, start: index, end: null };
    tags.push(tag);
    if (!text.endsWith("/>")) own.push(tag);
  }
  return tags;
}
