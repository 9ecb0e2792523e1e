/** Certificate extensions (RFC 5280 §4.2) of a local CA and its server certificates. */
import { createHash, type KeyObject } from "node:crypto";
import { isIP } from "node:net";
import * as der from "../core/der.ts";
import { addressBytes } from "../core/ip-address.ts";
import { privateNetworks } from "./host-names.ts";

/** Positions of the bits of KeyUsage (RFC 5280 §4.2.1.3). */
const keyUsageBits = { digitalSignature: 0, keyCertSign: 5, cRLSign: 6 } as const;

/** Returns KeyUsage; critical. */
export function keyUsage(...usages: readonly (keyof typeof keyUsageBits)[]): der.Der {
  const bits = usages.map((usage) => keyUsageBits[usage]);
  const octet = bits.reduce<number>((sum, bit) => sum | (0x80 >> bit), 0);
  return extension("2.5.29.15", true, der.bitString(Buffer.of(octet), 7 - Math.max(...bits)));
}

/** Returns BasicConstraints of a CA that signs end-entity certificates only; critical. */
export function basicConstraintsOfAuthority(): der.Der {
  return extension("2.5.29.19", true, der.sequence(der.yes(), der.unsignedInteger(Buffer.of(0))));
}

/** Returns BasicConstraints of an end entity; critical. */
export function basicConstraintsOfServer(): der.Der {
  return extension("2.5.29.19", true, der.sequence());
}

/** Returns ExtendedKeyUsage: TLS server authentication. */
export function serverAuthentication(): der.Der {
  return extension("2.5.29.37", false, der.sequence(der.objectIdentifier("1.3.6.1.5.5.7.3.1")));
}

/** Returns SubjectKeyIdentifier. */
export function subjectKeyIdentifier(publicKey: KeyObject): der.Der {
  return extension("2.5.29.14", false, der.octetString(keyIdentifier(publicKey)));
}

/** Returns AuthorityKeyIdentifier with the key of the issuer. */
export function authorityKeyIdentifier(publicKey: KeyObject): der.Der {
  return extension("2.5.29.35", false, der.sequence(der.implicit(0, keyIdentifier(publicKey))));
}

/** Returns SubjectAltName: host names, wildcards and IP addresses. */
export function subjectAltName(names: readonly string[]): der.Der {
  return extension("2.5.29.17", false, der.sequence(...names.map(generalName)));
}

/** Returns acmeIdentifier (RFC 8737 §3) with the SHA-256 of a key authorization; critical. */
export function acmeIdentifier(digest: Buffer): der.Der {
  return extension("1.3.6.1.5.5.7.1.31", true, der.octetString(digest));
}

/** Returns NameConstraints for the given names with their subdomains, the given addresses and all private networks; critical. */
export function nameConstraints(names: readonly string[]): der.Der {
  const networks = privateNetworks.map(([network, bits]) => networkSubtree(network, bits));
  const subtrees = [...new Set(names.map(baseName))].map(permittedSubtree);
  return extension("2.5.29.30", true, der.sequence(der.explicit(0, ...networks, ...subtrees)));
}

/** Returns the entry of NameConstraints that permits a name; used to check certificates. */
export function permittedSubtree(name: string): der.Der {
  const base = baseName(name);
  return isIP(base) === 0 ? der.sequence(generalName(base)) : networkSubtree(base, addressBytes(base).length * 8);
}

function extension(identifier: string, critical: boolean, value: der.Der): der.Der {
  const flag = critical ? [der.yes()] : [];
  return der.sequence(der.objectIdentifier(identifier), ...flag, der.octetString(value));
}

/** Returns 160 bits of the SHA-256 of the key (RFC 7093 §2, method 1). */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const point = publicKey.export({ type: "spki", format: "der" }).subarray(-pointBytes);
  return createHash("sha256").update(point).digest().subarray(0, 20);
}

/** Length of an uncompressed point of P-256 at the end of a public key (RFC 5480 §2.2). */
const pointBytes = 65;

function generalName(name: string): der.Der {
  return isIP(name) === 0 ? der.implicit(2, Buffer.from(name, "ascii")) : der.implicit(7, addressBytes(name));
}

function networkSubtree(network: string, prefixBits: number): der.Der {
  const address = addressBytes(network);
  const mask = address.map((_, index) => 0xff & ~(0xff >> Math.max(0, Math.min(8, prefixBits - index * 8))));
  return der.sequence(der.implicit(7, Buffer.concat([address, mask])));
}

function baseName(name: string): string {
  return name.replace(/^\*\./, "");
}
