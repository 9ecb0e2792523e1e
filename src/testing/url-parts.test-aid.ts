/** Paths and queries of URLs in property tests, without the table that fast-check's own ones build: see `code-point.test-aid.ts`. */
import fc from "fast-check";
import { codePoint } from "./code-point.test-aid.ts";

const unreserved = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
/** Further characters of a segment of a path (RFC 3986 §3.3). */
const ofSegment = "!$&'()*+,;=:@";

/** Texts of these characters, and of others with percent-encoding. */
function textOf(characters: string): fc.Arbitrary<string> {
  const unit = fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...Array.from(characters)) },
    { weight: 1, arbitrary: codePoint.map(percentEncoded) },
  );
  return fc.string({ unit });
}

/** Encodes letters and digits, too. */
function percentEncoded(character: string): string {
  return Buffer.from(character)
    .toString("hex")
    .replaceAll(/../g, (byte) => `%${byte}`);
}

/** Path with any number of segments, each after a slash; empty without segments. */
export const urlPath: fc.Arbitrary<string> = fc
  .array(textOf(unreserved + ofSegment))
  .map((segments) => segments.map((segment) => `/${segment}`).join(""));

/** Query without its question mark (RFC 3986 §3.4). */
export const urlQuery: fc.Arbitrary<string> = textOf(`${unreserved}${ofSegment}/?`);
