/** Fonts of pictures: those of the package, so that two machines draw the same. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { unpackOnce } from "./browser-folder.ts";

/** Fonts in one file: a line of JSON with their sizes by name, and their bytes. */
const packedFile = new URL("fonts/fonts.br", import.meta.url);
const unpackedBytesMax = 8 * 1024 * 1024;

/** Families of the package. Symbols and emoji are found by their characters. */
const families = {
  "Restante Sans":
    "sans-serif sans system-ui cursive fantasy Arial Helvetica Helvetica_Neue Arial_Black Verdana Tahoma Trebuchet_MS Segoe_UI Calibri Candara Corbel Century_Gothic Roboto Open_Sans Lato Montserrat Inter Poppins Noto_Sans Geneva Lucida_Grande Lucida_Sans_Unicode Gill_Sans Impact Comic_Sans_MS",
  "Restante Serif":
    "serif Times Times_New_Roman Georgia Garamond Palatino Palatino_Linotype Book_Antiqua Cambria Baskerville Merriweather Playfair_Display",
  "Restante Mono": "monospace mono Courier Courier_New Consolas Menlo Monaco Lucida_Console SFMono-Regular Roboto_Mono",
  "Restante Symbols": "",
  "Restante Emoji": "emoji",
} as const;

/** Prefix of the names of the package's fonts. */
export const ownFamily = "Restante ";

/**
 * Returns the path of a configuration of fontconfig with the fonts of the package for all families that mails name. The fonts of
 * the machine, under another name, only draw characters that these lack. Unpacks the fonts below the folder the first time.
 */
export async function openFonts(folder: string): Promise<string> {
  const packed = readFileSync(packedFile);
  const name = `fonts-${createHash("sha256").update(packed).update(JSON.stringify(families)).digest("hex").slice(0, 16)}`;
  const unpacked = await unpackOnce(folder, name, async (into) => {
    for (const [file, bytes] of filesOf(packed)) await writeFile(join(into, file), bytes);
    await writeFile(join(into, "fonts.conf"), configurationOf(join(folder, name)));
  });
  return join(unpacked, "fonts.conf");
}

function filesOf(packed: Uint8Array): readonly (readonly [string, Uint8Array])[] {
  const bytes = brotliDecompressSync(packed, { maxOutputLength: unpackedBytesMax });
  const end = bytes.indexOf("\n");
  const sizes = JSON.parse(bytes.toString("utf8", 0, end)) as Readonly<Record<string, number>>;
  let at = end + 1;
  return Object.entries(sizes).map(([file, size]) => [file, bytes.subarray(at, (at += size))] as const);
}

/** Returns the configuration (fonts-conf(5)). Scans are cached apart from those of the machine, which have other names. */
function configurationOf(folder: string): string {
  const own = Object.keys(families);
  const aliases = Object.entries(families).flatMap(([family, names]) =>
    names
      .split(" ")
      .filter((name) => name !== "")
      .map(
        (name) =>
          `<alias binding="same"><family>${name.replaceAll("_", " ")}</family><prefer><family>${family}</family></prefer></alias>`,
      ),
  );
  const isForeign = own.map(
    (name) => `<test name="family" compare="not_eq" qual="all"><string>${name}</string></test>`,
  );
  return [
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig>',
    `<dir>${escapeXml(folder)}</dir><cachedir>${escapeXml(join(folder, "cache"))}</cachedir>`,
    '<dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir><dir prefix="xdg">fonts</dir><dir>~/.fonts</dir>',
    `<match target="scan">${isForeign.join("")}<edit name="family" mode="assign"><string>Machine</string></edit><edit name="color" mode="assign"><bool>false</bool></edit></match>`,
    ...aliases,
    `<match target="pattern"><edit name="family" mode="append" binding="weak">${own.map((name) => `<string>${name}</string>`).join("")}</edit></match>`,
    "</fontconfig>",
  ].join("\n");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
