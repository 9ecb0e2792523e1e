/** Settings of mail checks and previews. */
import * as forms from "./forms.ts";
import type { DnsChoice, HostAndPort, Setting } from "./setting.ts";

/** Settings of the checks of mail. */
export interface CheckChoices {
  /** Address of spamd (SpamAssassin); null: built-in rules only. */
  readonly spamd: HostAndPort | null;
  readonly dns: DnsChoice;
  /** Whether the links of mails may be requested by lint. */
  readonly linkCheck: boolean;
  /** Browser that renders mails: `auto`, `off`, or a path. */
  readonly chromium: string;
}

const open = { secret: false } as const;

/** Setting of each choice, in the order of the reference page. */
export const checkSettings: { readonly [Name in keyof CheckChoices]: Setting<CheckChoices[Name]> } = {
  spamd: {
    ...open,
    env: "RESTANTE_SPAMD",
    form: forms.hostAndPort,
    fallback: null,
    fallbackText: "none: built-in rules",
    meaning: "Address of SpamAssassin's spamd, which then computes the spam analysis.",
  },
  dns: {
    ...open,
    env: "RESTANTE_DNS",
    form: forms.dns,
    fallback: "system",
    fallbackText: "`system`",
    meaning:
      "DNS resolver for deliverability reports, the only feature that uses DNS: that of the operating system, certain servers, or none (`off`). Servers with a DNS zone of their own use only that zone.",
  },
  linkCheck: {
    ...open,
    env: "RESTANTE_LINK_CHECK",
    form: forms.yesOrNo,
    fallback: false,
    fallbackText: "`no`",
    meaning:
      "Whether lint may send requests to links in mails, on the public Internet only, when a caller requests it.",
  },
  chromium: {
    ...open,
    env: "RESTANTE_CHROMIUM",
    form: forms.browser,
    fallback: "auto",
    fallbackText: "`auto`",
    meaning:
      "Chromium that renders mails for previews and axe-core. `auto`: Chromium, Chrome or Edge of this machine, else the package `@sparticuz/chromium` if it is installed; a path: that program; `off`: none. Requires the package `playwright-core`.",
  },
};
