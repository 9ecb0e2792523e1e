/** Settings of the listeners for reading mail: POP3 and IMAP. */
import * as forms from "./forms.ts";
import type { Setting } from "./setting.ts";

/** Values of the settings of the listeners for reading mail. */
export interface MailAccessChoices {
  /** 0: any free port; null: no listener. */
  readonly pop3Port: number | null;
  /** 0: any free port; null: no listener. */
  readonly pop3sPort: number | null;
  /** 0: any free port; null: no listener. */
  readonly imapPort: number | null;
  /** 0: any free port; null: no listener. */
  readonly imapsPort: number | null;
}

const off = { secret: false, form: forms.port, fallback: null, fallbackText: "`off`" } as const;

/** Setting of each choice, in the order of the reference page. */
export const mailAccessSettings: { readonly [Name in keyof MailAccessChoices]: Setting<MailAccessChoices[Name]> } = {
  pop3Port: {
    ...off,
    env: "RESTANTE_POP3_PORT",
    meaning:
      "POP3 port, in clear or with STLS. The user is the id of a server, the password its SMTP password or an API key; without TLS only on loopback.",
  },
  pop3sPort: { ...off, env: "RESTANTE_POP3S_PORT", meaning: "POP3 port with implicit TLS." },
  imapPort: {
    ...off,
    env: "RESTANTE_IMAP_PORT",
    meaning: "IMAP port, in clear or with STARTTLS. User and password are those of POP3; without TLS only on loopback.",
  },
  imapsPort: { ...off, env: "RESTANTE_IMAPS_PORT", meaning: "IMAP port with implicit TLS." },
};
