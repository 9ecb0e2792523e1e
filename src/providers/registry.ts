/** Table of all providers; a new provider needs a folder and a line here. */
import { acs } from "./acs/provider.ts";
import { brevo } from "./brevo/provider.ts";
import { gmail } from "./gmail/provider.ts";
import { mailersend } from "./mailersend/provider.ts";
import { graph } from "./graph/provider.ts";
import { mailgun } from "./mailgun/provider.ts";
import { mailjet } from "./mailjet/provider.ts";
import { mandrill } from "./mandrill/provider.ts";
import { mailtrap } from "./mailtrap/provider.ts";
import { postmark } from "./postmark/provider.ts";
import { resend } from "./resend/provider.ts";
import { sendgrid } from "./sendgrid/provider.ts";
import { ses } from "./ses/provider.ts";
import { sns } from "./sns/provider.ts";
import { sparkpost } from "./sparkpost/provider.ts";
import { twilio } from "./twilio/provider.ts";
import { vonage } from "./vonage/provider.ts";
import type { Provider, SmsProvider } from "./provider.ts";

/** All providers, in the order in which documentation lists them. */
export const providers: readonly Provider[] = [
  acs,
  brevo,
  gmail,
  mailersend,
  graph,
  mailgun,
  mailjet,
  mandrill,
  mailtrap,
  postmark,
  resend,
  sendgrid,
  ses,
  sns,
  sparkpost,
  twilio,
  vonage,
];

/** Providers of phone numbers. */
export const smsProviders: readonly SmsProvider[] = providers.filter((one): one is SmsProvider => one.sms !== null);

/** Provider of numbers whose request names none. */
export const defaultProviderName: string = twilio.name;

/** Returns the provider of phone numbers with this name; undefined for an unknown one. */
export function findSmsProvider(name: string): SmsProvider | undefined {
  return smsProviders.find((provider) => provider.name === name);
}
