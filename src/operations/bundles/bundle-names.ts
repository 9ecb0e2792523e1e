/** Names of files in bundles: plain ASCII that every file system accepts, none of which leaves its folder. */

const slugLengthMax = 40;

/** Returns letters, digits and hyphens that resemble a text; "message" when nothing remains. */
export function slugOf(text: string): string {
  const plain = text
    .slice(0, 10 * slugLengthMax)
    .normalize("NFKD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, slugLengthMax)
    .replaceAll(/^-|-$/g, "");
  return plain === "" ? "message" : plain;
}

/** Returns the folder of the n-th message of a bundle; the number makes it unique and no reserved name of Windows. */
export function folderOf(
  position: number,
  { subject, received }: { readonly subject: string; readonly received: string },
): string {
  const instant = received.slice(0, 19).replaceAll(/[^0-9T]/g, "-");
  return `${String(position).padStart(4, "0")}-${instant}-${slugOf(subject)}`;
}
