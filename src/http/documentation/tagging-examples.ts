/** Examples of settings for tags of messages that arrive. */
const rule = { q: "subject:invoice has:attachment", tags: ["billing"] };
const tagging = { plusAddresses: true, rules: [rule] };

/** Examples of responses, by the name of the schema. */
export const taggingResponses: Readonly<Record<string, unknown>> = { TagRule: rule, Tagging: tagging };

/** Examples of request bodies, by operation id. */
export const taggingRequests: Readonly<Record<string, unknown>> = { putTagRules: tagging };
