/** Domains: every host name may send, so that each is active. */
import { anyEmail } from "../kit/emails.ts";
import type { Handler } from "../kit/endpoints.ts";
import { jsonResponse } from "../provider.ts";
import { requireDomain } from "./request.ts";
import { domainOfId } from "./response.ts";

/** Newest mails whose domains are listed. */
const mailCount = 25;

/** Lists the domains of the newest mails: `GET /v3/domains` and `GET /v4/domains`. */
export const listDomains: Handler = async ({ session }) => {
  const { emails } = await session.listEmails({ ...anyEmail, page: 0, itemsPerPage: mailCount });
  const created = new Map(emails.map(({ providerId, createdAt }) => [domainOfId(providerId), createdAt] as const));
  const items = [...created].map(([name, createdAt]) => domainOf(name, createdAt));
  return jsonResponse(200, { total_count: items.length, items });
};

/** Returns one domain: `GET /v3/domains/:domain` and `GET /v4/domains/:domain`. */
export const getDomain: Handler = async ({ request, services }) => {
  const name = requireDomain(request.params["domain"] ?? "").toLowerCase();
  const domain = domainOf(name, services.now());
  return jsonResponse(200, { domain, receiving_dns_records: [], sending_dns_records: [] });
};

function domainOf(name: string, createdAt: number): Readonly<Record<string, unknown>> {
  return {
    created_at: new Date(createdAt).toUTCString(),
    id: Buffer.from(name).toString("hex").padEnd(24, "0").slice(0, 24),
    name,
    type: "custom",
    state: "active",
    is_disabled: false,
    smtp_login: `postmaster@${name}`,
    spam_action: "disabled",
    wildcard: false,
    require_tls: false,
    skip_verification: false,
    web_prefix: "email",
    web_scheme: "https",
  };
}
