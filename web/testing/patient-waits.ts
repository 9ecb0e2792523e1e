/** Gives `findBy` queries and `waitFor` of Testing Library a timeout for busy machines: their default is one second. */
import { configure } from "@testing-library/react";

const waitMsMax = 60_000;

configure({ asyncUtilTimeout: waitMsMax });
