/** Batch sending: every recipient gets a mail of its own, in which `%recipient.name%` is replaced. */
import type { DraftMailbox } from "../email.ts";
import { isJsonObject, type JsonObject } from "../formats/json-body.ts";
import { mailgunError, texts } from "./errors.ts";
import { textOfValue } from "./options.ts";

/** Largest total size of all mails in one request, in bytes; the limit of a request. */
const batchBytesMax = 50_000_000;

/** Address in lower case → variables. */
export type RecipientVariables = ReadonlyMap<string, JsonObject>;

/** Counts the bytes of a batch. */
export interface BatchBudget {
  /** Throws Mailgun's error when the batch is too large. */
  readonly take: (bytes: number) => void;
}

/** Returns the budget of one request. */
export function batchBudget(): BatchBudget {
  let left = batchBytesMax;
  return {
    take: (bytes) => {
      left -= bytes;
      if (left < 0) throw mailgunError(texts.batchTooLarge, "message_too_large");
    },
  };
}

/** Decodes the variables by recipient; throws Mailgun's error when a recipient's variables are no object. */
export function readRecipientVariables(value: JsonObject): RecipientVariables {
  return new Map(
    Object.entries(value).map(([address, variables]) => {
      if (!isJsonObject(variables)) throw mailgunError(texts.invalidJson("recipient-variables"));
      return [address.toLowerCase(), variables] as const;
    }),
  );
}

/** Returns a function that replaces the variables of one recipient in texts; unknown variables stay as they are. */
export function substitution(
  { name, address }: DraftMailbox,
  { variables, budget }: { readonly variables: RecipientVariables; readonly budget: BatchBudget },
): (text: string) => string {
  const own = variables.get(address.toLowerCase()) ?? {};
  const [firstName = "", ...otherNames] = name.split(" ");
  const predefined: Readonly<Record<string, string>> = {
    "%recipient%": name === "" ? address : `${name} <${address}>`,
    "%recipient_email%": address,
    "%recipient_name%": name,
    "%recipient_fname%": firstName,
    "%recipient_lname%": otherNames.join(" "),
  };
  return (text) => {
    budget.take(text.length);
    return text.replaceAll(/%recipient(?:_[a-z]{4,5}|\.([^%\s]{1,200}))?%/g, (match, variable: string | undefined) => {
      const value = variable === undefined ? predefined[match] : valueOf(own, variable);
      budget.take(value?.length ?? 0);
      return value ?? match;
    });
  };
}

function valueOf(variables: JsonObject, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? textOfValue(variables[name]) : undefined;
}
