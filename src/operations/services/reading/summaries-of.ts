import type { Summary } from "../../../core/message.ts";
import type { SummaryPage } from "../../../store/store.ts";

/** Parses the summaries of a page. */
export function summariesOf({ json }: Pick<SummaryPage, "json">): readonly Summary[] {
  return JSON.parse(`[${Buffer.from(json).toString("utf8")}]`) as readonly Summary[];
}
