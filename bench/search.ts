/**
 * How search grows with one server: `npm run bench:search`, with other sizes `npm run bench:search -- 2000 50000`, with
 * one part alone with `--accept-only`, `--growth-only`, `--texts-only`, `--emptying-only`, with a million messages
 * `npm run bench:search -- --full` (about 25 GB below the folder for temporary files, which goes
 * again, or below `--directory=…`). Machines differ and are shared: every time also stands as a ratio to the smallest
 * size and to the floor, one indexed row read from the same database.
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
/** What a message takes, with room to spare; and what must stay free on the medium. */
const bytesPerMessageMax = 40 * 1024;
const freeBytesMin = 20 * 1024 ** 3;

const options = process.argv.slice(2);
const given = options.filter((option) => !option.startsWith("--")).map(Number);
if (given.some((size) => !Number.isInteger(size) || size < 200)) throw new Error("sizes are whole numbers from 200");
const sizes = [...(given.length > 0 ? given : defaultSizes), ...(options.includes("--full") ? [fullSize] : [])];
const parent = options.find((option) => option.startsWith("--directory="))?.slice("--directory=".length) ?? tmpdir();

await mkdir(parent, { recursive: true });
const { bavail, bsize } = await statfs(parent);
if (bavail * bsize < Math.max(...sizes) * bytesPerMessageMax + freeBytesMin) throw new Error(`${parent} has no room`);
const onlyPart = options.find((option) => option.endsWith("-only"));
const isWanted = (part: string): boolean => onlyPart === undefined || onlyPart === `--${part}-only`;
const directory = await mkdtemp(join(parent, "restante-bench-"));
process.stdout.write(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? "?"}\n`);
try {
  const ascending = sizes.toSorted((a, b) => a - b);
  if (isWanted("accept")) await benchAccept(directory);
  if (isWanted("growth")) await benchGrowth(directory, ascending);
  if (isWanted("texts")) await benchTexts(directory, given.length > 0 ? ascending : textSizes);
  if (isWanted("emptying")) await benchEmptying(directory, ascending.at(-1) ?? fullSize);
} finally {
  await rm(directory, { recursive: true });
}
