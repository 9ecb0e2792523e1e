/** Navigation of the site: the sections of the guide are those of its README. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./paths.ts";

/** Group of links. */
export interface SidebarGroup {
  readonly label: string;
  readonly collapsed: boolean;
  readonly items: SidebarItem[];
}

/** Link to a page, by its route. */
export interface SidebarItem {
  readonly label: string;
  readonly slug: string;
}

/** Returns a group for each section of `docs/guide/README.md`, with the links of its list. */
export function guideGroups(): SidebarGroup[] {
  const text = readFileSync(join(root, "docs", "guide", "README.md"), "utf8");
  const [, ...sections] = text.split(/^## /m);
  return sections.map((section, position) => {
    const links = section.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\.md\)/gm);
    const items = Array.from(links, ([, label = "", target = ""]) => ({ label, slug: slugOf(target) }));
    return { label: section.split("\n", 1)[0] ?? "", collapsed: position > 0, items };
  });
}

function slugOf(target: string): string {
  const path = target.startsWith("../") ? target.slice("../".length) : `guide/${target}`;
  return path.replace(/\/README$/, "");
}
