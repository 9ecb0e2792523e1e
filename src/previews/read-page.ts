/** Readers of an open page, over the DevTools protocol: no script runs in it. */
import type { CDPSession } from "playwright-core";
import type { TextLine } from "./compare-screenshot.ts";

/** Lines that are read; a page with more is longer than its picture. */
const lineCountMax = 20_000;

/** Returns the lines of text of the page, in pixels of the picture; `ratio` is the number of them in a CSS pixel. */
export async function readTextLines(session: CDPSession, ratio: number): Promise<readonly TextLine[]> {
  const { documents, strings } = await session.send("DOMSnapshot.captureSnapshot", { computedStyles: [] });
  const [page] = documents;
  if (page === undefined) return [];
  const { layout, textBoxes } = page;
  return textBoxes.layoutIndex.slice(0, lineCountMax).map((box, at) => {
    const [x = 0, y = 0, width = 0, height = 0] = textBoxes.bounds[at] ?? [];
    const [start = 0, length = 0] = [textBoxes.start[at], textBoxes.length[at]];
    const text = (strings[layout.text[box] ?? -1] ?? "").slice(start, start + length);
    return { x: x * ratio, y: y * ratio, width: width * ratio, height: height * ratio, text };
  });
}

/** Returns the families of the fonts that the texts of the page were drawn with. */
export async function readFontFamilies(session: CDPSession): Promise<readonly string[]> {
  await session.send("DOM.enable");
  await session.send("CSS.enable");
  const { root } = await session.send("DOM.getDocument", { depth: 1 });
  const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "body" });
  const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId });
  return fonts.map(({ familyName }) => familyName);
}
