import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";

/** Authenticated encryption and MACs with the service's secret key. */
export interface SecretBox {
  /** Encrypts the text and binds it to `owner` as associated data. */
  seal(text: string, owner: string): Uint8Array;
  /** Returns the text sealed for `owner`; undefined when it was sealed with another key or modified. */
  open(sealed: Uint8Array, owner: string): string | undefined;
  /** Returns the HMAC-SHA-256 of the text (RFC 2104, 32 bytes), with a key of its own for each `purpose`. */
  mac(text: string, purpose: string): Buffer;
}

const cipherName = "aes-256-gcm";
const format = 1;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = 1 + nonceBytes + tagBytes;

/**
 * Creates a box with AES-256-GCM (NIST SP 800-38D) and a random nonce per secret. `key` is any secret of at
 * least 16 bytes; the keys of cipher and MACs are derived from it (HKDF, RFC 5869). `purpose` is a constant of the code.
 * Sealed form: format (1 byte), nonce (12), tag (16), ciphertext.
 */
export function createSecretBox(key: Uint8Array): SecretBox {
  const cipherKey = Buffer.from(hkdfSync("sha256", key, new Uint8Array(), "restante device secrets", 32));
  const macKeys = new Map<string, Buffer>();
  const macKeyFor = (purpose: string): Buffer => {
    const known = macKeys.get(purpose);
    if (known !== undefined) return known;
    const made = Buffer.from(hkdfSync("sha256", key, new Uint8Array(), `restante mac: ${purpose}`, 32));
    macKeys.set(purpose, made);
    return made;
  };
  return {
    mac: (text, purpose) => createHmac("sha256", macKeyFor(purpose)).update(text, "utf8").digest(),
    seal(text, owner) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(cipherName, cipherKey, nonce).setAAD(Buffer.from(owner, "utf8"));
      const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([Uint8Array.of(format), nonce, cipher.getAuthTag(), content]);
    },
    open(sealed, owner) {
      if (sealed[0] !== format || sealed.byteLength < headBytes) return undefined;
      const decipher = createDecipheriv(cipherName, cipherKey, sealed.subarray(1, 1 + nonceBytes))
        .setAAD(Buffer.from(owner, "utf8"))
        .setAuthTag(sealed.subarray(1 + nonceBytes, headBytes));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(headBytes)), decipher.final()]).toString("utf8");
      } catch {
        // Sealed with another key; callers report it.
        return undefined;
      }
    },
  };
}

/** Returns whether two secrets are equal, in a time that does not depend on where they differ. */
export function sameSecret(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();
  return timingSafeEqual(digest(one), digest(other));
}
