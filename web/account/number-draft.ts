import type { NumberChange, NumberRequest, PhoneNumber } from "../wire.ts";

/** Values of the form of a phone number; "" for fields that are left out or, of credentials, stay as they are. */
export interface NumberDraft {
  readonly number: string;
  readonly server: string;
  readonly provider: string;
  readonly webhook: string;
  readonly secret: string;
  readonly removesSecret: boolean;
  readonly accountId: string;
  readonly accountKey: string;
  readonly accountSecret: string;
  readonly apiUrl: string;
  readonly removesAccount: boolean;
}

const empty: NumberDraft = {
  number: "",
  server: "",
  provider: "",
  webhook: "",
  secret: "",
  removesSecret: false,
  accountId: "",
  accountKey: "",
  accountSecret: "",
  apiUrl: "",
  removesAccount: false,
};

/** Returns the draft of a number, or of a new one for null. */
export function draftOf(number: PhoneNumber | null): NumberDraft {
  if (number === null) return empty;
  const { server, provider, webhook } = number;
  return { ...empty, number: number.number, server, provider, webhook: webhook ?? "" };
}

/** Returns the request that adds the number of a draft. */
export function requestOf(draft: NumberDraft): NumberRequest {
  const { number, server, provider, webhook, secret } = draft;
  return {
    number,
    server,
    provider,
    ...(webhook !== "" && { webhook }),
    ...(secret !== "" && { secret }),
    ...(hasAccount(draft) && { account: accountOf(draft) }),
  };
}

/** Returns the changes of a draft; credentials that are neither entered nor removed are absent, so that they stay. */
export function changeOf(draft: NumberDraft): NumberChange {
  const { server, provider, webhook, secret, removesSecret, removesAccount } = draft;
  return {
    server,
    provider,
    webhook: webhook === "" ? null : webhook,
    ...(removesSecret ? { secret: null } : secret !== "" && { secret }),
    ...(removesAccount ? { account: null } : hasAccount(draft) && { account: accountOf(draft) }),
  };
}

function hasAccount({ accountId, accountKey, accountSecret, apiUrl }: NumberDraft): boolean {
  return [accountId, accountKey, accountSecret, apiUrl].some((text) => text !== "");
}

function accountOf(draft: NumberDraft): NonNullable<NumberRequest["account"]> {
  const { accountId: id, accountKey: key, accountSecret: secret, apiUrl } = draft;
  // The service names the required fields that are missing.
  const fields = Object.entries({ id, key, secret, apiUrl }).filter(([, text]) => text !== "");
  return Object.fromEntries(fields);
}
