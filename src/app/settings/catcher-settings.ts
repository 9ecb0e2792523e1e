/** Settings of the listeners with the APIs of other mail catchers. */
import type { ServerId } from "../../core/ids.ts";
import * as forms from "./forms.ts";
import type { Setting } from "./setting.ts";

/** Names of the mail catchers, whose setting of the port is `<name>Port`. */
export const catcherNames = ["mailpit", "mailhog", "maildev", "smtp4dev"] as const;

/** Name of a mail catcher. */
export type CatcherName = (typeof catcherNames)[number];

/** Values of the settings of these listeners. */
export interface CatcherChoices {
  /** 0: any free port; null: no listener. */
  readonly mailpitPort: number | null;
  /** As {@link CatcherChoices.mailpitPort}. */
  readonly mailhogPort: number | null;
  /** As {@link CatcherChoices.mailpitPort}. */
  readonly maildevPort: number | null;
  /** As {@link CatcherChoices.mailpitPort}. */
  readonly smtp4devPort: number | null;
  /** Server that the listeners show; null for the catch-all server. */
  readonly peerServer: ServerId | null;
}

const off = { secret: false, form: forms.port, fallback: null, fallbackText: "`off`" } as const;

/** Setting of each choice, in the order of the reference page. */
export const catcherSettings: { readonly [Name in keyof CatcherChoices]: Setting<CatcherChoices[Name]> } = {
  mailpitPort: {
    ...off,
    env: "RESTANTE_MAILPIT_PORT",
    meaning:
      "Port of a listener with the API of Mailpit, for suites that are written against it. Clients on this machine need no key while RESTANTE_BIND is loopback and RESTANTE_TRUST_LOOPBACK is `yes`; all others send a key with HTTP Basic.",
  },
  mailhogPort: {
    ...off,
    env: "RESTANTE_MAILHOG_PORT",
    meaning: "Port of a listener with the API of MailHog, versions 1 and 2; access as for RESTANTE_MAILPIT_PORT.",
  },
  maildevPort: {
    ...off,
    env: "RESTANTE_MAILDEV_PORT",
    meaning:
      "Port of a listener with the API of MailDev, version 3 below `/api`, and versions 1 and 2 without a prefix; access as for RESTANTE_MAILPIT_PORT.",
  },
  smtp4devPort: {
    ...off,
    env: "RESTANTE_SMTP4DEV_PORT",
    meaning:
      "Port of a listener with the API of smtp4dev, version 3, and its hub of notifications; access as for RESTANTE_MAILPIT_PORT.",
  },
  peerServer: {
    secret: false,
    env: "RESTANTE_PEER_SERVER",
    form: forms.serverId,
    fallback: null,
    fallbackText: "the server of `RESTANTE_CATCH_ALL`",
    meaning: "Server that the APIs of Mailpit, MailHog, MailDev and smtp4dev show.",
  },
};
