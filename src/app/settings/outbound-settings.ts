/** Settings of outbound mail and SMS. */
import * as forms from "./forms.ts";
import type { Setting, ConfiguredNumber } from "./setting.ts";

/** Values of the settings of outbound mail and SMS. */
export interface OutboundChoices {
  /** `smtp(s)://…`; null: no mail is sent outside. */
  readonly relayUrl: string | null;
  /** Addresses and `@domains` that are verified by the operator. */
  readonly verified: readonly string[];
  /** Pause in milliseconds before the first retry of an outbox entry. */
  readonly outboxRetryMs: number;
  /** Phone numbers that are assigned to servers at start. */
  readonly numbers: readonly ConfiguredNumber[];
  readonly approvedPhrases: readonly string[];
  /** Origins of webhooks, status callbacks and `account.apiUrl` that account keys may set. */
  readonly callbackOrigins: readonly string[];
  /** Origins that link scanners may request. */
  readonly scannerOrigins: readonly string[];
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
    fallbackText: "none: no mail is sent outside",
    meaning:
      "SMTP relay for outbound mail. TLS is required when the URL contains a password and the host is not this machine. Prefer the variable to the flag, because it contains a password.",
    secret: true,
  },
  verified: {
    ...open,
    env: "RESTANTE_VERIFIED",
    form: forms.verified,
    fallback: [],
    fallbackText: "none",
    meaning:
      "Addresses and domains that mail may be sent to without confirmation by their owners. A domain does not include its subdomains.",
  },
  outboxRetryMs: {
    ...open,
    env: "RESTANTE_OUTBOX_RETRY_MS",
    form: forms.integer(1, 86_400_000),
    fallback: 60_000,
    fallbackText: "`60000`",
    meaning:
      "Milliseconds before the first retry of an outbound message; the pause doubles with each retry, up to a day. Below 5000, it also shortens the retry schedule of webhooks in proportion.",
  },
  numbers: {
    ...open,
    env: "RESTANTE_NUMBERS",
    form: forms.numbers,
    fallback: [],
    fallbackText: "none",
    meaning: "Phone numbers that are assigned to servers at start.",
  },
  approvedPhrases: {
    ...open,
    env: "RESTANTE_APPROVED_PHRASES",
    form: forms.phrases,
    fallback: ["YES", "NO", "Y", "N", "STOP", "START", "HELP", "OK", "CONFIRM", "CANCEL"],
    fallbackText: "`YES,NO,Y,N,STOP,START,HELP,OK,CONFIRM,CANCEL`",
    meaning: "Allowed replies to an SMS, until others are set with the API.",
  },
  callbackOrigins: {
    ...open,
    env: "RESTANTE_CALLBACK_ORIGINS",
    form: forms.origins,
    fallback: [],
    fallbackText: "none",
    meaning:
      "Origins that the service may call for API keys: in webhooks, event webhooks and inbound routes, in webhooks of phone numbers, in status callbacks of SMS (where the origin of the number's webhook is allowed too), and in `account.apiUrl` of a provider; also the origins that unsubscribe requests are sent to. The hosts of the supported SMS providers are always allowed, this machine only while RESTANTE_BIND is loopback, link-local and metadata addresses never.",
  },
  scannerOrigins: {
    ...open,
    env: "RESTANTE_SCANNER_ORIGINS",
    form: forms.origins,
    fallback: [],
    fallbackText: "none",
    meaning:
      "Origins whose URLs the link scanners of servers may open, such as the application under test. This machine is allowed only while RESTANTE_BIND is loopback; the service itself, link-local and metadata addresses never.",
  },
  dkimDomain: {
    ...open,
    env: "RESTANTE_DKIM_DOMAIN",
    form: forms.domain,
    fallback: null,
    fallbackText: "none: no DKIM signature",
    meaning: "Signing domain (DKIM `d=`) of outbound mail.",
  },
  dkimSelector: {
    ...open,
    env: "RESTANTE_DKIM_SELECTOR",
    form: forms.selector,
    fallback: null,
    fallbackText: "none",
    meaning: "Selector (DKIM `s=`) of the key in the DNS.",
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
