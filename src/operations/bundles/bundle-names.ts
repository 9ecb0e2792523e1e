/** Names of files in archives, which every file system accepts and none of which leaves its folder. */

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

const fileNameLengthMax = 120;
/** Characters that file systems forbid, or that make a name look like another: controls, formats, separators (RFC 8264 §9). */
const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;
/** Devices of Windows, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns names for files that a sender has named, in their order: without characters that file systems forbid, each of at most
 * 120 characters, and unique when letter case is ignored.
 */
export function safeFileNames(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  const lastNumbers = new Map<string, number>();
  return names.map((name) => {
    const safe = safeFileName(name);
    const key = safe.toLowerCase();
    let unique = safe;
    for (let number = lastNumbers.get(key) ?? 1; used.has(unique.toLowerCase());) {
      number += 1;
      lastNumbers.set(key, number);
      unique = numbered(safe, number);
    }
    used.add(unique.toLowerCase());
    return unique;
  });
}

function safeFileName(name: string): string {
  const cut = Array.from(
    name
      .slice(0, 4 * fileNameLengthMax)
      .normalize("NFC")
      .replaceAll(unsafeCharacters, "_"),
  );
  const extension = /\.[A-Za-z\d]{1,10}$/.exec(name)?.[0] ?? "";
  const whole = cut.join("");
  const short =
    cut.length <= fileNameLengthMax ? whole : cut.slice(0, fileNameLengthMax - extension.length).join("") + extension;
  const trimmed = short.replaceAll(/^[. ]{1,120}|[. ]{1,120}$/g, "");
  if (trimmed === "") return "attachment";
  return deviceName.test(trimmed) ? `_${trimmed}` : trimmed;
}

function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? `${name} (${number})` : `${name.slice(0, dot)} (${number})${name.slice(dot)}`;
}
