/** Small attachments that are very large when they are decoded. */
import { deflateRawSync, deflateSync } from "node:zlib";

/** Returns a small archive with a file of 20 MB of zeros. */
export function zipBomb(): Buffer {
  const content = deflateRawSync(Buffer.alloc(20_000_000));
  const header = Buffer.alloc(30);
  header.write("PK\x03\x04", "latin1");
  header.writeUInt16LE(8, 8);
  header.writeUInt32LE(content.length, 18);
  header.writeUInt32LE(20_000_000, 22);
  header.writeUInt16LE(1, 26);
  return Buffer.concat([header, Buffer.from("a"), content]);
}

/** Returns a small image file of 30,000 × 30,000 pixels. */
export function pngBomb(): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(30_000, 0);
  size.writeUInt32BE(30_000, 4);
  size.set([1, 0, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const pixels = deflateSync(Buffer.alloc(3751 * 3000));
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", size), chunk("IDAT", pixels)]);
}

/** Returns a small PDF of one page, whose content decompresses to more than a preview allocates; it also has a script. */
export function pdfBomb(): Buffer {
  const page = deflateSync(Buffer.alloc(70_000_000, " "));
  const content = `<</Length ${String(page.length)}/Filter/FlateDecode>>\nstream\n${page.toString("latin1")}\nendstream`;
  const action = "<</S/JavaScript/JS(app.alert(1))>>";
  return pdfOf([
    `<</Type/Catalog/Pages 2 0 R/OpenAction ${action}>>`,
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R>>",
    content,
  ]);
}

/** Returns a PDF of two pages with a text. */
export function pdfWith(text: string): Buffer {
  const page = `BT /F1 24 Tf 20 40 Td (${text}) Tj ET`;
  const leaf = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>";
  return pdfOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>",
    leaf,
    `<</Length ${String(page.length)}>>\nstream\n${page}\nendstream`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    leaf,
  ]);
}

/** Returns a PDF of one page whose Japanese text has a predefined character map, and a font that is not embedded. */
export function japanesePdf(): Buffer {
  const page = "BT /F1 48 Tf 20 30 Td <93FA967B> Tj ET";
  const font = "/BaseFont/HeiseiMin-W3";
  return pdfOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
    `<</Length ${String(page.length)}>>\nstream\n${page}\nendstream`,
    `<</Type/Font/Subtype/Type0${font}/Encoding/90ms-RKSJ-H/DescendantFonts[6 0 R]>>`,
    `<</Type/Font/Subtype/CIDFontType0${font}/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 7 0 R>>`,
    "<</Type/FontDescriptor/FontName/HeiseiMin-W3/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>",
  ]);
}

/** Returns a PDF of objects, whose catalog is the first (ISO 32000-2 §7.5). */
function pdfOf(objects: readonly string[]): Buffer {
  let file = "%PDF-1.4\n";
  const entries = objects.map((object, at) => {
    const entry = `${String(file.length).padStart(10, "0")} 00000 n \n`;
    file += `${String(at + 1)} 0 obj\n${object}\nendobj\n`;
    return entry;
  });
  const start = file.length;
  const size = String(objects.length + 1);
  file += `xref\n0 ${size}\n0000000000 65535 f \n${entries.join("")}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${String(start)}\n%%EOF`;
  return Buffer.from(file, "latin1");
}
