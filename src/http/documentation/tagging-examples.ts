/** Examples: tag rules, saved searches, deletions by a query, and releases. */
const rule = { q: "subject:invoice has:attachment", tags: ["billing"] };
const tagging = { plusAddresses: true, rules: [rule] };

/** Examples of responses, by the name of the schema. */
export const taggingResponses: Readonly<Record<string, unknown>> = {
  TagRule: rule,
  Tagging: tagging,
  SavedSearch: { name: "Unpaid", q: "subject:invoice -tag:paid" },
  SearchSuggestion: {
    kind: "replace",
    q: "from:alice",
    server: "abcd1234",
    dir: "Received",
    term: "to:alice",
    replacement: "from:alice",
    count: 12,
    isExact: true,
  },
  DeletionResult: { deleted: 17, hasMore: false },
};

/** Examples of request bodies, by operation id. */
export const taggingRequests: Readonly<Record<string, unknown>> = {
  putTagRules: tagging,
  putSavedSearch: { q: "subject:invoice -tag:paid" },
  releaseMessage: { to: ["alice@corp.example"] },
};
