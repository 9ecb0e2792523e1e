/** An address outside that its owner was asked about. */
export interface VerifiedAddress {
  readonly id: string;
  /** In the form that the policy gives. */
  readonly address: string;
  readonly status: "Pending" | "Verified";
  /** Lower-case hex SHA-256 of the token that was mailed; null once verified. */
  readonly tokenHash: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}
