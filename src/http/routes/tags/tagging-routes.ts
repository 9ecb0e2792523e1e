import { keyRoute } from "../rows.ts";
import { getTagging, putTagging } from "../../../operations/tags/tagging.ts";
import { auditedAct } from "../../audit.ts";
import type { KeyRoute } from "../../route.ts";
import { taggingRequestSchema, taggingSchema } from "../../wire/mark-schema.ts";

const path = "/api/servers/:id/tag-rules";

/** Routes of the settings for tags of messages that arrive. */
export const taggingRoutes: readonly KeyRoute[] = [
  keyRoute("getTagRules", `GET ${path}`, {
    summary: "Retrieve the settings of a server for tags of messages that arrive.",
    returns: ["The settings.", taggingSchema],
    run: async ({ context, principal, id }) => getTagging(context, principal, id),
  }),
  keyRoute("putTagRules", `PUT ${path}`, {
    summary: "Replace the settings of a server for tags of messages that arrive.",
    body: taggingRequestSchema,
    audit: (call) => auditedAct("tagging.set", { server: call.id }),
    returns: ["The settings.", taggingSchema],
    run: async ({ context, principal, id }, { plusAddresses = false, rules = [] }) =>
      putTagging(context, principal, { server: id, tagging: { plusAddresses, rules } }),
  }),
];
