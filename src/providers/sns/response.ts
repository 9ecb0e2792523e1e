/** Responses of Amazon SNS. */
import { randomUUID } from "node:crypto";
import type { QueryContext } from "../formats/aws-xml.ts";

const namespace = "http://sns.amazonaws.com/doc/2010-03-31/";

/** Returns the namespace of the API and a new request id. */
export function newQueryContext(): QueryContext {
  return { namespace, requestId: randomUUID() };
}

/** Account id in ARNs. */
export const accountId = "000000000000";
