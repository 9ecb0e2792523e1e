/** Settings of outbound mail and SMS, and of mail checks and previews. */
import * as forms from "./forms.ts";
import { optional, setting } from "./setting.ts";

/** Settings of outbound mail and SMS, in the order of the reference page. The three of DKIM are all set, or none. */
export const outboundSettings = {
  relayUrl: optional(forms.relayUrl, "none: no mail is sent outside", "secret").means(
    "SMTP relay for outbound mail. TLS is required when the URL contains a password and the host is not this machine. Prefer the variable to the flag, because it contains a password.",
  ),
  verified: setting(forms.verified, []).means(
    "Addresses and domains that mail may be sent to without confirmation by their owners. A domain does not include its subdomains.",
  ),
  outboxRetryMs: setting(forms.integer(1, 86_400_000), 60_000).means(
    "Milliseconds before the first retry of an outbound message; the pause doubles with each retry, up to a day. Below 5000, it also shortens the retry schedule of webhooks in proportion.",
  ),
  numbers: setting(forms.numbers, []).means("Phone numbers that are assigned to servers at start."),
  approvedPhrases: setting(forms.phrases, [
    "YES",
    "NO",
    "Y",
    "N",
    "STOP",
    "START",
    "HELP",
    "OK",
    "CONFIRM",
    "CANCEL",
  ]).means("Allowed replies to an SMS, until others are set with the API."),
  callbackOrigins: setting(forms.origins, []).means(
    "Origins that the service may call for API keys: in webhooks, event webhooks and inbound routes, in webhooks of phone numbers, in status callbacks of SMS (where the origin of the number's webhook is allowed too), and in `account.apiUrl` of a provider; also the origins that unsubscribe requests are sent to. The hosts of the supported SMS providers are always allowed, this machine only while RESTANTE_BIND is loopback, link-local and metadata addresses never.",
  ),
  scannerOrigins: setting(forms.origins, []).means(
    "Origins whose URLs the link scanners of servers may open, such as the application under test. This machine is allowed only while RESTANTE_BIND is loopback; the service itself, link-local and metadata addresses never.",
  ),
  dkimDomain: optional(forms.domain, "none: no DKIM signature").means("Signing domain (DKIM `d=`) of outbound mail."),
  dkimSelector: optional(forms.selector, "none").means("Selector (DKIM `s=`) of the key in the DNS."),
  dkimKey: optional(forms.path, "none").means("PEM file of the DKIM private key."),
};

/** Settings of mail checks and previews, in the order of the reference page. */
export const checkSettings = {
  spamd: optional(forms.hostAndPort, "none: built-in rules").means(
    "Address of SpamAssassin's spamd, which then computes the spam analysis.",
  ),
  dns: setting(forms.dns, "system").means(
    "DNS resolver for deliverability reports, the only feature that uses DNS: that of the operating system, certain servers, or none (`off`). Servers with a DNS zone of their own use only that zone.",
  ),
  linkCheck: setting(forms.yesOrNo, false).means(
    "Whether lint may send requests to links in mails, on the public Internet only, when a caller requests it.",
  ),
  chromium: setting(forms.browser, "auto").means(
    "Chromium that renders mails for previews and axe-core. `auto`: Chromium, Chrome or Edge of this machine, else the package `@sparticuz/chromium` if it is installed; a path: that program; `off`: none. Requires the package `playwright-core`.",
  ),
};
