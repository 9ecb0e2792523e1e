/**
 * Growth of search times with the size of one server: `npm run bench:search`, with other sizes `npm run bench:search -- 2000 50000`, with
 * a single part with `--accept-only`, `--growth-only`, `--texts-only`, `--emptying-only`, with a million messages
 * `npm run bench:search -- --full` (about 25 GB in the directory for temporary files, or in
 * `--directory=…`; deleted afterwards). Because machines differ and are shared, every time is also given as a ratio to the
 * smallest size and to the floor, one indexed row read from the same database.
 */
import { mkdir, mkdtemp, rm, statfs } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { benchAccept } from "./search/accept.ts";
import { benchEmptying } from "./search/emptying.ts";
import { benchGrowth } from "./search/growth.ts";
import { benchTexts } from "./search/texts.ts";

const defaultSizes = [1000, 10_000, 100_000];
const textSizes = [5000, 20_000, 100_000];
const fullSize = 1_000_000;
/** Upper bound of the disk space of a message, and the space that must stay free. */
const bytesPerMessageMax = 40 * 1024;
const freeBytesMin = 20 * 1024 ** 3;

const options = process.argv.slice(2);
const given = options.filter((option) => !option.startsWith("--")).map(Number);
if (given.some((size) => !Number.isInteger(size) || size < 200)) throw new Error("sizes are whole numbers from 200");
const sizes = [...(given.length > 0 ? given : defaultSizes), ...(options.includes("--full") ? [fullSize] : [])];
const parent = options.find((option) => option.startsWith("--directory="))?.slice("--directory=".length) ?? tmpdir();

await mkdir(parent, { recursive: true });
const { bavail, bsize } = await statfs(parent);
if (bavail * bsize < Math.max(...sizes) * bytesPerMessageMax + freeBytesMin)
  throw new Error(`${parent} has not enough free space`);
const onlyPart = options.find((option) => option.endsWith("-only"));
const isSelected = (part: string): boolean => onlyPart === undefined || onlyPart === `--${part}-only`;
const directory = await mkdtemp(join(parent, "restante-bench-"));
process.stdout.write(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? "?"}\n`);
try {
  const ascending = sizes.toSorted((a, b) => a - b);
  if (isSelected("accept")) await benchAccept(directory);
  if (isSelected("growth")) await benchGrowth(directory, ascending);
  if (isSelected("texts")) await benchTexts(directory, given.length > 0 ? ascending : textSizes);
  if (isSelected("emptying")) await benchEmptying(directory, ascending.at(-1) ?? fullSize);
} finally {
  await rm(directory, { recursive: true });
}
