/** Versions and ciphers that TLS listeners accept. */
import { createSecureContext, type SecureVersion } from "node:tls";

/** Lowest versions of TLS, as settings name them. */
export const tlsVersions = ["1.0", "1.1", "1.2", "1.3"] as const;

/** Versions and ciphers that TLS listeners accept of clients. */
export interface TlsRules {
  readonly minVersion: (typeof tlsVersions)[number];
  /** OpenSSL cipher list; null: that of Node. */
  readonly ciphers: string | null;
}

/** Rules without settings. */
export const defaultTlsRules: TlsRules = { minVersion: "1.2", ciphers: null };

/** Options of secure contexts that follow rules. */
export interface TlsProtocolOptions {
  readonly minVersion: SecureVersion;
  readonly ciphers?: string;
}

const versions: Readonly<Record<TlsRules["minVersion"], SecureVersion>> = {
  "1.0": "TLSv1",
  "1.1": "TLSv1.1",
  "1.2": "TLSv1.2",
  "1.3": "TLSv1.3",
};

/**
 * Returns the options of rules. OpenSSL signs handshakes of TLS 1.0 and 1.1 only at its security level 0, which is therefore set
 * for them unless the cipher list has a level.
 */
export function protocolOptions({ minVersion, ciphers }: TlsRules): TlsProtocolOptions {
  const version = { minVersion: versions[minVersion] };
  const isOld = minVersion === "1.0" || minVersion === "1.1";
  if (ciphers === null) return isOld ? { ...version, ciphers: "DEFAULT@SECLEVEL=0" } : version;
  return { ...version, ciphers: isOld && !ciphers.includes("@SECLEVEL=") ? `${ciphers}@SECLEVEL=0` : ciphers };
}

/** Returns whether OpenSSL knows a cipher of the list. */
export function isCipherList(text: string): boolean {
  try {
    createSecureContext({ ciphers: text });
    return true;
  } catch {
    // The error says nothing that the setting's own text does not.
    return false;
  }
}
