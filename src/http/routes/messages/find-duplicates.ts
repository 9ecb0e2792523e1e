import { keyRoute } from "../rows.ts";
import { criterionNames, type Criteria } from "../../../core/criteria.ts";
import {
  comparedMessageCountDefault,
  comparedMessageCountMax,
  duplicateGroupSchema,
} from "../../../core/duplicates.ts";
import { FieldCollector } from "../../../core/field-collector.ts";
import { findDuplicates, type DuplicatesRequest } from "../../../operations/messages/find-duplicates.ts";
import { checkCriteria } from "../../../operations/services/search/read-search.ts";
import { labelParameters, pageParameters, requestedList } from "../../lists/page-request.ts";
import { listResponse } from "../../lists/page-response.ts";
import { withSignal, type KeyCall, type KeyRoute, type QueryParameter } from "../../route.ts";
import { decodeInteger } from "../../wire/page-query.ts";
import type { Query } from "../../wire/query.ts";
import { build, listOf } from "../../../core/schema.ts";
import { searchedText } from "../../../core/text-schemas.ts";

/** Ten years: longer than any mail is kept. */
const withinMsMax = 10 * 366 * 24 * 3_600_000;

const query: readonly QueryParameter[] = [
  ...pageParameters.filter(({ name }) => name !== "page" && name !== "itemsPerPage"),
  {
    name: "sentFrom",
    description: "Only messages with this sender: whole address or number.",
    schema: searchedText(),
  },
  {
    name: "sentTo",
    description: "Only messages to this recipient: whole address or number.",
    schema: searchedText(),
  },
  {
    name: "subject",
    description: "Only messages with this text in the subject.",
    schema: searchedText(),
  },
  {
    name: "body",
    description: "Only messages with this text in the body.",
    schema: searchedText(),
  },
  ...labelParameters,
  {
    name: "messages",
    description: "Number of messages to compare, the newest ones.",
    schema: build.integer({ minimum: 1, maximum: comparedMessageCountMax, default: comparedMessageCountDefault }),
  },
  {
    name: "within",
    description: "Longest delay in milliseconds between two messages of a group that follow each other. Default: any.",
    schema: build.integer({ minimum: 0, maximum: withinMsMax }),
  },
];

/** `GET /api/messages/duplicates`: groups of messages that a person would call the same. */
export const findDuplicatesRoute: KeyRoute = keyRoute("findDuplicates", "GET /api/messages/duplicates", {
  summary: "Find messages that were sent more than once.",
  query,
  returns: [
    "Groups of messages with the same content for the same recipients, newest first; at most 100.",
    listOf(duplicateGroupSchema),
    {
      headers: {
        link: 'URL that compares older messages with `rel="next"` (RFC 8288), where there are some.',
        "x-compared-count": "Number of messages that were compared.",
        "x-skipped-count": "Number of messages that could not be analysed.",
      },
    },
  ],
  problems: ["not_found"],
  respond: async (call) => {
    const found = await findDuplicates(withSignal(call), call.principal, decodeRequest(call));
    const response = listResponse(call, found.groups);
    const headers: Record<string, string> = {
      ...response.headers,
      "x-compared-count": String(found.comparedCount),
      "x-skipped-count": String(found.skippedCount),
    };
    if (found.before !== null) headers["link"] = `<${nextUrl(call, found.before)}>; rel="next"`;
    return { ...response, headers };
  },
});

function decodeRequest(call: KeyCall): DuplicatesRequest {
  const errors = new FieldCollector();
  const list = errors.collect(() => requestedList(call));
  const bounds = { min: 1, max: comparedMessageCountMax };
  const messageCountMax = errors.collect(() => decodeInteger(call.query, "messages", bounds));
  const withinMs = errors.collect(() => decodeInteger(call.query, "within", { min: 0, max: withinMsMax }));
  const criteria = requestedCriteria(call.query);
  errors.collect(() => {
    checkCriteria(criteria, call.context.limits.searchTextLengthMax);
  });
  errors.finish();
  if (list === undefined) throw new Error("a parameter failed without a field error");
  return {
    ...list,
    criteria,
    messageCountMax: messageCountMax ?? comparedMessageCountDefault,
    withinMs: withinMs ?? Infinity,
  };
}

/** Returns the criteria of the query string; empty ones count as absent. */
function requestedCriteria(given: Query): Omit<Criteria, "match"> {
  const present = criterionNames.map((name) => [name, given.get(name.toLowerCase()) ?? ""] as const);
  return Object.fromEntries(present.filter(([, value]) => value !== ""));
}

/** Returns the URL of older messages, with known parameters only, so that no secret of the query string is repeated. */
function nextUrl({ path, query: given }: KeyCall, before: string): string {
  const names = ["server", "receivedAfter", "dir", "after", ...criterionNames, "messages", "within"];
  const parameters = names.flatMap((name) => {
    const value = given.get(name.toLowerCase()) ?? "";
    return value === "" ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`];
  });
  return `${path}?${parameters.join("&")}&before=${before}`;
}
