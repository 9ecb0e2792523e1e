/** Host names under top-level domains that exist, as far as they are not names of files. */
import tlds from "tlds" with { type: "json" };

const topLevel: ReadonlySet<string> = new Set(tlds);
/** Domains that are extensions of files too: `report.py/` in a text is a file or a folder. */
const fileExtensions: ReadonlySet<string> = new Set("cc md mk mov pl pm ps py rs sh so tf zip".split(" "));

/** Returns whether a lower-case top-level domain exists, and is no extension of files. */
export function isPublicDomain(name: string): boolean {
  return topLevel.has(name) && !fileExtensions.has(name);
}
