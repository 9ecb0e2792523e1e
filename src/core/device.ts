/** Authenticator of the account, which shows one-time passwords (RFC 6238). */
export interface Device {
  /** Lower-case UUID: the official libraries distinguish ids from secrets by the hyphens. */
  readonly id: string;
  readonly name: string;
}

/** Stored device. */
export interface StoredDevice extends Device {
  /** TOTP secret, sealed with the secret key of the service. */
  readonly sealedSecret: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}
