/** Every sequence of bytes that a charset of the Encoding standard may map, for tests of whole repertoires. */

/** Charset of the standard by the form of its sequences. */
export type RepertoireForm = "single" | "big5" | "euc-kr" | "euc-jp" | "iso-2022-jp" | "shift_jis" | "gb18030";

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

function* pairs(leads: readonly number[], trails: readonly number[]): Generator<number[]> {
  for (const lead of leads) for (const trail of trails) yield [lead, trail];
}

/** Pointers of four bytes that gb18030 maps: the Basic Multilingual Plane up to 39,419, the others from 189,000. */
function* fourByteSequences(): Generator<number[]> {
  for (let pointer = 0; pointer <= 1_237_575; pointer += 1) {
    if (pointer === 39_420) pointer = 189_000;
    const digits = [Math.floor(pointer / 12_600), Math.floor(pointer / 1260) % 10];
    const [first = 0, second = 0] = digits;
    yield [first + 0x81, second + 0x30, (Math.floor(pointer / 10) % 126) + 0x81, (pointer % 10) + 0x30];
  }
}

/** Sequences of each form, without those of ASCII alone. */
const sequences: Readonly<Record<RepertoireForm, () => Iterable<readonly number[]>>> = {
  single: () => range(0x80, 0xff).map((byte) => [byte]),
  big5: () => pairs(range(0x81, 0xfe), range(0x40, 0xfe)),
  "euc-kr": () => pairs(range(0x81, 0xfe), range(0x41, 0xfe)),
  "euc-jp": function* () {
    yield* pairs([0x8e, ...range(0xa1, 0xfe)], range(0xa1, 0xfe));
    for (const pair of pairs(range(0xa1, 0xfe), range(0xa1, 0xfe))) yield [0x8f, ...pair];
  },
  "iso-2022-jp": function* () {
    const ascii = Buffer.from("\u001b(B");
    for (const byte of range(0x21, 0x5f)) yield [...Buffer.from("\u001b(I"), byte, ...ascii];
    for (const byte of range(0x21, 0x7e)) yield [...Buffer.from("\u001b(J"), byte, ...ascii];
    for (const pair of pairs(range(0x21, 0x7e), range(0x21, 0x7e))) {
      yield [...Buffer.from("\u001b$B"), ...pair, ...ascii];
    }
  },
  shift_jis: function* () {
    yield* range(0xa1, 0xdf).map((byte) => [byte]);
    yield* pairs([...range(0x81, 0x9f), ...range(0xe0, 0xfc)], range(0x40, 0xfc));
  },
  gb18030: function* () {
    yield [0x80];
    yield* pairs(range(0x81, 0xfe), range(0x40, 0xfe));
    yield* fourByteSequences();
  },
};

/** Returns the sequences of a form in order. */
export function sequencesOf(form: RepertoireForm): Iterable<readonly number[]> {
  return sequences[form]();
}

/** Returns the sequences of a form, each followed by a line feed. */
export function repertoireBytes(form: RepertoireForm): Buffer {
  const bytes: number[] = [];
  for (const sequence of sequencesOf(form)) bytes.push(...sequence, 0x0a);
  return Buffer.from(bytes);
}

/** Returns every code point of Unicode except surrogates, each followed by a line feed. */
export function wholeUnicode(): string {
  const texts = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code));
  texts.splice(0xd800, 0x800);
  return `${texts.join("\n")}\n`;
}
