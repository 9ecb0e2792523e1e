import { STATUS_CODES } from "node:http";
import { getCompatibility, getSpamAnalysis } from "../../operations/checks/analyses.ts";
import { openMessage } from "../../operations/services/reading/get-message.ts";
import type { LinkProbe } from "../../operations/services/inspection/outside-checks.ts";
import { type CatcherRoute, catcherRoutes } from "../catcher.ts";
import { badRequest } from "../read-json.ts";
import { readingContext } from "../received-message.ts";
import { resolveId } from "./get-message.ts";
import { toHtmlCheck } from "./html-check.ts";
import { json } from "./shapes.ts";

const path = "/api/v1/message/:id";

/** Most links that one call requests. */
const linkCountMax = 100;
/** Most requests of one call at the same time. */
const probesAtOnceMax = 5;

/** Routes of the checks of a message. */
export const checkRoutes: readonly CatcherRoute[] = catcherRoutes("read", {
  [`GET ${path}/html-check`]: async (call) => {
    const report = await getCompatibility(readingContext(call), call.principal, await resolveId(call));
    if (report === null) throw badRequest("message does not contain HTML");
    return json(toHtmlCheck(report));
  },
  [`GET ${path}/link-check`]: async (call) => {
    const { probeLink } = call.context;
    const { message } = await openMessage(readingContext(call), call.principal, await resolveId(call));
    const { html, text } = message;
    const found = [...html.links.map(({ href }) => href), ...html.images.map(({ src }) => src)];
    const links = [...found, ...text.links.map(({ href }) => href)].filter((href) => /^https?:\/\//i.test(href));
    if (links.length === 0) return json({ Errors: 0, Links: [] });
    if (probeLink === null) throw badRequest("this functionality has been disabled: set RESTANTE_LINK_CHECK=yes");
    const checked = await probeAll([...new Set(links)].slice(0, linkCountMax), probeLink);
    const failed = checked.filter(({ StatusCode: status }) => status === 0 || status >= 400);
    return json({ Errors: failed.length, Links: checked });
  },
  [`GET ${path}/sa-check`]: async (call) => {
    const id = await resolveId(call);
    const { score, threshold, rules, engineProblem } = await getSpamAnalysis(readingContext(call), call.principal, id);
    return json({
      IsSpam: score >= threshold,
      Error: engineProblem ?? "",
      Score: score,
      Rules: rules.map(({ rule, score: points, description }) => {
        return { Score: points, Name: rule, Description: description };
      }),
    });
  },
});

/** Link as Mailpit reports it; the status code is 0 without a response. */
interface CheckedLink {
  readonly URL: string;
  readonly StatusCode: number;
  readonly Status: string;
}

/** Requests links, some at a time; returns the results in their order. */
async function probeAll(links: readonly string[], probe: LinkProbe): Promise<readonly CheckedLink[]> {
  const results = new Map<string, CheckedLink>();
  const waiting = [...links];
  const ask = async (): Promise<void> => {
    for (let link = waiting.shift(); link !== undefined; link = waiting.shift()) {
      const { status, problem } = await probe(link);
      const text = status === null ? (problem ?? "") : (STATUS_CODES[status] ?? "");
      results.set(link, { URL: link, StatusCode: status ?? 0, Status: text });
    }
  };
  await Promise.all(Array.from({ length: probesAtOnceMax }, ask));
  return links.flatMap((link) => results.get(link) ?? []);
}
