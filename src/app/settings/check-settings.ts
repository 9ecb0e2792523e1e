/** The part of the table of settings that concerns what mails are held against, and who is asked. */
import * as forms from "./forms.ts";
import type { DnsChoice, HostAndPort, Setting } from "./setting.ts";

/** What an operator can choose about checks of mail. */
export interface CheckChoices {
  /** Where SpamAssassin listens; null: the service's own rules judge. */
  readonly spamd: HostAndPort | null;
  readonly dns: DnsChoice;
  /** Whether links of mails may be asked whether they answer. */
  readonly linkCheck: boolean;
  /** The browser that renders mails: `auto`, `off`, or a path. */
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
    fallbackText: "none: the service's own rules judge",
    meaning: "Where the spamd of SpamAssassin listens, which then judges mail for the spam analysis.",
  },
  dns: {
    ...open,
    env: "RESTANTE_DNS",
    form: forms.dns,
    fallback: "system",
    fallbackText: "`system`",
    meaning:
      "Who answers questions about senders: this machine's resolver, certain ones, or nobody (`off`). Servers with a zone of their own ask nobody. Only deliverability reports ask.",
  },
  linkCheck: {
    ...open,
    env: "RESTANTE_LINK_CHECK",
    form: forms.yesOrNo,
    fallback: false,
    fallbackText: "`no`",
    meaning: "Whether lint may ask links of mails on the public Internet whether they answer, where a caller wants it.",
  },
  chromium: {
    ...open,
    env: "RESTANTE_CHROMIUM",
    form: forms.browser,
    fallback: "auto",
    fallbackText: "`auto`",
    meaning:
      "The Chromium that renders mails for previews and axe-core: a program of that name (or Chrome, or Edge) on this machine, else the package `@sparticuz/chromium` where it is installed; a certain one; or none. Needs the package `playwright-core`.",
  },
};
