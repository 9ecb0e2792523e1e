/**
 * The 7-bit charsets of ISO/IEC 2022 in mail. Escape sequences designate sets of characters, each of which an 8-bit charset
 * has at other bytes: removing the escapes and moving the bytes gives bytes for the decoder of the 8-bit charset.
 */
type Decode = (bytes: Buffer) => string;

/** Set of characters: bytes of one, and how the 8-bit charset writes it. */
interface CharacterSet {
  readonly width: 1 | 2;
  /** Byte in front of the moved bytes; null for none. */
  readonly prefix: number | null;
  /** Whether the 8-bit charset lacks the set: a character becomes U+FFFD. */
  readonly isMissing?: boolean;
}

/** Charset of ISO/IEC 2022. The keys are the characters after ESC. */
interface Scheme {
  /** Sets that bytes mean outside of SO and SI; null is ASCII. */
  readonly direct: ReadonlyMap<string, CharacterSet | null>;
  /** Sets that bytes mean between SO and SI. */
  readonly shifted: ReadonlyMap<string, CharacterSet>;
  /** Set between SO and SI before any designation. */
  readonly initial: CharacterSet;
  /** Sets of which single characters are used, after ESC N or ESC O; each becomes U+FFFD. */
  readonly single: ReadonlySet<string>;
  /** Bytes of a single character. */
  readonly singleWidth: 1 | 2;
}

const escape = 0x1b;
const shiftOut = 0x0e;
const shiftIn = 0x0f;
const lf = 0x0a;
/** Byte that every 8-bit charset here decodes as U+FFFD. */
const invalid = 0xff;

const moved: CharacterSet = { width: 2, prefix: null };
const missing: CharacterSet = { width: 2, prefix: null, isMissing: true };
/** Sets of EUC-JP after its single shifts SS2 and SS3. */
const katakana: CharacterSet = { width: 1, prefix: 0x8e };
const supplementary: CharacterSet = { width: 2, prefix: 0x8f };

const japanese: Scheme = {
  direct: new Map<string, CharacterSet | null>([
    ["(B", null],
    ["(J", null],
    ["(H", null],
    ["(I", katakana],
    ["$@", moved],
    ["$B", moved],
    ["$(@", moved],
    ["$(B", moved],
    ["$(O", moved],
    ["$(Q", moved],
    ["$(D", supplementary],
    ["$(P", missing],
    ["$A", missing],
    ["$(A", missing],
    ["$(C", missing],
  ]),
  shifted: new Map(),
  initial: katakana,
  single: new Set([".A", ".F"]),
  singleWidth: 1,
};
const korean: Scheme = {
  direct: new Map([["(B", null]]),
  shifted: new Map([["$)C", moved]]),
  initial: moved,
  single: new Set(),
  singleWidth: 2,
};
const chinese: Scheme = {
  direct: new Map([["(B", null]]),
  shifted: new Map([
    ["$)A", moved],
    ["$)E", missing],
    ["$)G", missing],
  ]),
  initial: moved,
  single: new Set(["$*H", "$+I", "$+J", "$+K", "$+L", "$+M"]),
  singleWidth: 2,
};

/**
 * Decodes ISO-2022-JP with the sets that RFC 1554, Windows (code pages 50220 to 50222) and JIS X 0213 add to RFC 1468:
 * JIS X 0212 and half-width katakana, also with SO and SI or as 8-bit bytes. Chinese, Korean, Latin and Greek sets become U+FFFD.
 */
export function decodeIso2022Jp2(bytes: Buffer, decodeEucJp: Decode): string {
  return decodeEucJp(moveBytes(bytes, japanese));
}

/** Decodes ISO-2022-KR (RFC 1557): SO and SI shift, every line starts unshifted. */
export function decodeIso2022Kr(bytes: Buffer, decodeEucKr: Decode): string {
  return decodeEucKr(moveBytes(bytes, korean));
}

/** Decodes ISO-2022-CN (RFC 1922) with the characters of GB 2312; those of CNS 11643 become U+FFFD. */
export function decodeIso2022Cn(bytes: Buffer, decodeGb: Decode): string {
  return decodeGb(moveBytes(bytes, chinese));
}

function moveBytes(bytes: Buffer, scheme: Scheme): Buffer {
  return new ByteMover(bytes, scheme).move();
}

/** Reader of a 7-bit charset and writer of the 8-bit charset. */
class ByteMover {
  readonly #bytes: Buffer;
  readonly #scheme: Scheme;
  readonly #out: Buffer;
  #position = 0;
  #length = 0;
  #direct: CharacterSet | null = null;
  #shifted: CharacterSet;
  #isShifted = false;

  constructor(bytes: Buffer, scheme: Scheme) {
    this.#bytes = bytes;
    this.#scheme = scheme;
    this.#shifted = scheme.initial;
    this.#out = Buffer.allocUnsafe(2 * bytes.length);
  }

  move(): Buffer {
    while (this.#position < this.#bytes.length) {
      const byte = this.#bytes[this.#position] ?? 0;
      const set = this.#isShifted ? this.#shifted : this.#direct;
      if (byte === escape && this.#takeEscape()) continue;
      if (byte === shiftOut || byte === shiftIn) {
        this.#isShifted = byte === shiftOut;
        this.#position += 1;
      } else if (set !== null && isGraphic(byte)) this.#takeCharacter(set, byte);
      else this.#keep(byte);
    }
    return this.#out.subarray(0, this.#length);
  }

  /** Takes a designation or a single shift with its character; returns false for other bytes after ESC. */
  #takeEscape(): boolean {
    const designator = designatorAt(this.#bytes, this.#position + 1, this.#scheme);
    if (designator !== null) {
      const designated = this.#scheme.direct.get(designator);
      if (designated !== undefined) this.#direct = designated;
      this.#shifted = this.#scheme.shifted.get(designator) ?? this.#shifted;
      this.#position += 1 + designator.length;
      return true;
    }
    if (!isSingleShift(this.#bytes[this.#position + 1], this.#scheme)) return false;
    this.#put(invalid);
    this.#position += 2 + this.#scheme.singleWidth;
    return true;
  }

  #takeCharacter(set: CharacterSet, byte: number): void {
    const second = this.#bytes[this.#position + 1];
    const isWhole = set.width === 1 || isGraphic(second);
    this.#position += isWhole ? set.width : 1;
    if (!isWhole || set.isMissing === true) {
      this.#put(invalid);
      return;
    }
    if (set.prefix !== null) this.#put(set.prefix);
    this.#put(byte | 0x80);
    if (set.width === 2) this.#put((second ?? 0) | 0x80);
  }

  /** Writes a byte as it is; in Japanese, an 8-bit one is half-width katakana. */
  #keep(byte: number): void {
    if (byte === lf) this.#isShifted = false;
    if (this.#scheme === japanese && byte >= 0xa1 && byte <= 0xdf) this.#put(0x8e);
    this.#put(byte);
    this.#position += 1;
  }

  #put(byte: number): void {
    this.#out[this.#length] = byte;
    this.#length += 1;
  }
}

/** Returns the characters of a designation after its ESC; null for other bytes. */
function designatorAt(bytes: Buffer, start: number, { direct, shifted, single }: Scheme): string | null {
  for (const length of [2, 3]) {
    const text = bytes.toString("latin1", start, start + length);
    if (direct.has(text) || shifted.has(text) || single.has(text)) return text;
  }
  return null;
}

function isSingleShift(byte: number | undefined, { single }: Scheme): boolean {
  return single.size > 0 && (byte === 0x4e || byte === 0x4f);
}

function isGraphic(byte: number | undefined): boolean {
  return byte !== undefined && byte > 0x20 && byte < 0x7f;
}
