/**
 * Compares the stores on PostgreSQL and SQLite: `npm run bench:postgres`, with other sizes of a thousand servers
 * `npm run bench:postgres -- 10000 1000000` (about 3 GB in the directory for temporary files, deleted afterwards), some
 * parts only with `--ingest`, `--wake-up`, `--growth`, `--text-index`, the last with another number of messages of its one
 * server `npm run bench:postgres -- --text-index 200000`. PostgreSQL comes from npm. Machines differ and are shared: both
 * stores are measured in the same run, and CPU time is more reliable than mails per second.
 */
import { availableParallelism, cpus } from "node:os";
import { benchGrowth } from "./postgres/growth.ts";
import { benchIngest, benchWakeUp } from "./postgres/nodes.ts";
import { MeasuredPostgres } from "./postgres/server.ts";
import { benchTextIndex } from "./postgres/text-index.ts";

const mailCount = 8000;
const largeServerMessageCount = 20_000;
const defaultSizes = [10_000, 50_000];

const options = process.argv.slice(2);
const sizes = options.filter((option) => !option.startsWith("--")).map(Number);
if (sizes.some((size) => !Number.isInteger(size) || size < 1000))
  throw new Error("sizes must be integers of at least 1000");
const chosen = options.filter((option) => option.startsWith("--"));
const unknown = chosen.filter((option) => !["--ingest", "--wake-up", "--growth", "--text-index"].includes(option));
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(", ")}`);
const isChosen = (part: string): boolean => chosen.length === 0 || chosen.includes(part);

process.stdout.write(`Node ${process.version}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? "?"}\n`);
await using postgres = await MeasuredPostgres.start();
if (isChosen("--ingest")) await benchIngest(postgres, mailCount);
if (isChosen("--wake-up")) await benchWakeUp(postgres);
if (isChosen("--growth"))
  await benchGrowth(postgres, sizes.length > 0 ? sizes.toSorted((a, b) => a - b) : defaultSizes);
if (isChosen("--text-index"))
  await benchTextIndex(postgres, chosen.length > 0 ? (sizes[0] ?? largeServerMessageCount) : largeServerMessageCount);
