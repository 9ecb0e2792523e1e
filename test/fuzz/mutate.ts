/** Mutations of inputs that keep the structure of text formats: lines, delimiters, numbers and words. */

/** Source of numbers in [0, 1). */
export type Random = () => number;

/** Ingredients of mutations. */
export interface Ingredients {
  readonly random: Random;
  /** Words of the format. */
  readonly tokens: readonly string[];
  /** Other inputs, to splice with. */
  readonly others: readonly Buffer[];
}

/** Inputs are cut at this size, in bytes, so that a run tries many. */
export const inputBytesMax: number = 64 * 1024;

const mutationCountMax = 6;

/** Returns a copy of an input with one to six random mutations; at most {@link inputBytesMax} bytes. */
export function mutate(input: Buffer, ingredients: Ingredients): Buffer {
  let mutated = input;
  const count = 1 + below(ingredients.random, mutationCountMax);
  for (let done = 0; done < count; done += 1) {
    mutated = pick(ingredients.random, mutations)(mutated, ingredients).subarray(0, inputBytesMax);
  }
  return mutated;
}

type Mutation = (input: Buffer, ingredients: Ingredients) => Buffer;

const hostileBytes = [0x00, 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x28, 0x2e, 0x3c, 0x3d, 0x3e, 0x5c, 0x7f, 0x80, 0xc2, 0xff];
const hostileNumbers = ["0", "-1", "1e999", "00", "2147483648", "9007199254740993", "99999999999999999999", "0x10"];
const hostileWords = [
  "\0",
  "\u200b",
  "\u2028",
  "\ud83d\ude00",
  "%00",
  "%ZZ",
  "../",
  "__proto__",
  "constructor",
  "\r\n.\r\n",
];

/** Repetitions of one chunk, to find work and memory that grow faster than the input. */
const repetitionMax = 2000;

const mutations: readonly Mutation[] = [
  insertToken,
  insertToken,
  (input, { random }) => replaceAt(input, range(random, input, 8), Buffer.alloc(0)),
  (input, { random }) => replaceAt(input, range(random, input, 512), Buffer.alloc(0)),
  (input, { random }) => replaceAt(input, range(random, input, 1), Buffer.from([pick(random, hostileBytes)])),
  (input, { random }) => replaceAt(input, range(random, input, 1), Buffer.from([below(random, 256)])),
  (input, { random }) => insert(input, below(random, input.length + 1), Buffer.from(pick(random, hostileWords))),
  repeatChunk,
  repeatLine,
  swapLines,
  dropLine,
  changeNumber,
  spliceOther,
  changeLineEnds,
  (input, { random }) => input.subarray(0, below(random, input.length + 1)),
];

function insertToken(input: Buffer, { random, tokens }: Ingredients): Buffer {
  if (tokens.length === 0) return input;
  const token = Buffer.from(pick(random, tokens));
  const at = below(random, input.length + 1);
  return random() < 0.5 ? insert(input, at, token) : replaceAt(input, { start: at, end: at + token.length }, token);
}

function repeatChunk(input: Buffer, { random }: Ingredients): Buffer {
  const { start, end } = range(random, input, 64);
  const chunk = input.subarray(start, end);
  const count = random() < 0.2 ? below(random, repetitionMax) : below(random, 8);
  return insert(input, end, repeated(chunk, count));
}

function repeatLine(input: Buffer, { random }: Ingredients): Buffer {
  const lines = linesOf(input);
  const at = below(random, lines.length);
  const count = random() < 0.1 ? below(random, repetitionMax) : below(random, 4);
  return Buffer.concat(lines.flatMap((line, index) => (index === at ? [line, repeated(line, count)] : [line])));
}

function swapLines(input: Buffer, { random }: Ingredients): Buffer {
  const lines = linesOf(input);
  const [one, other] = [below(random, lines.length), below(random, lines.length)];
  return Buffer.concat(lines.map((line, at) => lines[at === one ? other : at === other ? one : at] ?? line));
}

function dropLine(input: Buffer, { random }: Ingredients): Buffer {
  const lines = linesOf(input);
  const dropped = below(random, lines.length);
  return Buffer.concat(lines.filter((_, at) => at !== dropped));
}

function changeNumber(input: Buffer, { random }: Ingredients): Buffer {
  const numbers = [...input.toString("latin1").matchAll(/\d{1,20}/g)];
  if (numbers.length === 0) return input;
  const { 0: digits, index } = pick(random, numbers);
  return replaceAt(input, { start: index, end: index + digits.length }, Buffer.from(pick(random, hostileNumbers)));
}

function spliceOther(input: Buffer, { random, others }: Ingredients): Buffer {
  if (others.length === 0) return input;
  const other = pick(random, others);
  const { start, end } = range(random, other, other.length);
  return replaceAt(input, range(random, input, input.length), other.subarray(start, end));
}

function changeLineEnds(input: Buffer, { random }: Ingredients): Buffer {
  const end = pick(random, ["\n", "\r\n", "\r", "\n\n", "\r\n "]);
  return Buffer.from(input.toString("latin1").replaceAll(/\r?\n/g, end), "latin1");
}

/** Splits after each line feed. */
function linesOf(input: Buffer): readonly Buffer[] {
  return input
    .toString("latin1")
    .split(/(?<=\n)/)
    .map((line) => Buffer.from(line, "latin1"));
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function range(random: Random, input: Buffer, lengthMax: number): Range {
  const start = below(random, input.length + 1);
  return { start, end: Math.min(input.length, start + 1 + below(random, lengthMax)) };
}

function replaceAt(input: Buffer, { start, end }: Range, added: Buffer): Buffer {
  return Buffer.concat([input.subarray(0, start), added, input.subarray(end)]);
}

function insert(input: Buffer, at: number, added: Buffer): Buffer {
  return replaceAt(input, { start: at, end: at }, added);
}

function repeated(chunk: Buffer, count: number): Buffer {
  const size = Math.min(chunk.length * count, inputBytesMax);
  return chunk.length === 0 ? chunk : Buffer.alloc(size, chunk);
}

function below(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[below(random, items.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}
