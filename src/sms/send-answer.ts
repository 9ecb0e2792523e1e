/** What a provider's answer to a send request means. */
export interface SendRefusal {
  /** Status and code of the answer; nothing else of it, since the owner of the account chose who answers. */
  readonly text: string;
  /** Whether the same request may go well later. */
  readonly mayPass: boolean;
}

/** A request to send a text, as a provider takes it. */
export interface SendCall {
  readonly url: string;
  /** `application/x-www-form-urlencoded`. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer, its body cut where it is too long to be one. */
export interface SendAnswer {
  readonly status: number;
  readonly body: string;
}

/** A provider's send interface, from the side of whoever sends. */
export interface SendInterface<Account> {
  readonly write: (account: Account, text: { from: string; to: string; text: string }) => SendCall;
  /** Null where the provider has taken the text. */
  readonly read: (answer: SendAnswer) => SendRefusal | null;
}

/** The members of a JSON object; none for anything else. */
export function membersOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Not JSON: the provider's status decides.
    return {};
  }
}

/** A text or number of an answer as text; "" for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
