/** An authenticator of the account: something that shows one-time passwords (RFC 6238). */
export interface Device {
  /** Lower-case UUID: the official libraries tell ids from secrets by their hyphens. */
  readonly id: string;
  readonly name: string;
}

/** A device as it is kept. */
export interface StoredDevice extends Device {
  /** What its passwords are made from, sealed; only the key of the service opens it. */
  readonly sealedSecret: Uint8Array;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}
