/**
 * Gives `findBy…` and `waitFor` of Testing Library the patience of a busy machine: their default is one second, and the limit
 * of a test is 30. The page in the message of an error is printed when the message is read, because they discard an error for
 * each time they look.
 */
import { configure, getConfig } from "@testing-library/react";

const { getElementError } = getConfig();

configure({
  asyncUtilTimeout: 25_000,
  getElementError: (message, container) => {
    const error = new Error();
    error.name = "TestingLibraryElementError";
    return Object.defineProperty(error, "message", {
      configurable: true,
      get: () => getElementError(message, container).message,
    });
  },
});
