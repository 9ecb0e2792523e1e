/** Worker that returns what it receives. */
import { answerCalls } from "./answer-calls.ts";

answerCalls((request: unknown) => request);
