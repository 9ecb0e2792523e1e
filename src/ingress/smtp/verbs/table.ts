import type { Verb } from "../session.ts";
import { auth } from "./auth.ts";
import { bdat } from "./bdat.ts";
import { data } from "./data.ts";
import { ehlo } from "./ehlo.ts";
import { helo } from "./helo.ts";
import { help } from "./help.ts";
import { lhlo } from "./lhlo.ts";
import { mail } from "./mail.ts";
import { noop } from "./noop.ts";
import { notImplemented } from "./not-implemented.ts";
import { notSmtp } from "./not-smtp.ts";
import { quit } from "./quit.ts";
import { rcpt } from "./rcpt.ts";
import { rset } from "./rset.ts";
import { starttls } from "./starttls.ts";
import { vrfy } from "./vrfy.ts";

/** Commands by upper-case verb. */
export const verbs: ReadonlyMap<string, Verb> = new Map([
  ["EHLO", ehlo],
  ["HELO", helo],
  ["LHLO", lhlo],
  ["MAIL", mail],
  ["RCPT", rcpt],
  ["DATA", data],
  ["BDAT", bdat],
  ["RSET", rset],
  ["NOOP", noop],
  ["VRFY", vrfy],
  ["HELP", help],
  ["AUTH", auth],
  ["STARTTLS", starttls],
  ["QUIT", quit],
  ...["ATRN", "ETRN", "EXPN", "SAML", "SEND", "SOML", "TURN"].map((name): [string, Verb] => [name, notImplemented]),
  ...["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"].map((name): [string, Verb] => [
    name,
    notSmtp,
  ]),
]);
