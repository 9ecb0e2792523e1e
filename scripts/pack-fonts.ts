/**
 * Packs a folder of fonts for `src/previews/fonts`: `node scripts/pack-fonts.ts <folder>`. The fonts in it are subsets that
 * fontTools wrote, as `src/previews/fonts/LICENSE.md` says.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const [folder = "."] = process.argv.slice(2);
const names = readdirSync(folder)
  .filter((name) => name.endsWith(".ttf"))
  .toSorted();
const files = names.map((name) => readFileSync(join(folder, name)));
const sizes = Object.fromEntries(names.map((name, at) => [name, files[at]?.byteLength]));
const packed = brotliCompressSync(Buffer.concat([Buffer.from(`${JSON.stringify(sizes)}\n`), ...files]), {
  params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS },
});
const target = join(import.meta.dirname, "..", "src", "previews", "fonts", "fonts.br");
writeFileSync(target, packed);
process.stdout.write(`${String(packed.byteLength)} bytes in ${target}\n`);
