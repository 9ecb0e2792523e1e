import type { Catcher } from "./catcher.ts";

/** Module of each mail catcher, which is loaded when its listener opens. */
export const catcherTable: {
  readonly [Name in "mailpit" | "mailhog" | "maildev" | "smtp4dev"]: () => Promise<Catcher>;
} = {
  mailpit: async () => (await import("./mailpit/mailpit.ts")).mailpit,
  mailhog: async () => (await import("./mailhog/mailhog.ts")).mailhog,
  maildev: async () => (await import("./maildev/maildev.ts")).maildev,
  smtp4dev: async () => (await import("./smtp4dev/smtp4dev.ts")).smtp4dev,
};
