/** Worker module that renders templates, started by `template-renderer.ts`. */
import { workerData } from "node:worker_threads";
import { answerCalls } from "../../../workers/answer-calls.ts";
import { collectGarbage, largeWorkBytesMin } from "../../../core/collect-garbage.ts";
import type { RenderLimits } from "./render-budget.ts";
import { renderSources, type RenderRequest } from "./render-sources.ts";

// Languages read own members only. Should one of them fail to, neither code nor settings are within reach.
Reflect.deleteProperty(Function.prototype, "constructor");
process.env = {};

answerCalls(async (request: RenderRequest) => renderSources(request, workerData as RenderLimits), {
  cleanUp: ({ data, sources }) => {
    const length = Object.values(sources).reduce((sum, source) => sum + source.length, data.length);
    if (length > largeWorkBytesMin) collectGarbage();
  },
});
