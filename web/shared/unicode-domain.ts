/** Domains in Unicode, of those that are written in ASCII (RFC 3492, RFC 5890). */

const parameters = { base: 36, tMin: 1, tMax: 26, skew: 38, damp: 700, initialBias: 72, initialCode: 128 };
const prefix = "xn--";
/** Longest label (RFC 1035 §2.3.4). */
const labelLengthMax = 63;

/** Returns the domain of an address in Unicode; null when it is not written in ASCII for another script, or not valid. */
export function unicodeDomainOf(address: string): string | null {
  const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  if (!domain.includes(prefix)) return null;
  const labels = domain.split(".").map((label) => (label.startsWith(prefix) ? decodeLabel(label.slice(4)) : label));
  return labels.includes(null) ? null : labels.join(".");
}

/** Decodes a label without its prefix; null when it is not valid. */
function decodeLabel(label: string): string | null {
  if (label.length > labelLengthMax) return null;
  const hyphen = label.lastIndexOf("-");
  const output = Array.from(label.slice(0, Math.max(0, hyphen)), (character) => character.charCodeAt(0));
  let [code, bias, position] = [parameters.initialCode, parameters.initialBias, 0];
  for (let at = hyphen + 1; at < label.length;) {
    const start = position;
    for (let weight = 1, k = parameters.base; ; k += parameters.base) {
      const digit = digitOf(label.charCodeAt(at++));
      if (digit === null) return null;
      position += digit * weight;
      const threshold = Math.min(Math.max(k - bias, parameters.tMin), parameters.tMax);
      if (digit < threshold) break;
      weight *= parameters.base - threshold;
    }
    const count = output.length + 1;
    bias = adapt(position - start, count, start === 0);
    code += Math.floor(position / count);
    position %= count;
    if (code > 0x10ffff) return null;
    output.splice(position++, 0, code);
  }
  return String.fromCodePoint(...output);
}

function digitOf(code: number): number | null {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : null;
}

/** Adapts the bias (RFC 3492 §6.1). */
function adapt(delta: number, count: number, isFirst: boolean): number {
  const { base, tMin, tMax, skew, damp } = parameters;
  let left = Math.floor(delta / (isFirst ? damp : 2));
  left += Math.floor(left / count);
  let k = 0;
  for (; left > ((base - tMin) * tMax) / 2; k += base) left = Math.floor(left / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * left) / (left + skew));
}
