/** Mail as it is, for example for the relay ingress of Rails Action Mailbox (https://guides.rubyonrails.org/action_mailbox_basics.html). */
import {
  basicAuthHeaders,
  givenSecret,
  headerValue,
  newSecret,
  withWrongCredentials,
} from "../formats/callback-values.ts";
import type { InboundShape } from "../callbacks.ts";

const defaultUser = "actionmailbox";

/** The raw mail as the body of the request. */
export const rawInbound: InboundShape = {
  name: "raw",
  label: "Raw mail",
  settings: [
    {
      name: "password",
      description: "password of Basic authentication; made here by default",
      isSecret: true,
    },
    {
      name: "username",
      description: `user name of Basic authentication; \`${defaultUser}\` by default`,
      isSecret: false,
      // A colon would end the user name (RFC 7617 §2).
      pattern: /[^:\p{Cc}]{0,200}/u,
    },
  ],
  verification: "Basic authentication; requests are not signed.",
  createSecrets: (given) => {
    const form = "1 to 200 characters without control characters";
    const password = givenSecret(given, "password", { pattern: /^\P{Cc}{1,200}$/u, form }) ?? newSecret();
    return { secrets: { password }, publicKey: null, secret: password };
  },
  render: ({ raw, envelope, recipient }, { username = "" }, { secrets, url }) => ({
    headers: {
      ...basicAuthHeaders({
        url,
        secrets: { basicAuth: `${username === "" ? defaultUser : username}:${secrets["password"] ?? ""}` },
      }),
      "X-Envelope-From": `<${headerValue(envelope.from)}>`,
      "X-Envelope-To": `<${headerValue(recipient)}>`,
    },
    contentType: "message/rfc822",
    body: raw,
  }),
  forge: (request) => withWrongCredentials(request, defaultUser),
};
