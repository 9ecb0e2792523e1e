import { readAccessKey } from "../formats/aws-access-key.ts";
import { openEndpoints } from "../kit/endpoints.ts";
import type { Provider } from "../provider.ts";
import { snsErrors } from "./errors.ts";

const actionResponse = [200, "Response of the action."] as const;
const actions = openEndpoints({ load: async () => import("./actions.ts"), access: "own" }, [
  ["POST /", "respondToAction", "Call an action of the Amazon SNS API.", actionResponse],
]);

const links = openEndpoints({ load: async () => import("./topic-actions.ts"), access: "own" }, [
  ["GET /", "respondToLink", "Confirm or cancel a subscription by the URL in a notification.", actionResponse],
  [
    "GET /:file",
    "getCertificate",
    "Return the certificate of the signatures of notifications.",
    [200, "The certificate in PEM."],
  ],
]);

/** Amazon SNS as far as it sends SMS. It has no phone numbers with webhooks. */
export const sns: Provider = {
  name: "sns",
  label: "Amazon SNS",
  // https://docs.aws.amazon.com/general/latest/gr/sns.html: sns.<region>.amazonaws.com
  apiOrigins: /^https:\/\/sns(?:-fips)?\.[a-z]{2,4}(?:-[a-z]{1,20}){1,3}-\d\.amazonaws\.com(?:\.cn)?$/,
  hosts: ["sns.*.amazonaws.com"],
  signingName: "sns",
  endpointVariables: ["AWS_ENDPOINT_URL_SNS"],
  endpoints: [...actions, ...links],
  readKey: readAccessKey,
  ...snsErrors.responses,
  sms: null,
  email: null,
};
