/** Signatures of one mail that are verified: each may require hashing the whole body again (RFC 6376 §6.1). */
export const signatureCountMax = 20;

const name = Buffer.from("dkim-signature:");
const lf = 10;
const cr = 13;
const blanks: ReadonlySet<number | undefined> = new Set([9, 32]);

/**
 * Returns the mail without the DKIM-Signature fields after the first {@link signatureCountMax}; the same bytes if there
 * are no more. Linear in the header section.
 */
export function limitSignatures(raw: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let count = 0;
  let from = 0;
  for (let at = 0; at < raw.length && !isLineEnd(raw, at);) {
    const end = fieldEnd(raw, at);
    if (isSignature(raw, at) && ++count > signatureCountMax) {
      chunks.push(raw.subarray(from, at));
      from = end;
    }
    at = end;
  }
  return from === 0 ? raw : Buffer.concat([...chunks, raw.subarray(from)]);
}

/** Returns the offset after a field: after its first line end that no blank follows. */
function fieldEnd(raw: Buffer, start: number): number {
  for (let at = start; ;) {
    const found = raw.indexOf(lf, at);
    if (found < 0) return raw.length;
    at = found + 1;
    if (!blanks.has(raw[at])) return at;
  }
}

function isLineEnd(raw: Buffer, at: number): boolean {
  return raw[at] === lf || (raw[at] === cr && raw[at + 1] === lf);
}

function isSignature(raw: Buffer, at: number): boolean {
  return raw.toString("latin1", at, at + name.length).toLowerCase() === name.toString("latin1");
}
