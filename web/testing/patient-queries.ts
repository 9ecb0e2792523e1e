/** Gives `findBy…` and `waitFor` of Testing Library the patience of a busy machine: their default is one second. */
import { configure } from "@testing-library/react";

configure({ asyncUtilTimeout: 120_000 });
