/** Process that renders templates of a project with its engines. */
import { answerCalls } from "../workers/answer-calls.ts";
import { renderTemplate } from "./render-template.ts";

// Places of errors in components are those of their sources.
process.setSourceMapsEnabled(true);

answerCalls(renderTemplate);
