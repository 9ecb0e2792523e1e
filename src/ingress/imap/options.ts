import type { Mailboxes } from "../../operations/mailboxes/mailboxes.ts";
import type { MailAccessOptions } from "../lines/mail-access-options.ts";

/** Options of an IMAP listener. */
export type ImapServerOptions = MailAccessOptions<Mailboxes>;
