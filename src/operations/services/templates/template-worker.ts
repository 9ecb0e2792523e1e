/** Worker module that renders templates, started by `template-renderer.ts`. */
import { readWorkerSettings } from "../../../workers/answer-calls.ts";
import { answerMailCalls } from "../analysis/answer-mail-calls.ts";
import type { RenderLimits } from "./render-budget.ts";
import { renderSources, type RenderRequest } from "./render-sources.ts";

const limits = readWorkerSettings() as RenderLimits;

// Languages read own members only. Should one of them fail to, neither code nor settings are within reach.
Reflect.deleteProperty(Function.prototype, "constructor");
process.env = {};

answerMailCalls(
  async (request: RenderRequest) => renderSources(request, limits),
  ({ data, sources }) => Object.values(sources).reduce((sum, source) => sum + source.length, data.length),
);
