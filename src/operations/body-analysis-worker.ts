/** The thread on which bodies are analysed that are not cheap; called by `body-analyser.ts`. */
import { answerCalls } from "../workers/answer-calls.ts";
import type { BodyRequest } from "./body-analyser.ts";
import { analyseBodies, readBodyTexts } from "./email-bodies.ts";

answerCalls(({ raw, places }: BodyRequest) => analyseBodies(readBodyTexts(raw, places)));
