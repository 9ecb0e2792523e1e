/** External address whose owner is asked for permission to send to it. */
export interface VerifiedAddress {
  readonly id: string;
  /** Address in the normalised form of the policy. */
  readonly address: string;
  readonly status: "Pending" | "Verified";
  /** Lower-case hex SHA-256 of the mailed token; null once verified. */
  readonly tokenHash: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}
