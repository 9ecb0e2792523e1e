/** Settings of TLS listeners. */
import { isCipherList, tlsVersions, type TlsRules } from "../../tls/tls-rules.ts";
import * as forms from "./forms.ts";
import type { Form, Setting } from "./setting.ts";

/** Choices about TLS. */
export interface TlsChoices {
  /** PEM files of the operator's certificate (chain) and key; both or neither. */
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  readonly tlsMinVersion: TlsRules["minVersion"];
  readonly tlsCiphers: string | null;
}

const cipherList: Form<string> = {
  allowed: "an OpenSSL cipher list, such as `ECDHE-RSA-AES128-GCM-SHA256:AES128-SHA`",
  read: (text) => (isCipherList(text) ? text : undefined),
};

const open = { secret: false } as const;

/** Settings of {@link TlsChoices}. */
export const tlsSettings: { readonly [Name in keyof TlsChoices]: Setting<TlsChoices[Name]> } = {
  tlsCert: {
    ...open,
    env: "RESTANTE_TLS_CERT",
    form: forms.path,
    fallback: null,
    fallbackText: "issued by the local CA",
    meaning: "PEM file of your certificate, followed by its intermediates; reloaded within a minute when it changes.",
  },
  tlsKey: {
    ...open,
    env: "RESTANTE_TLS_KEY",
    form: forms.path,
    fallback: null,
    fallbackText: "issued by the local CA",
    meaning: "PEM file of the private key of `RESTANTE_TLS_CERT`.",
  },
  tlsMinVersion: {
    ...open,
    env: "RESTANTE_TLS_MIN_VERSION",
    form: forms.oneOf(tlsVersions),
    fallback: "1.2",
    fallbackText: "`1.2`",
    meaning:
      "Lowest TLS version that listeners accept. `1.0` and `1.1`, for tests of old clients, also lower the security level of OpenSSL to 0.",
  },
  tlsCiphers: {
    ...open,
    env: "RESTANTE_TLS_CIPHERS",
    form: cipherList,
    fallback: null,
    fallbackText: "those of Node",
    meaning:
      "OpenSSL cipher list of all TLS listeners, for tests of clients with few ciphers; TLS 1.3 suites are named too.",
  },
};
