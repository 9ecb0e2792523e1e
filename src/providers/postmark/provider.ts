import { failureText, type Provider } from "../provider.ts";
import { postmarkEndpoints } from "./endpoints.ts";
import { postmarkErrorResponse, PostmarkRejection, rejectionResponse } from "./errors.ts";
import { postmarkFault } from "./faults.ts";
import { uuidOfMessageId } from "./response.ts";
import { isTestToken } from "./sender.ts";

/** Postmark's API with server tokens. */
export const postmark: Provider = {
  name: "postmark",
  label: "Postmark",
  apiOrigins: /^https:\/\/api\.postmarkapp\.com$/,
  hosts: ["api.postmarkapp.com"],
  endpoints: postmarkEndpoints,
  readKey: ({ "x-postmark-server-token": token }) => (typeof token === "string" && token !== "" ? token : null),
  isPublicKey: isTestToken,
  errorResponse: postmarkErrorResponse,
  failureResponse: (problem) =>
    rejectionResponse(new PostmarkRejection(0, failureText(problem, "Internal Server Error"), problem.row.status)),
  loadEvents: async () => (await import("./event-webhook.ts")).postmarkEvents,
  faultResponse: postmarkFault,
  sms: null,
  email: {
    // A batch; one message may have 10 MB.
    requestBytesMax: 50 * 1024 * 1024,
    recipientCountMax: 50,
    features: [
      "batch",
      "attachments",
      "inline images",
      "custom headers",
      "tags",
      "metadata",
      "stored templates",
      "sandbox",
      "read back",
    ],
    uuidOf: uuidOfMessageId,
  },
};
