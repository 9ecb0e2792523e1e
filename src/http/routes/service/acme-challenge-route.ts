import { Problem } from "../../../core/errors.ts";
import { textResponse } from "../../http-response.ts";
import type { OpenRoute } from "../../route.ts";

/** Key authorizations by token, of this node or of all nodes. */
interface ChallengeAnswers {
  readonly get: (token: string) => Promise<string | undefined> | string | undefined;
}

/**
 * Returns the route of the listener at which a certificate authority verifies control of host names (HTTP-01, RFC 8555 §8.3). It
 * has no other.
 */
export function acmeChallengeRoute(answers: ChallengeAnswers): OpenRoute {
  return {
    method: "GET",
    path: "/.well-known/acme-challenge/:token",
    operationId: null,
    summary: "Prove control of a host name to a certificate authority.",
    access: "open",
    successes: [{ status: 200, description: "The key authorization.", contentType: "application/octet-stream" }],
    problems: ["not_found"],
    respond: async ({ params }) => {
      const answer = await answers.get(params["token"] ?? "");
      if (answer === undefined) throw new Problem("not_found");
      return textResponse(answer, "application/octet-stream");
    },
  };
}
