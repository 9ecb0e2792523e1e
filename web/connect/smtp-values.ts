/** SMTP address, and credentials that direct all email to one server whatever its recipients. */
export interface SmtpValues {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** An address of the server. */
  readonly address: string;
}
