/** The part of the table of settings that concerns what leaves, mail and texts. */
import * as forms from "./forms.ts";
import type { Setting, ConfiguredNumber } from "./setting.ts";

/** What an operator can choose about what leaves. */
export interface OutboundChoices {
  /** `smtp(s)://…`; null: nothing leaves. */
  readonly relayUrl: string | null;
  /** Addresses and `@domains` that mail may go to on the operator's word. */
  readonly verified: readonly string[];
  /** First pause before what a relay refused is tried again. */
  readonly outboxRetryMs: number;
  /** Phone numbers that must belong to servers. */
  readonly numbers: readonly ConfiguredNumber[];
  readonly approvedPhrases: readonly string[];
  /** Origins that may be called for account keys: web hooks, status callbacks, `account.apiUrl`. */
  readonly callbackOrigins: readonly string[];
  /** All three or none; the key is the path of a PEM file. */
  readonly dkimDomain: string | null;
  readonly dkimSelector: string | null;
  readonly dkimKey: string | null;
}

const open = { secret: false } as const;

/** Setting of each choice, in the order of the reference page. */
export const outboundSettings: { readonly [Name in keyof OutboundChoices]: Setting<OutboundChoices[Name]> } = {
  relayUrl: {
    env: "RESTANTE_RELAY_URL",
    form: forms.relayUrl,
    fallback: null,
    fallbackText: "none: nothing leaves",
    meaning:
      "Where mail that leaves is handed on. TLS is demanded when there is a password and the host is not this machine. Prefer the variable to the flag: it holds a password.",
    secret: true,
  },
  verified: {
    ...open,
    env: "RESTANTE_VERIFIED",
    form: forms.verified,
    fallback: [],
    fallbackText: "none",
    meaning:
      "Addresses and whole domains that mail may go to without asking their owners; a domain stands for itself, not for those below it.",
  },
  outboxRetryMs: {
    ...open,
    env: "RESTANTE_OUTBOX_RETRY_MS",
    form: forms.integer(1, 86_400_000),
    fallback: 60_000,
    fallbackText: "`60000`",
    meaning: "Milliseconds before what did not leave is tried again; each further pause is twice as long, up to a day.",
  },
  numbers: {
    ...open,
    env: "RESTANTE_NUMBERS",
    form: forms.numbers,
    fallback: [],
    fallbackText: "none",
    meaning: "Phone numbers that must belong to certain servers after the start.",
  },
  approvedPhrases: {
    ...open,
    env: "RESTANTE_APPROVED_PHRASES",
    form: forms.phrases,
    fallback: ["YES", "NO", "Y", "N", "STOP", "START", "HELP", "OK", "CONFIRM", "CANCEL"],
    fallbackText: "`YES,NO,Y,N,STOP,START,HELP,OK,CONFIRM,CANCEL`",
    meaning: "What a reply to a text may consist of, until others are set over the API.",
  },
  callbackOrigins: {
    ...open,
    env: "RESTANTE_CALLBACK_ORIGINS",
    form: forms.origins,
    fallback: [],
    fallbackText: "none",
    meaning:
      "Origins that the service may call for account keys: web hooks of numbers, status callbacks of texts (these go to the origins of their numbers' web hooks too) and `account.apiUrl` of a provider. Twilio's and Vonage's own hosts are allowed, and this machine while RESTANTE_BIND is loopback; link-local and metadata addresses never are.",
  },
  dkimDomain: {
    ...open,
    env: "RESTANTE_DKIM_DOMAIN",
    form: forms.domain,
    fallback: null,
    fallbackText: "none: nothing is signed",
    meaning: "Domain for which mail that leaves is signed (DKIM).",
  },
  dkimSelector: {
    ...open,
    env: "RESTANTE_DKIM_SELECTOR",
    form: forms.selector,
    fallback: null,
    fallbackText: "none",
    meaning: "Selector of the DKIM key in the DNS.",
  },
  dkimKey: {
    ...open,
    env: "RESTANTE_DKIM_KEY",
    form: forms.path,
    fallback: null,
    fallbackText: "none",
    meaning: "PEM file of the DKIM private key.",
  },
};
